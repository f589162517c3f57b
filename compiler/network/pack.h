// SPDX-License-Identifier: Apache-2.0
// Constants in the forms the accelerator reads: weights by tiles, parameters by channel records, biases as
// accumulators.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/network/geometry.h"
#include "compiler/schedules/accel/array.h"
#include "isa/spec/spec.h"

namespace cosim::network {

/// Weights of a convolution (row-major) in the order of compiler/schedules/accel/kernel.h; zeros where there
/// are none. `unrolled`: the window is unrolled into the channels, counted tap by tap (ky, kx, i), which fill
/// blocks of so many; 0: it is not. Each is the sum of `parts` (Window::parts).
std::vector<uint8_t> PackWeights(const isa::Spec& spec, const Array& array, const ConvView& view,
                                 int64_t unrolled, int64_t parts);

/// The same of a depthwise convolution, an element of Array::lanes for each block and tap.
std::vector<uint8_t> PackLaneWeights(const isa::Spec& spec, const Array& array, const ConvView& view);

/// One value a channel; a single one stands for all.
struct ChannelParameters {
  std::vector<int32_t> bias, multiplier, shift;
};

/// Records of the parameter memory for `channels` channels, rounded up to whole layout blocks.
std::vector<uint8_t> PackParameters(const isa::Spec& spec, const Array& array,
                                    const ChannelParameters& parameters, int64_t channels);

/// Biases as accumulator elements, the same for each row of a tile, rounded up to whole layout blocks.
std::vector<uint8_t> PackBias(const isa::Spec& spec, const Array& array, std::span<const int32_t> bias);

}  // namespace cosim::network
