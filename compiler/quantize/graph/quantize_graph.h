// SPDX-License-Identifier: Apache-2.0
// Post-training quantization: from a float graph and calibration inputs to an integer graph. What is fused or
// placed where is decided later; the result spells every step out (convolution, bias, requantize, clip).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler/graph/graph.h"

namespace cosim::graph {

enum class QuantizationScheme : uint8_t {
  /// Weights symmetric for each output channel, activations asymmetric for each tensor, multipliers in [2^30,
  /// 2^31).
  kPerChannel,
  /// Everything symmetric (zero points are 0) with one power-of-two scale for each tensor: Requantize is a
  /// pure right
  /// shift, QAdd multiplies by powers of two. Behind a global average pool of P pixels, scales are powers of
  /// two
  /// divided by P.
  kPowerOfTwo,
};

/// "per_channel" or "power_of_two".
std::string_view Name(QuantizationScheme scheme);

struct QuantizeOptions {
  QuantizationScheme scheme = QuantizationScheme::kPerChannel;
  /// Weights are in [-(2^(weight_bits - 1) - 1), 2^(weight_bits - 1) - 1]; 2..8.
  int weight_bits = 8;
  /// 8 or 16: values are int8, or int16 that stay as near to zero as their sums need (reach.h).
  int activation_bits = 8;
  /// Synthetic inputs to observe the ranges of activations on.
  int calibration_inputs = 4;
  /// Seed of the first of them; the others follow.
  uint64_t seed = 1;
};

/// An integer graph and where it comes from.
struct QuantizedGraph {
  /// Inputs and outputs are int8, or int16, with a quantization each; all operations are integer ones.
  Graph graph;
  /// The float graph it approximates: the source after folding.
  Graph reference;
  /// For each value of `reference`, the quantized value of `graph` that stands for it; -1 where there is none
  /// (weights, and sums that only exist in int32).
  std::vector<ValueId> counterpart;
};

/// Folds `float_graph`, calibrates and quantizes it. Operations it must support: Conv2d and Dense (each with
/// an optional BiasAdd, BatchNorm and Relu behind), ConvTranspose2d alike where the result's extents are
/// multiples of the strides, Add, Sub and Mul (with an optional Relu), Relu, MaxPool, AvgPool, GlobalAvgPool,
/// Flatten, Concat, Pad, DepthToSpace, ResizeNearest, MatMul, Softmax, LayerNorm, Gelu. Anything else is a
/// COSIM_CHECK. A graph moved in is let go of as it is folded.
QuantizedGraph QuantizeGraph(Graph float_graph, const QuantizeOptions& options);

}  // namespace cosim::graph
