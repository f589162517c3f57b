// SPDX-License-Identifier: Apache-2.0
// The scheme for hardware that multiplies: a weight scale for each output channel, activations with a zero
// point where they are int8.
#include <algorithm>
#include <cmath>

#include "compiler/quantize/graph/fixed_point.h"
#include "compiler/quantize/graph/scheme.h"
#include "compiler/quantize/parameters.h"
#include "compiler/quantize/step_size.h"

namespace cosim::graph {
namespace {

class PerChannelScheme : public Scheme {
 public:
  explicit PerChannelScheme(int activation_bits) : symmetric_(activation_bits > 8) {}

  Quantization ChooseInput(const Histogram& values, int levels) const override {
    if (symmetric_) return Symmetric(values, levels);
    const Range range = ChooseRange(values, quantize::kSteps);
    return quantize::Asymmetric(range.lo, Coarse((range.hi - range.lo) / quantize::kSteps));
  }

  Quantization ChooseResult(const Histogram& values, const std::vector<float>&, int levels) const override {
    return ChooseInput(values, levels);
  }

  Quantization ChooseSymmetric(const Histogram& values, const std::vector<float>&,
                               int levels) const override {
    return Symmetric(values, levels);
  }

  Quantization ChooseSum(const Histogram& values, const Quantization& a, const Quantization& b,
                         int levels) const override {
    Quantization sum = ChooseInput(values, levels);
    sum.scales[0] = std::max(sum.scales[0], (a.scales[0] + b.scales[0]) / kMostRatio);
    return sum;
  }

  std::vector<float> ChooseWeight(const Tensor& weight, std::span<const float> bias, float input_scale,
                                  int levels, double most_bias) const override {
    const auto channels = quantize::ChannelsAlong(weight.shape(), 0);
    return quantize::WeightScales(weight, channels, bias, input_scale, levels, most_bias);
  }

  Requantize MakeRequantize(const std::vector<float>& accumulator_scales,
                            const Quantization& result) const override {
    Requantize op{.multiplier = {}, .shift = {}, .zero_point = result.zero_point};
    for (float scale : accumulator_scales) {
      const FixedPoint factor = ToFixedPoint(double{scale} / result.scales[0]);
      op.multiplier.push_back(factor.multiplier);
      op.shift.push_back(factor.shift);
    }
    return op;
  }

  QAdd MakeAdd(const Quantization& a, const Quantization& b, const Quantization& result) const override {
    auto operand = [&](const Quantization& q) {
      const FixedPoint factor = ToFixedPoint(double{q.scales[0]} / result.scales[0]);
      return QAdd::Operand{q.zero_point, factor.multiplier, factor.shift};
    };
    return {operand(a), operand(b), result.zero_point};
  }

 private:
  static Quantization Symmetric(const Histogram& values, int levels) {
    const Range range = ChooseRange(values, 2 * levels + 1);
    const double scale = Coarse(std::max(-range.lo, range.hi) / levels);
    return {{scale == 0 ? 1.0f : static_cast<float>(scale)}, 0, 0};
  }

  bool symmetric_;
};

}  // namespace

std::unique_ptr<Scheme> MakePerChannelScheme(int activation_bits) {
  return std::make_unique<PerChannelScheme>(activation_bits);
}

}  // namespace cosim::graph
