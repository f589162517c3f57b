// SPDX-License-Identifier: Apache-2.0
// Loop IR functions as code for this machine: LLVM optimises and an ORC session holds the result. What the
// functions compute is ops/'s business, how they become LLVM IR codegen.h's.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/cpu/compiler.h"
#include "compiler/cpu/host_target.h"

namespace cosim::cpu {

class Session;

/// Compiles on several threads, for a target that RunsHere. Thread-safe; kernels stay valid after their
/// compiler is gone.
class JitCompiler final : public CpuCompiler {
 public:
  explicit JitCompiler(const HostTarget& target = *FindHostTarget(kNativeTarget),
                       schedules::ContractionSchedules schedules = {});

  schedules::CpuTarget target() const override;
  const schedules::ContractionSchedules& schedules() const override { return schedules_; }
  std::vector<runtime::CpuKernelPtr> CompileAll(std::span<const tir::Function> functions) override;
  /// How many different kernels have been compiled.
  int kernel_count() const;

 private:
  std::shared_ptr<Session> session_;
  schedules::ContractionSchedules schedules_;
};

/// The LLVM IR of `function` after optimisation for this CPU, for people and tests.
std::string OptimizedIr(const tir::Function& function);

}  // namespace cosim::cpu
