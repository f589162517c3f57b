// SPDX-License-Identifier: Apache-2.0
// An ORC session: one module a kernel, optimised and compiled on the session's threads when its symbol is
// looked up.
#include "compiler/cpu/jit.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SHA256.h>
#include <llvm/Target/TargetMachine.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <thread>

#include "compiler/cpu/codegen.h"
#include "compiler/cpu/host_target.h"
#include "compiler/cpu/llvm_module.h"
#include "compiler/cpu/optimize.h"
#include "compiler/cpu/scratch.h"
#include "isa/check.h"

namespace cosim::cpu {
namespace {

namespace orc = llvm::orc;
using Digest = std::array<uint8_t, 32>;
using Entry = void (*)(void* const*, const runtime::Parallel*);

template <typename T>
T Unwrap(llvm::Expected<T> value) {
  if (!value) COSIM_CHECK(false, "LLVM: {}", llvm::toString(value.takeError()));
  return std::move(*value);
}
void Unwrap(llvm::Error error) {
  if (error) COSIM_CHECK(false, "LLVM: {}", llvm::toString(std::move(error)));
}

orc::JITTargetMachineBuilder BuilderFor(const HostTarget& target) {
  COSIM_CHECK(RunsHere(target), "this machine does not run code for {}", target.name);
  orc::JITTargetMachineBuilder builder{llvm::Triple(target.triple)};
  builder.setCPU(target.cpu).setFeatures(target.features).setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  return builder;
}

}  // namespace

class Session : public std::enable_shared_from_this<Session> {
 public:
  explicit Session(const HostTarget& target) : emit_for_(MakeMachine(target)), machine_(BuilderFor(target)) {
    orc::LLJITBuilder builder;
    builder.setJITTargetMachineBuilder(machine_);
    builder.setNumCompileThreads(std::clamp(std::thread::hardware_concurrency(), 1u, 8u));
    builder.setPlatformSetUp(orc::setUpInactivePlatform);
    jit_ = Unwrap(builder.create());
    jit_->getIRTransformLayer().setTransform(
        [machine = machine_](
            orc::ThreadSafeModule module,
            const orc::MaterializationResponsibility&) mutable -> llvm::Expected<orc::ThreadSafeModule> {
          auto target = orc::JITTargetMachineBuilder(machine).createTargetMachine();
          if (!target) return target.takeError();
          module.withModuleDo([&](llvm::Module& m) { Optimize(m, **target); });
          return module;
        });
    const auto symbol = [](auto* function) {
      return orc::ExecutorSymbolDef(orc::ExecutorAddr::fromPtr(function), llvm::JITSymbolFlags::Callable);
    };
    Unwrap(jit_->getMainJITDylib().define(
        orc::absoluteSymbols({{jit_->mangleAndIntern(kAllocateSymbol), symbol(&AllocateScratch)},
                              {jit_->mangleAndIntern(kFreeSymbol), symbol(&FreeScratch)}})));
  }

  /// A symbol is found a little before the thread that made it has handed over its memory; ending the session
  /// in between would report an error.
  ~Session() { jit_->getExecutionSession().getExecutorProcessControl().getDispatcher().shutdown(); }

  std::vector<runtime::CpuKernelPtr> Compile(std::span<const tir::Function> functions);

  schedules::CpuTarget target() const { return TargetOf(*emit_for_); }

  int kernel_count() const {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(symbols_.size());
  }

 private:
  /// The name under which the session knows the code of `function`; adds its module when it is new.
  std::string Add(const tir::Function& function);

  std::unique_ptr<const llvm::TargetMachine>
      emit_for_;  // asked for its layout and features; also sets LLVM up
  orc::JITTargetMachineBuilder machine_;
  std::unique_ptr<orc::LLJIT> jit_;
  mutable std::mutex mutex_;
  std::map<Digest, std::string> symbols_;  // by the module's text before optimisation
};

namespace {

class JitKernel : public runtime::CpuKernel {
 public:
  JitKernel(std::shared_ptr<Session> session, Entry entry, size_t arity)
      : session_(std::move(session)), entry_(entry), arity_(arity) {}

  void RunOn(std::span<void* const> args, const runtime::Parallel& parallel) const override {
    COSIM_CHECK(args.size() == arity_, "{} arguments for {} parameters", args.size(), arity_);
    entry_(args.data(), &parallel);
  }

 private:
  std::shared_ptr<Session> session_;  // owns the code
  Entry entry_;
  size_t arity_;
};

}  // namespace

std::string Session::Add(const tir::Function& function) {
  OwnedModule emitted = EmitModule(function, *emit_for_, /*keep_names=*/false);
  const Digest digest = llvm::SHA256::hash(llvm::arrayRefFromStringRef(ToText(*emitted.module)));
  const std::lock_guard lock(mutex_);
  const auto [it, is_new] = symbols_.try_emplace(digest);
  if (is_new) {
    it->second = fmt::format("{}.{}", kKernelName, symbols_.size());
    emitted.module->getFunction(kKernelName)->setName(it->second);
    // Directly to the transform layer: LLJIT's own entry would copy the module into a new context.
    Unwrap(jit_->getIRTransformLayer().add(
        jit_->getMainJITDylib(),
        orc::ThreadSafeModule(std::move(emitted.module), std::move(emitted.context))));
  }
  return it->second;
}

std::vector<runtime::CpuKernelPtr> Session::Compile(std::span<const tir::Function> functions) {
  std::vector<orc::SymbolStringPtr> names;
  orc::SymbolLookupSet wanted;
  for (const tir::Function& function : functions) {
    names.push_back(jit_->mangleAndIntern(Add(function)));
    wanted.add(names.back());
  }
  wanted.sortByAddress();
  wanted.removeDuplicates();
  const auto found = Unwrap(jit_->getExecutionSession().lookup(
      orc::makeJITDylibSearchOrder(&jit_->getMainJITDylib()), std::move(wanted)));
  std::vector<runtime::CpuKernelPtr> kernels;
  for (size_t i = 0; i < functions.size(); ++i) {
    kernels.push_back(std::make_shared<JitKernel>(
        shared_from_this(), found.at(names[i]).getAddress().toPtr<Entry>(), functions[i].params.size()));
  }
  return kernels;
}

JitCompiler::JitCompiler(const HostTarget& target, schedules::ContractionSchedules schedules)
    : session_(std::make_shared<Session>(target)), schedules_(std::move(schedules)) {}

schedules::CpuTarget JitCompiler::target() const { return session_->target(); }

std::vector<runtime::CpuKernelPtr> JitCompiler::CompileAll(std::span<const tir::Function> functions) {
  return session_->Compile(functions);
}

int JitCompiler::kernel_count() const { return session_->kernel_count(); }

std::string OptimizedIr(const tir::Function& function) {
  const auto machine = MakeMachine(*FindHostTarget(kNativeTarget));
  OwnedModule emitted = EmitModule(function, *machine, /*keep_names=*/true);
  Optimize(*emitted.module, *machine);
  return ToText(*emitted.module);
}

}  // namespace cosim::cpu
