// SPDX-License-Identifier: Apache-2.0
#include "compiler/cpu/host_target.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>

#include <algorithm>
#include <mutex>
#include <ranges>

#include "isa/check.h"
#include "runtime/cpu_object.h"

namespace cosim::cpu {
namespace {

constexpr const char* kX86 = "x86_64-unknown-linux-gnu";
constexpr const char* kArm = "armv7a-unknown-linux-gnueabihf";
constexpr const char* kArm64 = "aarch64-unknown-linux-gnu";

// Of one architecture, least first.
const std::vector<HostTarget>& NamedTargets() {
  static const std::vector<HostTarget> targets = {
      {"x86-64-v2", "x86_64", kX86, "x86-64-v2", ""},
      {"x86-64-v3", "x86_64", kX86, "x86-64-v3", ""},
      {"x86-64-v4", "x86_64", kX86, "x86-64-v4", ""},
      {"armv7", "arm", kArm, "cortex-a9", "+neon"},  // a Zynq-7000's
      {"aarch64", "aarch64", kArm64, "generic", "+neon"},
      {"aarch64-dotprod", "aarch64", kArm64, "generic", "+neon,+dotprod"},
  };
  return targets;
}

HostTarget NativeTarget() {
  llvm::SubtargetFeatures features;
  for (const auto& feature : llvm::sys::getHostCPUFeatures())
    features.AddFeature(feature.first(), feature.second);
  return {kNativeTarget, std::string(runtime::HostArchitecture()), llvm::sys::getProcessTriple(),
          llvm::sys::getHostCPUName().str(), features.getString()};
}

void InitializeTargets() {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    // This machine's and those named above: the others' tables take memory.
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeARMTargetInfo();
    LLVMInitializeARMTarget();
    LLVMInitializeARMTargetMC();
    LLVMInitializeARMAsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
  });
}

}  // namespace

std::vector<std::string> HostTargets() {
  std::vector<std::string> names = {kNativeTarget};
  for (const HostTarget& target : NamedTargets()) names.push_back(target.name);
  return names;
}

std::optional<HostTarget> FindHostTarget(std::string_view name) {
  if (name == kNativeTarget) return NativeTarget();
  const auto at = std::ranges::find(NamedTargets(), name, &HostTarget::name);
  return at == NamedTargets().end() ? std::nullopt : std::optional(*at);
}

bool RunsHere(const HostTarget& target) {
  return target.name == kNativeTarget ||
         (target.architecture == runtime::HostArchitecture() && runtime::HostHas(target.name));
}

HostTarget ObjectTarget(const HostTarget& target) {
  if (target.name != kNativeTarget) return target;
  for (const HostTarget& named : NamedTargets() | std::views::reverse)
    if (RunsHere(named)) return named;
  COSIM_CHECK(false, "no code can be made for {}", runtime::HostArchitecture());
  return target;
}

std::string DefaultObjectTarget() {
  if (runtime::HostArchitecture() == "arm") return "armv7";
  return runtime::HostArchitecture() == "aarch64" ? "aarch64" : "x86-64-v3";
}

std::unique_ptr<llvm::TargetMachine> MakeMachine(const HostTarget& target) {
  InitializeTargets();
  std::string error;
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(target.triple, error);
  COSIM_CHECK(found, "LLVM: {}", error);
  llvm::TargetOptions options;
  if (target.architecture == "arm") options.FloatABIType = llvm::FloatABI::Hard;
  return std::unique_ptr<llvm::TargetMachine>(
      found->createTargetMachine(target.triple, target.cpu, target.features, options, llvm::Reloc::PIC_,
                                 llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
}

schedules::CpuTarget TargetOf(const llvm::TargetMachine& machine) {
  using schedules::Dot;
  const llvm::Triple::ArchType architecture = machine.getTargetTriple().getArch();
  const auto has = [&](const char* feature) { return machine.getMCSubtargetInfo()->checkFeatures(feature); };
  if (architecture == llvm::Triple::aarch64)
    return {.vector_bits = 128,
            .vector_registers = 32,
            .dot = has("+dotprod") ? Dot::kSignedQuads : Dot::kSingles};
  if (architecture == llvm::Triple::arm && has("+neon"))
    return {.vector_bits = 128, .vector_registers = 16, .dot = Dot::kSingles};
  if (architecture != llvm::Triple::x86_64) return {};
  if (has("+avx512f,+avx512bw,+avx512vl"))
    return {
        .vector_bits = 512, .vector_registers = 32, .dot = has("+avx512vnni") ? Dot::kQuads : Dot::kPairs};
  if (has("+avx2,+fma")) return {.vector_bits = 256, .vector_registers = 16, .dot = Dot::kPairs};
  return {.vector_bits = 128, .vector_registers = 16, .dot = Dot::kPairs};
}

schedules::CpuTarget TargetOf(const HostTarget& target) { return TargetOf(*MakeMachine(target)); }

}  // namespace cosim::cpu
