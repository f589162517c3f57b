// SPDX-License-Identifier: Apache-2.0
// host_kernels FOLDER NETWORK|FILE CONFIG ISA CPU: the host's loops of a compiled network as assembly for a
// processor, and how often each of their blocks runs. scripts/host-model makes cycles of it.
//
// Prints a line for each host step: layer, operation, the model's cycles without memory and call, the stem of
// its files in FOLDER ("-": a routine). STEM.s is the assembly, STEM.counts has a line for each block: name,
// runs. Runs are counted: the optimised code, with a counter in each block, on bytes of 1, on this machine.
#include <fmt/format.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "compiler/cpu/codegen.h"
#include "compiler/cpu/llvm_module.h"
#include "compiler/cpu/optimize.h"
#include "compiler/import/import.h"
#include "compiler/session/session.h"
#include "compiler/tir/visitor.h"
#include "isa/check.h"
#include "isa/spec/host_processor.h"
#include "isa/spec/loader.h"

namespace cosim {
namespace {

namespace orc = llvm::orc;

template <typename T>
T Unwrap(llvm::Expected<T> value) {
  if (!value) COSIM_CHECK(false, "LLVM: {}", llvm::toString(value.takeError()));
  return std::move(*value);
}
void Unwrap(llvm::Error error) {
  if (error) COSIM_CHECK(false, "LLVM: {}", llvm::toString(std::move(error)));
}

class Recorded final : public runtime::CpuKernel {
 public:
  explicit Recorded(tir::Function function) : function(std::move(function)) {}
  void RunOn(std::span<void* const>, const runtime::Parallel&) const override {
    COSIM_CHECK(false, "only looked at");
  }
  tir::Function function;
};

class Recorder final : public cpu::CpuCompiler {
 public:
  std::vector<runtime::CpuKernelPtr> CompileAll(std::span<const tir::Function> functions) override {
    std::vector<runtime::CpuKernelPtr> kernels;
    for (const tir::Function& function : functions) kernels.push_back(std::make_shared<Recorded>(function));
    return kernels;
  }
};

std::unique_ptr<llvm::TargetMachine> MachineFor(const std::string& cpu) {
  const bool is_a9 = cpu == "cortex-a9";
  const std::string triple = is_a9 ? "armv7a-unknown-linux-gnueabihf" : "aarch64-unknown-linux-gnu";
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  COSIM_CHECK(target, "LLVM: {}", error);
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, cpu, is_a9 ? "+neon" : "", llvm::TargetOptions(), llvm::Reloc::PIC_,
                                  llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
  machine->Options.MCOptions.AsmVerbose = true;
  return machine;
}

int64_t BytesOf(const tir::Buffer& buffer) {
  int64_t bytes = (buffer->type.bits + 7) / 8;
  for (int64_t extent : buffer->shape) bytes *= extent;
  return bytes;
}

void* Allocate(uint64_t bytes) { return std::aligned_alloc(64, (bytes + 63) / 64 * 64); }

// Puts the arrays' addresses where the kernel loads them from its argument: pointers may have another size on
// the machine that it was compiled for than here.
void BindArrays(llvm::Function& kernel, const std::vector<void*>& arrays) {
  const llvm::DataLayout& layout = kernel.getParent()->getDataLayout();
  const unsigned bits = layout.getPointerSizeInBits();
  std::vector<llvm::LoadInst*> loads;
  for (llvm::BasicBlock& block : kernel)
    for (llvm::Instruction& instruction : block) {
      auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (!load || !load->getType()->isPointerTy()) continue;
      llvm::APInt offset(bits, 0);
      const llvm::Value* base =
          load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
      COSIM_CHECK(base == kernel.getArg(0), "a pointer that is no array");
      auto* address =
          llvm::ConstantInt::get(llvm::Type::getInt64Ty(kernel.getContext()),
                                 reinterpret_cast<uint64_t>(arrays.at(offset.getZExtValue() * 8 / bits)));
      load->replaceAllUsesWith(llvm::ConstantExpr::getIntToPtr(address, load->getType()));
      loads.push_back(load);
    }
  for (llvm::LoadInst* load : loads) load->eraseFromParent();
}

// Loops that a pool of threads would share, in order on one: what a board of one core does, without the
// captures' memory, whose layout is the other machine's.
class Serializer final : public tir::Mutator {
 public:
  tir::Stmt MutateStmt(const tir::Stmt& stmt) override {
    const tir::Stmt inner = Mutator::MutateStmt(stmt);
    const auto* loop = tir::As<tir::For>(inner);
    if (!loop || loop->kind != tir::LoopKind::kParallel) return inner;
    return MakeStmt(tir::For{loop->var, loop->min, loop->extent, tir::LoopKind::kSerial, loop->body});
  }
};

// How often each block of the module's functions runs.
std::vector<int64_t> CountBlocks(const std::string& text, const tir::Function& function) {
  auto context = std::make_unique<llvm::LLVMContext>();
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString(text, problem, *context);
  COSIM_CHECK(module, "{}", problem.getMessage().str());
  std::vector<std::vector<uint8_t>> arrays;
  std::vector<void*> pointers;
  for (const tir::Buffer& buffer : function.params) arrays.emplace_back(BytesOf(buffer) + 64, 1);
  for (auto& array : arrays) pointers.push_back(array.data());
  BindArrays(*module->getFunction(cpu::kKernelName), pointers);
  auto jit = Unwrap(orc::LLJITBuilder().create());
  module->setTargetTriple(jit->getTargetTriple().str());
  module->setDataLayout(jit->getDataLayout());
  size_t blocks = 0, at = 0;
  for (const llvm::Function& f : *module) blocks += f.size();
  std::vector<int64_t> counts(blocks, 0);
  llvm::IRBuilder<> builder(*context);
  for (llvm::Function& f : *module) {
    for (const char* attribute : {"target-cpu", "target-features"}) f.removeFnAttr(attribute);
    f.removeFnAttr(llvm::Attribute::Memory);
    for (llvm::BasicBlock& block : f) {
      builder.SetInsertPoint(&block, block.getFirstInsertionPt());
      auto* place = llvm::ConstantExpr::getIntToPtr(
          builder.getInt64(reinterpret_cast<uint64_t>(&counts[at++])), builder.getPtrTy());
      auto* count = builder.CreateLoad(builder.getInt64Ty(), place);
      builder.CreateStore(builder.CreateAdd(count, builder.getInt64(1)), place);
    }
  }
  const auto symbol = [](auto* f) {
    return orc::ExecutorSymbolDef(orc::ExecutorAddr::fromPtr(f), llvm::JITSymbolFlags::Callable);
  };
  Unwrap(jit->getMainJITDylib().define(orc::absoluteSymbols(
      {{jit->mangleAndIntern(cpu::kAllocateSymbol), symbol(&Allocate)},
       {jit->mangleAndIntern(cpu::kFreeSymbol), symbol(static_cast<void (*)(void*)>(&std::free))}})));
  Unwrap(jit->addIRModule(orc::ThreadSafeModule(std::move(module), std::move(context))));
  auto* entry = Unwrap(jit->lookup(cpu::kKernelName)).toPtr<void(void* const*, const void*)>();
  entry(pointers.data(), nullptr);  // nothing is shared
  return counts;
}

void WriteKernel(const tir::Function& function, llvm::TargetMachine& machine, const std::string& stem) {
  const tir::Function serial{function.name, function.params, Serializer().MutateStmt(function.body)};
  cpu::OwnedModule owned = cpu::EmitModule(serial, machine, /*keep_names=*/true);
  cpu::Optimize(*owned.module, machine);
  int number = 0;
  for (llvm::Function& f : *owned.module)
    for (llvm::BasicBlock& block : f) block.setName(fmt::format("block{}", number++));
  const std::string text = cpu::ToText(*owned.module);
  std::ofstream counts(stem + ".counts");
  const std::vector<int64_t> runs = CountBlocks(text, function);
  for (size_t i = 0; i < runs.size(); ++i) counts << fmt::format("block{} {}\n", i, runs[i]);
  std::error_code error;
  llvm::raw_fd_ostream assembly(stem + ".s", error);
  COSIM_CHECK(!error, "{}", error.message());
  llvm::legacy::PassManager passes;
  COSIM_CHECK(!machine.addPassesToEmitFile(passes, assembly, nullptr, llvm::CodeGenFileType::AssemblyFile));
  passes.run(*owned.module);
}

std::optional<graph::Graph> GraphOf(const std::string& name, const isa::Spec& spec) {
  if (!import::IsModelFile(name)) return session::QuantizeFor(spec, name, 1).graph;
  Diagnostics diagnostics;
  auto model = import::ImportFile(name, {}, diagnostics);
  if (model) return std::move(model->graph);
  fmt::print(stderr, "{}", diagnostics.Render());
  return std::nullopt;
}

int Run(const std::string& folder, const std::string& name, const std::string& config, const std::string& isa,
        const std::string& cpu) {
  Diagnostics diagnostics;
  const auto spec = isa::LoadSpec(config, isa, {}, diagnostics);
  if (!spec) {
    fmt::print(stderr, "{}", diagnostics.Render());
    return 1;
  }
  const isa::HostProcessor host{cpu, 1, 1};
  const auto graph = GraphOf(name, *spec);
  if (!graph) return 1;
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmPrinters();
  const auto machine = MachineFor(cpu);
  Recorder recorder;
  const runtime::Network network = network::Compile(*graph, *spec, {}, recorder);
  std::filesystem::create_directories(folder);
  int number = 0;
  for (const auto& step : network.steps) {
    const auto* call = std::get_if<runtime::CpuStep>(&step);
    if (!call) continue;
    const runtime::Layer& layer = network.layers[call->layer];
    const auto* kernel = dynamic_cast<const Recorded*>(call->kernel.get());
    const std::string stem = fmt::format("{}", number++);
    if (kernel) WriteKernel(kernel->function, *machine, folder + "/" + stem);
    fmt::print("{}\t{}\t{:.0f}\t{}\t{}\n", layer.name, layer.op,
               runtime::ComputeCycles(call->work, host.Facts().costs), kernel ? stem : "-",
               fmt::format("{}|{}|{}", fmt::join(call->work.scalar, ","), fmt::join(call->work.vector, ","),
                           call->work.iterations));
  }
  return 0;
}

}  // namespace
}  // namespace cosim

int main(int argc, char** argv) {
  if (argc != 6) {
    fmt::print(stderr, "usage: host_kernels FOLDER NETWORK|FILE CONFIG ISA CPU\n");
    return 1;
  }
  return cosim::Run(argv[1], argv[2], argv[3], argv[4], argv[5]);
}
