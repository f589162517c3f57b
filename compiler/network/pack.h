// SPDX-License-Identifier: Apache-2.0
// Constants in the forms the accelerator reads: weights by tiles, parameters by channel records, biases as
// accumulators.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/layouts/relayout.h"
#include "compiler/network/geometry.h"
#include "compiler/schedules/accel/array.h"
#include "isa/spec/spec.h"

namespace cosim::network {

/// How the numbers of a layout's [O, I, KH, KW] are those of a convolution.
struct WeightOrder {
  int64_t together = 1;   ///< groups of the graph whose channels follow each other in one of the kernel's
  bool unrolled = false;  ///< the window is in the channels, counted tap by tap (ky, kx, i)
  int64_t parts = 1;      ///< of which each weight is the sum (Window::parts)
};

/// How many bytes the functions below pack.
int64_t WeightBytes(const isa::Memory& memory, const layouts::Layout& layout);
int64_t ParameterBytes(const isa::Spec& spec, const Array& array, int64_t channels);
int64_t BiasBytes(const isa::Spec& spec, const Array& array, int64_t channels);

/// Weights of a convolution where a kernel's layout has them (KernelTemplate::Weights); zeros where there are
/// none. A layout without channels that are summed over has one for each output.
std::vector<uint8_t> PackWeights(const isa::Memory& memory, const layouts::Layout& layout,
                                 const ConvView& view, const WeightOrder& order);

/// `size` elements of `size` lanes: 1 where the lane is the element's number, else 0.
std::vector<uint8_t> PackIdentity(const isa::Memory& memory, int64_t size);

/// One value a channel; a single one stands for all.
struct ChannelParameters {
  std::vector<int32_t> bias, multiplier, shift;
};

/// Records of the parameter memory for `channels` channels, rounded up to whole layout blocks.
std::vector<uint8_t> PackParameters(const isa::Spec& spec, const Array& array,
                                    const ChannelParameters& parameters, int64_t channels);

/// A function of a value, `values` from the least one on, in the order of its bits read without a sign.
std::vector<uint8_t> PackTable(const isa::Spec& spec, const Array& array, std::span<const int32_t> values);

/// Biases as accumulator elements, the same for each row of a tile, rounded up to whole layout blocks.
std::vector<uint8_t> PackBias(const isa::Spec& spec, const Array& array, std::span<const int32_t> bias);

}  // namespace cosim::network
