// SPDX-License-Identifier: Apache-2.0
// The scheme for hardware that only shifts: symmetric, one power-of-two scale a tensor. A scale may carry an
// odd factor from a global average pool; everything behind the pool then carries the same.
#include <algorithm>
#include <cmath>

#include "compiler/quantize/graph/fixed_point.h"
#include "compiler/quantize/graph/scheme.h"
#include "compiler/quantize/step_size.h"
#include "isa/check.h"

namespace cosim::graph {
namespace {

/// Finer steps than 2^-40 are never wanted.
constexpr int kFinest = -40;

Quantization Symmetric(double unit, int exponent) {
  return {{static_cast<float>(std::ldexp(unit, exponent))}, 0, 0};
}

class PowerOfTwoScheme : public Scheme {
 public:
  Quantization ChooseInput(const Histogram& values, int levels) const override {
    return Symmetric(1, ChooseExponent(values, 1, kFinest, levels));
  }

  /// Reachable by a right shift: no finer than the accumulator.
  Quantization ChooseResult(const Histogram& values, const std::vector<float>& accumulator_scales,
                            int levels) const override {
    const double unit = accumulator_scales.at(0);
    return Symmetric(unit, ChooseExponent(values, unit, 0, levels));
  }

  Quantization ChooseSymmetric(const Histogram& values, const std::vector<float>& accumulator_scales,
                               int levels) const override {
    return ChooseResult(values, accumulator_scales, levels);
  }

  Quantization ChooseSum(const Histogram& values, const Quantization& a, const Quantization& b,
                         int levels) const override {
    const double unit = a.scales[0], both = unit + b.scales[0];
    const int least = static_cast<int>(std::ceil(std::log2(both / unit / kMostRatio)));
    return Symmetric(unit, ChooseExponent(values, unit, std::max(kFinest, least), levels));
  }

  std::vector<float> ChooseWeight(const Tensor& weight, std::span<const float> bias, float input_scale,
                                  int levels, double most_bias) const override {
    Histogram values;
    values.Add(weight.data<float>());
    double largest_bias = 0;
    for (float b : bias) largest_bias = std::max(largest_bias, std::abs(double{b}));
    // The rest of an int32 is left to the products, so that no hardware adder overflows.
    const double finest = largest_bias / input_scale / most_bias;
    const int n_min =
        finest == 0 ? kFinest : std::max(kFinest, static_cast<int>(std::ceil(std::log2(finest))));
    return Symmetric(1, ChooseExponent(values, 1, n_min, levels)).scales;
  }

  Requantize MakeRequantize(const std::vector<float>& accumulator_scales,
                            const Quantization& result) const override {
    const FixedPoint factor = ToPowerOfTwo(double{accumulator_scales.at(0)} / result.scales[0]);
    COSIM_CHECK(factor.multiplier == 1, "scale {} is not reachable by a right shift", result.scales[0]);
    return {.multiplier = {1}, .shift = {factor.shift}, .zero_point = 0};
  }

  QAdd MakeAdd(const Quantization& a, const Quantization& b, const Quantization& result) const override {
    auto operand = [&](const Quantization& q) {
      const FixedPoint factor = ToPowerOfTwo(double{q.scales[0]} / result.scales[0]);
      return QAdd::Operand{0, factor.multiplier, factor.shift};
    };
    return {operand(a), operand(b), 0};
  }
};

}  // namespace

std::unique_ptr<Scheme> MakePowerOfTwoScheme() { return std::make_unique<PowerOfTwoScheme>(); }

std::unique_ptr<Scheme> MakeScheme(QuantizationScheme scheme, int activation_bits) {
  return scheme == QuantizationScheme::kPerChannel ? MakePerChannelScheme(activation_bits)
                                                   : MakePowerOfTwoScheme();
}

}  // namespace cosim::graph
