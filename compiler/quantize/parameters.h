// SPDX-License-Identifier: Apache-2.0
// Scales, zero points and what rounding makes of weights and biases: the arithmetic of quantization, defined
// once for graphs and for files. Which range a tensor should cover is step_size.h's and range.h's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/graph/graph.h"

namespace cosim::quantize {

/// Which elements of weights share a scale: those of one index of `axis`, or all.
struct Channels {
  int64_t axis = 0, count = 1, inner = 1;
  int64_t Of(int64_t element) const { return element / inner % count; }
};
Channels ChannelsAlong(const graph::Shape& shape, size_t axis);
inline Channels AllTogether(const graph::Shape& shape) { return {0, 1, graph::NumElements(shape)}; }

/// No bias is further from zero, in steps: requantization is exact for sums of 29 bits, which leaves as much
/// again for the products.
inline constexpr double kMostBias = 1 << 28;

/// Steps from the least int8 to the largest.
inline constexpr int kSteps = 255;

/// Of int8 values that reach kSteps of `scale` up from `lo`, which is not above 0. A scale of nothing, of
/// what is always zero, counts as 1.
graph::Quantization Asymmetric(double lo, double scale);

/// Scales of weights, one a channel: the largest becomes `levels`, and no bias is further from zero than
/// `most_bias` steps of scale * input_scale. `bias` has an element an output, whose channel is its number
/// modulo those there are, or none. No scale is below `least`. Channels of zeros, whose scale does not
/// matter, have one to divide by.
std::vector<float> WeightScales(const graph::Tensor& weight, const Channels& channels,
                                std::span<const float> bias, float input_scale, int levels, double most_bias,
                                float least = 0);

/// The first scale from `scale` on for which no sum times input * scale / output, as floats, is a tie that a
/// byte can be: ONNX rounds those to even and accelerators up. It is a few units in the last place away.
float WithoutTies(float scale, float input, float output);

/// Weights in steps of their channels' scales (or of the only one), symmetric in [-levels, levels].
graph::Tensor QuantizeWeight(const graph::Tensor& weight, const Channels& channels,
                             const std::vector<float>& scales, int levels);

/// Biases in steps of `scales` (by output modulo how many there are), within int32 without its least value.
std::vector<int32_t> QuantizeBias(std::span<const float> bias, const std::vector<float>& scales);

}  // namespace cosim::quantize
