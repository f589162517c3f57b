// SPDX-License-Identifier: Apache-2.0
#include "compiler/quantize/parameters.h"

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace cosim::quantize {

using graph::Tensor;

namespace {

constexpr float kLeastScale = 1e-30f;  // what a reader can divide by

/// Calls f(channel, first element, number of neighbours) for all elements.
template <typename F>
void ForEachRun(const Tensor& weight, const Channels& channels, F f) {
  for (int64_t i = 0; i < weight.size(); i += channels.inner) f(channels.Of(i), i, channels.inner);
}

}  // namespace

Channels ChannelsAlong(const graph::Shape& shape, size_t axis) {
  Channels channels{static_cast<int64_t>(axis), shape.at(axis), 1};
  for (size_t d = axis + 1; d < shape.size(); ++d) channels.inner *= shape[d];
  return channels;
}

graph::Quantization Asymmetric(double lo, double scale) {
  if (scale <= kLeastScale) return {{1.0f}, 0, 0};
  const double zero_point = std::clamp(std::floor(-128 - lo / scale + 0.5), -128.0, 127.0);
  return {{static_cast<float>(scale)}, static_cast<int32_t>(zero_point), 0};
}

std::vector<float> WeightScales(const Tensor& weight, const Channels& channels, std::span<const float> bias,
                                float input_scale, int levels, double most_bias, float least) {
  std::vector<float> scales(channels.count, 0);
  const auto w = weight.data<float>();
  ForEachRun(weight, channels, [&](int64_t channel, int64_t first, int64_t count) {
    const Eigen::Map<const Eigen::ArrayXf> run(&w[first], count);
    scales[channel] = std::max(scales[channel], run.abs().maxCoeff());
  });
  for (float& scale : scales) scale /= static_cast<float>(levels);
  // Tiny weights beside a large bias: the bias must still fit.
  for (size_t i = 0; i < bias.size(); ++i) {
    float& scale = scales[i % scales.size()];
    scale = std::max(scale, std::abs(bias[i]) / input_scale / static_cast<float>(most_bias));
  }
  const float any = *std::max_element(scales.begin(), scales.end());
  for (float& scale : scales) {
    if (scale <= kLeastScale) scale = any <= kLeastScale ? 1 : any;
    scale = std::max(scale, least);
  }
  return scales;
}

float WithoutTies(float scale, float input, float output) {
  // Ties of a factor odd / 2^k are odd numbers times odd / 2: in a byte only of odd numbers below 512.
  constexpr int kZeros = 24 - 9;
  const auto is_short = [](float factor) {
    const auto bits = std::bit_cast<uint32_t>(factor);
    return std::isnormal(factor) && std::countr_zero(bits | 1u << 23) >= kZeros;
  };
  while (is_short(input * scale / output))
    scale = std::nextafter(scale, std::numeric_limits<float>::infinity());
  return scale;
}

Tensor QuantizeWeight(const Tensor& weight, const Channels& channels, const std::vector<float>& scales,
                      int levels) {
  const auto most = static_cast<float>(levels);
  const auto w = weight.data<float>();
  std::vector<int8_t> q(w.size());
  Eigen::ArrayXf exact;
  Eigen::ArrayXi steps;
  ForEachRun(weight, channels, [&](int64_t channel, int64_t first, int64_t count) {
    exact =
        Eigen::Map<const Eigen::ArrayXf>(&w[first], count) * (1 / scales[scales.size() == 1 ? 0 : channel]);
    // Halves away from zero, by a cast that cuts off what is behind the point.
    steps = (exact + (exact < 0).select(Eigen::ArrayXf::Constant(count, -0.5f), 0.5f))
                .max(-most)
                .min(most)
                .cast<int32_t>();
    std::copy(steps.begin(), steps.end(), q.begin() + first);
  });
  return {weight.shape(), std::move(q)};
}

std::vector<int32_t> QuantizeBias(std::span<const float> bias, const std::vector<float>& scales) {
  constexpr double kLimit = 0x7fffffff;
  std::vector<int32_t> steps;
  for (size_t i = 0; i < bias.size(); ++i) {
    const double exact = double{bias[i]} / scales[i % scales.size()];
    steps.push_back(static_cast<int32_t>(std::clamp(exact + std::copysign(0.5, exact), -kLimit, kLimit)));
  }
  return steps;
}

}  // namespace cosim::quantize
