// SPDX-License-Identifier: Apache-2.0
// Tensor expressions and schedules of the accelerator's kernels: sums of a kind (kernel_template.h) and what
// follows them. Values stand in DRAM as [N / batch][groups][C / layout block][H][W][elements of a
// block][batch][lanes]; weights as [groups][O / layout block][elements][I / layout
// block][elements][KH][KW][block_out][block_in], the last two as the array's elements have them, of a
// depthwise convolution as [C / layout block][elements][KH] [KW][lanes]; parameters one record a channel.
// What a kernel does with the accumulators at the end is its epilogue, the same for all, and what an
// operation computes is ops::Element's.
#pragma once

#include <string>
#include <vector>

#include "compiler/schedules/accel/epilogue.h"
#include "compiler/schedules/accel/kernel_template.h"
#include "compiler/te/schedule.h"
#include "compiler/tir/ir.h"
#include "isa/spec/spec.h"

namespace cosim::kernels {

/// A kernel's parameters in DRAM, in the order of the function's. kFeeder…: of the convolution before, in a
/// kernel of two.
enum class Role {
  kInput,
  kWeights,
  kParameters,
  kBias,
  kTable,
  kResidual,
  kOutput,
  kFeederWeights,
  kFeederParameters
};

/// Sums of a kind over a window, and what is done with them.
struct Computation {
  const KernelTemplate* kind = &Map();
  Window window;
  Epilogue epilogue;
};

struct KernelTe {
  tir::Function function;
  std::vector<Role> roles;
};

/// Whether a kernel loads the parameters of all its channels once; otherwise each tile brings its own.
/// `feeder`: the window of the convolution before, in a kernel of two.
bool ParametersResident(const isa::Spec& spec, const Array& array, const Window& window,
                        const Window* feeder = nullptr);

/// With a `feeder`, `what` reads its results where they are computed, in the memory of the array's
/// activations: they never stand in DRAM. A tile then takes all its channels and pixels of the feeder,
/// `tile.ci` blocks at a time, and computes them anew for each tile of channels of its own.
KernelTe BuildKernel(const isa::Spec& spec, const Array& array, const std::string& name,
                     const Computation& what, const Tile& tile, const Computation* feeder = nullptr);

}  // namespace cosim::kernels
