// SPDX-License-Identifier: Apache-2.0
// The scheme for hardware that multiplies: a weight scale for each output channel, activations with a zero
// point where they are int8.
#include <algorithm>
#include <cmath>

#include "compiler/graph/quantize/fixed_point.h"
#include "compiler/graph/quantize/scheme.h"
#include "compiler/graph/quantize/step_size.h"

namespace cosim::graph {
namespace {

class PerChannelScheme : public Scheme {
 public:
  explicit PerChannelScheme(int activation_bits) : symmetric_(activation_bits > 8) {}

  Quantization ChooseInput(const Histogram& values, int levels) const override {
    if (symmetric_) return Symmetric(values, levels);
    const Range range = ChooseRange(values, 255);
    const double scale = Coarse((range.hi - range.lo) / 255);
    if (scale == 0) return {{1.0f}, 0, 0};
    const double zero_point = std::clamp(std::floor(-128 - range.lo / scale + 0.5), -128.0, 127.0);
    return {{static_cast<float>(scale)}, static_cast<int32_t>(zero_point), 0};
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
    const auto w = weight.data<float>();
    const int64_t channels = weight.shape()[0], taps = weight.size() / channels;
    std::vector<float> scales(channels);
    for (int64_t c = 0; c < channels; ++c) {
      float largest = 0;
      for (int64_t t = c * taps; t < (c + 1) * taps; ++t) largest = std::max(largest, std::abs(w[t]));
      scales[c] = largest / static_cast<float>(levels);
      // Tiny weights beside a large bias: the bias must still fit.
      if (!bias.empty())
        scales[c] = std::max(scales[c], std::abs(bias[c]) / input_scale / static_cast<float>(most_bias));
    }
    // A channel of zeros has no scale of its own; any will do.
    const float any = *std::max_element(scales.begin(), scales.end());
    for (float& scale : scales) {
      if (scale == 0) scale = any == 0 ? 1 : any;
    }
    return scales;
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
