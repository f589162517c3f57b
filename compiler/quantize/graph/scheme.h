// SPDX-License-Identifier: Apache-2.0
// What distinguishes one quantization scheme from another: how scales are chosen and how a change of scale is
// written as integers. Walking the graph is left to quantize.cc.
#pragma once

#include <memory>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/quantize/graph/quantize_graph.h"
#include "compiler/quantize/histogram.h"

namespace cosim::graph {

/// Scales of the operands of a sum are together at most so many times its own: terms of int16 fit into int32.
inline constexpr float kMostRatio = 32768;

/// Values have `levels` steps above zero: 127 of int8, fewer than 2^15 of int16.
class Scheme {
 public:
  virtual ~Scheme() = default;

  /// Of a value with these real values that is read from outside.
  virtual Quantization ChooseInput(const Histogram& values, int levels) const = 0;

  /// Of a value with these real values that is requantized from int32 accumulators of scale
  /// `accumulator_scales` (one, or one a channel).
  virtual Quantization ChooseResult(const Histogram& values, const std::vector<float>& accumulator_scales,
                                    int levels) const = 0;

  /// The same with zero point 0, for operands of products that no correction follows.
  virtual Quantization ChooseSymmetric(const Histogram& values, const std::vector<float>& accumulator_scales,
                                       int levels) const = 0;

  /// Of the sum of two values; coarse enough that the terms of a QAdd fit into int32 together.
  virtual Quantization ChooseSum(const Histogram& values, const Quantization& a, const Quantization& b,
                                 int levels) const = 0;

  /// Scales of weights [O,...]: one, or one for each output channel. `bias` has one element an output channel
  /// or none; bias / (scale * input_scale) is at most `most_bias`. Weights have `levels` steps above zero.
  /// Coarser for large biases, never finer than without.
  virtual std::vector<float> ChooseWeight(const Tensor& weight, std::span<const float> bias,
                                          float input_scale, int levels, double most_bias) const = 0;

  /// From accumulators with these scales to `result`, an int8.
  virtual Requantize MakeRequantize(const std::vector<float>& accumulator_scales,
                                    const Quantization& result) const = 0;

  virtual QAdd MakeAdd(const Quantization& a, const Quantization& b, const Quantization& result) const = 0;
};

std::unique_ptr<Scheme> MakePerChannelScheme(int activation_bits);
std::unique_ptr<Scheme> MakePowerOfTwoScheme();

/// The one of `scheme`, for activations of 8 or 16 bits.
std::unique_ptr<Scheme> MakeScheme(QuantizationScheme scheme, int activation_bits);

}  // namespace cosim::graph
