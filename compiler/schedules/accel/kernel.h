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

/// A kernel's parameters in DRAM, in the order of the function's.
enum class Role { kInput, kWeights, kParameters, kBias, kResidual, kOutput };

struct KernelTe {
  tir::Function function;
  std::vector<Role> roles;
};

/// Whether a kernel loads the parameters of all its channels once; otherwise each tile brings its own.
bool ParametersResident(const isa::Spec& spec, const Array& array, const Window& window);

KernelTe BuildKernel(const isa::Spec& spec, const Array& array, const std::string& name,
                     const KernelTemplate& kind, const Window& window, const Epilogue& epilogue,
                     const Tile& tile);

}  // namespace cosim::kernels
