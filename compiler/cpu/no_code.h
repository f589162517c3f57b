// SPDX-License-Identifier: Apache-2.0
// The compiler of runs that compute nothing: kernels are names that cannot run, and what is known of a host
// step is its work. Takes none of the time that code takes.
#pragma once

#include <vector>

#include "compiler/cpu/compiler.h"
#include "runtime/cpu_object.h"

namespace cosim::cpu {

class NoCodeCompiler final : public CpuCompiler {
 public:
  std::vector<runtime::CpuKernelPtr> CompileAll(std::span<const tir::Function> functions) override {
    std::vector<runtime::CpuKernelPtr> kernels;
    for (const tir::Function& function : functions)
      kernels.push_back(std::make_shared<runtime::KernelSymbol>(function.name));
    return kernels;
  }
};

}  // namespace cosim::cpu
