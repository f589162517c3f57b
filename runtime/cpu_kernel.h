// SPDX-License-Identifier: Apache-2.0
// How the runtime sees code for the host: a function over arrays. Who made it (a JIT on a workstation, an
// object file on a board without LLVM) is not its business.
#pragma once

#include <memory>
#include <span>

#include "runtime/parallel.h"

namespace cosim::runtime {

class CpuKernel {
 public:
  virtual ~CpuKernel() = default;
  /// Computes outputs from inputs. `args` are the arrays in the order of the parameters the kernel was
  /// compiled from (inputs, then outputs), dense and row-major, each aligned to its element type; no output
  /// may overlap another array. May be called from several threads at once.
  void Run(std::span<void* const> args) const { RunOn(args, Serial()); }
  /// … with loops of independent rounds shared out by `parallel`.
  virtual void RunOn(std::span<void* const> args, const Parallel& parallel) const = 0;
};

using CpuKernelPtr = std::shared_ptr<const CpuKernel>;

}  // namespace cosim::runtime
