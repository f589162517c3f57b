// SPDX-License-Identifier: Apache-2.0
// How the runtime sees code for the host: a function over arrays. Who made it (a JIT on a workstation, an
// object file on a board without LLVM) is not its business.
#pragma once

#include <memory>
#include <span>

namespace cosim::runtime {

class CpuKernel {
 public:
  virtual ~CpuKernel() = default;
  /// Computes outputs from inputs. `args` are the arrays in the order of the parameters the kernel was
  /// compiled from (inputs, then outputs), dense and row-major, each aligned to its element type; no output
  /// may overlap another array. May be called from several threads at once.
  virtual void Run(std::span<void* const> args) const = 0;
};

using CpuKernelPtr = std::shared_ptr<const CpuKernel>;

}  // namespace cosim::runtime
