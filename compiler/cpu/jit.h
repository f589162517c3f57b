// SPDX-License-Identifier: Apache-2.0
// Loop IR functions as code for this machine: LLVM optimises and an ORC session holds the result. What the
// functions compute is ops/'s business, how they become LLVM IR codegen.h's.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/tir/ir.h"
#include "runtime/cpu_kernel.h"

namespace cosim::cpu {

class Session;

/// Compiles for the CPU it runs on. Functions that differ in names only share their code, however often they
/// are compiled. Thread-safe; kernels stay valid after their compiler is gone.
class CpuCompiler {
 public:
  CpuCompiler();

  runtime::CpuKernelPtr Compile(const tir::Function& function);
  /// As Compile on each, but on several threads.
  std::vector<runtime::CpuKernelPtr> CompileAll(std::span<const tir::Function> functions);
  /// How many different kernels have been compiled.
  int kernel_count() const;

 private:
  std::shared_ptr<Session> session_;
};

/// The LLVM IR of `function` after optimisation for this CPU, for people and tests.
std::string OptimizedIr(const tir::Function& function);

}  // namespace cosim::cpu
