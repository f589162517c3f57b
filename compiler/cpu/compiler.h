// SPDX-License-Identifier: Apache-2.0
// Who turns loop IR functions into kernels: a JIT for now and here (jit.h), or an object for a file and
// another day (object.h).
#pragma once

#include <span>
#include <vector>

#include "compiler/schedules/cpu/contraction.h"
#include "compiler/tir/ir.h"
#include "runtime/cpu_kernel.h"

namespace cosim::cpu {

class CpuCompiler {
 public:
  virtual ~CpuCompiler() = default;
  /// What schedules may count on. Unknown: portable loops.
  virtual schedules::CpuTarget target() const { return {}; }
  /// What was found for some contractions on that target.
  virtual const schedules::ContractionSchedules& schedules() const {
    static const schedules::ContractionSchedules none;
    return none;
  }
  /// One kernel a function. Functions that differ in names only share their code, however often they are
  /// compiled.
  virtual std::vector<runtime::CpuKernelPtr> CompileAll(std::span<const tir::Function> functions) = 0;
  runtime::CpuKernelPtr Compile(const tir::Function& function) { return CompileAll({&function, 1}).front(); }
};

}  // namespace cosim::cpu
