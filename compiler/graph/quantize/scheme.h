// SPDX-License-Identifier: Apache-2.0
// What distinguishes one quantization scheme from another: how scales are chosen and how a change of scale is
// written as integers. Walking the graph is left to quantize.cc.
#pragma once

#include <memory>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/graph/quantize/histogram.h"
#include "compiler/graph/quantize/quantize.h"

namespace cosim::graph {

class Scheme {
 public:
  virtual ~Scheme() = default;

  /// Of an int8 value with these real values that is read from outside.
  virtual Quantization ChooseInput(const Histogram& values) const = 0;

  /// Of an int8 value with these real values that is requantized from int32 accumulators of scale
  /// `accumulator_scales` (one, or one a channel).
  virtual Quantization ChooseResult(const Histogram& values,
                                    const std::vector<float>& accumulator_scales) const = 0;

  /// The same with zero point 0, for operands of products that no correction follows.
  virtual Quantization ChooseSymmetric(const Histogram& values,
                                       const std::vector<float>& accumulator_scales) const = 0;

  /// Of the int8 sum of two int8 values.
  virtual Quantization ChooseSum(const Histogram& values, const Quantization& a,
                                 const Quantization& b) const = 0;

  /// Scales of weights [O,...]: one, or one for each output channel. `bias` has one element an output channel
  /// or none; bias / (scale * input_scale) must be well inside of int32. Weights have `levels` steps above
  /// zero.
  virtual std::vector<float> ChooseWeight(const Tensor& weight, std::span<const float> bias,
                                          float input_scale, int levels) const = 0;

  /// From accumulators with these scales to `result`.
  virtual Requantize MakeRequantize(const std::vector<float>& accumulator_scales,
                                    const Quantization& result) const = 0;

  virtual QAdd MakeAdd(const Quantization& a, const Quantization& b, const Quantization& result) const = 0;
};

std::unique_ptr<Scheme> MakePerChannelScheme();
std::unique_ptr<Scheme> MakePowerOfTwoScheme();

/// The one of `scheme`.
std::unique_ptr<Scheme> MakeScheme(QuantizationScheme scheme);

}  // namespace cosim::graph
