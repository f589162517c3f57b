// SPDX-License-Identifier: Apache-2.0
// LLVM writes one relocatable object a kernel; LLD, as a library, links them. No program of the system is
// called.
#include "compiler/cpu/object.h"

#include <fmt/format.h>
#include <lld/Common/Driver.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <mutex>
#include <regex>
#include <sstream>

#include "compiler/cpu/host_target.h"
#include "compiler/cpu/llvm_module.h"
#include "compiler/cpu/optimize.h"
#include "isa/check.h"
#include "runtime/elf/outside_functions.h"
#include "runtime/elf/shared_object.h"

LLD_HAS_DRIVER(elf)

namespace cosim::cpu {
namespace {

namespace fs = std::filesystem;

// kAllocateSymbol and kFreeSymbol of codegen.h over libc, so that an object needs nothing else. SIZE: C's
// size_t.
constexpr const char* kHeap = R"(
declare ptr @aligned_alloc(SIZE, SIZE)
declare void @free(ptr)
declare void @abort() noreturn
define hidden ptr @cosim_cpu_allocate(i64 %bytes) {
  %up = add i64 %bytes, 63
  %rounded = and i64 %up, -64
  %wide = zext i64 %rounded to i128
  %size = trunc i128 %wide to SIZE
  %block = call ptr @aligned_alloc(SIZE 64, SIZE %size)
  %none = icmp eq ptr %block, null
  br i1 %none, label %fail, label %done
fail:
  call void @abort()
  unreachable
done:
  ret ptr %block
}
define hidden void @cosim_cpu_free(ptr %block) {
  call void @free(ptr %block)
  ret void
}
)";

std::string EmitObject(llvm::Module& module, llvm::TargetMachine& machine) {
  Optimize(module, machine);
  llvm::SmallVector<char, 0> buffer;
  llvm::raw_svector_ostream stream(buffer);
  llvm::legacy::PassManager passes;
  COSIM_CHECK(!machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile));
  passes.run(module);
  return {buffer.begin(), buffer.end()};
}

std::string EmitHeap(llvm::TargetMachine& machine) {
  const auto context = MakeContext(/*keep_names=*/true);  // the text has names
  llvm::SMDiagnostic problem;
  const std::string size = fmt::format("i{}", machine.createDataLayout().getPointerSizeInBits());
  const std::string text = std::regex_replace(kHeap, std::regex("SIZE"), size);
  const auto module = llvm::parseAssemblyString(text, problem, *context);
  COSIM_CHECK(module, "{}", problem.getMessage().str());
  return EmitObject(*module, machine);
}

// A folder of its own, removed with all it holds.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code error;
    std::string pattern = (fs::temp_directory_path(error) / "cosim_link_XXXXXX").string();
    if (mkdtemp(pattern.data())) path_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code error;
    if (ok()) fs::remove_all(path_, error);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  bool ok() const { return !path_.empty(); }
  std::string At(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

bool Write(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  file.flush();
  return file.good();
}

std::vector<uint8_t> Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// That its machine will load it is known here, which need not be that machine.
void CheckLoads(const runtime::CpuObject& object) {
  std::string error;
  const auto read = runtime::elf::ReadSharedObject(object.bytes, error);
  COSIM_CHECK(read, "code for {}: {}", object.level, error);
  for (const auto& relocation : read->relocations) {
    if (relocation.symbol == runtime::elf::kTheObject) continue;
    const auto& symbol = read->symbols[relocation.symbol];
    COSIM_CHECK(symbol.is_defined || runtime::elf::IsOutside(object.architecture, symbol.name),
                "code for {} asks for {}", object.level, symbol.name);
  }
}

}  // namespace

schedules::CpuTarget ObjectCompiler::target() const { return TargetOf(*MakeMachine(target_)); }

std::vector<runtime::CpuKernelPtr> ObjectCompiler::CompileAll(std::span<const tir::Function> functions) {
  const auto machine = MakeMachine(target_);
  std::vector<runtime::CpuKernelPtr> kernels;
  for (const tir::Function& function : functions) {
    OwnedModule emitted = EmitModule(function, *machine, /*keep_names=*/false);
    const auto [it, is_new] = symbols_.try_emplace(ToText(*emitted.module));
    if (is_new) {
      it->second = fmt::format("cosim_kernel_{}", objects_.size());
      emitted.module->getFunction(kKernelName)->setName(it->second);
      objects_.push_back(EmitObject(*emitted.module, *machine));
    }
    kernels.push_back(std::make_shared<runtime::KernelSymbol>(it->second));
  }
  return kernels;
}

std::optional<runtime::CpuObject> ObjectCompiler::Link(std::string& error) const {
  runtime::CpuObject object{target_.architecture, target_.name, {}};
  if (objects_.empty()) return object;
  const ScratchFolder folder;
  std::vector<std::string> inputs = {folder.At("heap.o")};
  bool written = folder.ok() && Write(inputs.front(), EmitHeap(*MakeMachine(target_)));
  for (size_t i = 0; written && i < objects_.size(); ++i) {
    inputs.push_back(folder.At(fmt::format("{}.o", i)));
    written = Write(inputs.back(), objects_[i]);
  }
  if (!written) {
    error = "cannot write temporary files to link the CPU code; TMPDIR says where they go";
    return std::nullopt;
  }
  const std::string output = folder.At("kernels.so");
  std::vector<const char*> arguments = {
      "ld.lld",      "-shared", "-o",  output.c_str(), "--threads=1", "--build-id=none",
      "--strip-all", "-z",      "now", "-z",           "noexecstack", "--hash-style=gnu"};
  for (const std::string& input : inputs) arguments.push_back(input.c_str());
  static std::mutex linker;  // it has state of its own
  const std::lock_guard lock(linker);
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  const auto result = lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  COSIM_CHECK(result.canRunAgain, "LLD: {}", stream.str());
  object.bytes = Read(output);
  if (result.retCode == 0 && !object.bytes.empty()) {
    CheckLoads(object);
    return object;
  }
  error = fmt::format("the CPU code cannot be linked: {}", stream.str());
  return std::nullopt;
}

}  // namespace cosim::cpu
