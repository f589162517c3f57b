// SPDX-License-Identifier: Apache-2.0
// Layers with weights scaled after He, and the propagation of expected means and variances.
#include "compiler/graph/zoo/network_builder.h"

#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "compiler/graph/mapped.h"

namespace cosim::graph::zoo {
namespace {

/// To a multiple of 2^-10: the last bits of erf and exp differ between C libraries and must not reach the
/// weights.
double Coarse(double x) { return std::floor(x * 1024 + 0.5) / 1024; }

}  // namespace

int64_t NetworkBuilder::Channels(int64_t channels) const {
  if (width_ == 1) return channels;
  const double wanted = static_cast<double>(channels) * width_;
  const auto rounded = std::max<int64_t>(8, static_cast<int64_t>(wanted + 4) / 8 * 8);
  return static_cast<double>(rounded) < 0.9 * wanted ? rounded + 8 : rounded;
}

Flow NetworkBuilder::Input(const std::string& name, Shape shape) {
  return {graph_.AddInput(name, {DType::kFloat32, std::move(shape)}), 0, 1};
}

/// Bell-shaped weights of variance gain / fan-in whose mean over each output channel is 0, as trained filters
/// nearly have it. Without that, the positive mean behind a relu would make channels constant, deeper ones
/// more so.
ValueId NetworkBuilder::Weight(const std::string& name, Shape shape, double gain) {
  const int64_t fan_in = NumElements(shape) / shape[0];
  const float scale =
      static_cast<float>(std::sqrt(gain / static_cast<double>(fan_in))) / Random::kBellDeviation;
  auto weight = ReserveMapped<float>(NumElements(shape));
  std::vector<int32_t> row(fan_in);
  for (int64_t c = 0; c < shape[0]; ++c) {
    random_.Bells(row);
    const int32_t mean = static_cast<int32_t>(std::accumulate(row.begin(), row.end(), int64_t{0}) / fan_in);
    weight.resize((c + 1) * fan_in);
    for (int64_t i = 0; i < fan_in; ++i) weight[c * fan_in + i] = static_cast<float>(row[i] - mean) * scale;
  }
  return graph_.AddConstant(name, Tensor(std::move(shape), std::move(weight)));
}

ValueId NetworkBuilder::Vector(const std::string& name, int64_t size, float lo, float hi) {
  std::vector<float> data(size);
  for (float& v : data) v = random_.Uniform(lo, hi);
  return graph_.AddConstant(name, Tensor(Shape{size}, std::move(data)));
}

Flow NetworkBuilder::Conv(const std::string& name, Flow x, int64_t channels, int64_t kernel, Conv2d op,
                          double gain) {
  const ValueId weight =
      Weight(name + ".weight", {channels, ShapeOf(x)[1] / op.groups, kernel, kernel}, gain);
  return {graph_.Add(name, op, {x.value, weight}), 0, gain * x.variance};
}

/// Every pixel of the result meets one tap in stride * stride.
Flow NetworkBuilder::ConvTranspose(const std::string& name, Flow x, int64_t channels, int64_t kernel,
                                   ConvTranspose2d op) {
  const double phases = static_cast<double>(op.stride[0] * op.stride[1]);
  const ValueId weight = Weight(name + ".weight", {channels, ShapeOf(x)[1], kernel, kernel}, kGain * phases);
  return {graph_.Add(name, op, {x.value, weight}), 0, kGain * x.variance};
}

Flow NetworkBuilder::ConvBias(const std::string& name, Flow x, int64_t channels, int64_t kernel, Conv2d op,
                              double gain) {
  const Flow product = Conv(name, x, channels, kernel, op, gain);
  const float deviation = static_cast<float>(Coarse(std::sqrt(product.variance)));
  const ValueId bias = Vector(name + ".bias", channels, -0.1f * deviation, 0.1f * deviation);
  return {graph_.Add(name + ".bias_add", BiasAdd{}, {product.value, bias}), product.mean, product.variance};
}

/// The tap in the middle lets each channel through, the others are noise beside it: a filter of noise alone,
/// of mean 0, would leave next to nothing of smooth channels.
Flow NetworkBuilder::Depthwise(const std::string& name, Flow x, int64_t kernel, Conv2d op) {
  const int64_t channels = ShapeOf(x)[1], taps = kernel * kernel;
  constexpr float kMiddle = 1, kOthers = 0.15f;
  std::vector<float> weight(channels * taps);
  for (int64_t i = 0; i < channels * taps; ++i) {
    weight[i] = static_cast<float>(random_.Bell()) * (kOthers / Random::kBellDeviation);
    if (i % taps == taps / 2) weight[i] += kMiddle;
  }
  op.groups = channels;
  const ValueId w =
      graph_.AddConstant(name + ".weight", Tensor({channels, 1, kernel, kernel}, std::move(weight)));
  const double noise = static_cast<double>(taps) * kOthers * kOthers;
  return {graph_.Add(name, op, {x.value, w}), x.mean, x.variance + noise * (x.variance + x.mean * x.mean)};
}

Flow NetworkBuilder::BatchNorm(const std::string& name, Flow x) {
  const int64_t channels = ShapeOf(x)[1];
  const float deviation = static_cast<float>(Coarse(std::sqrt(x.variance)));
  const float variance = deviation * deviation;
  const ValueId gamma = Vector(name + ".weight", channels, 0.7f, 1.3f);
  const ValueId beta = Vector(name + ".bias", channels, -0.3f, 0.3f);
  const float middle = static_cast<float>(x.mean);
  const ValueId mean =
      Vector(name + ".running_mean", channels, middle - 0.2f * deviation, middle + 0.2f * deviation);
  const ValueId var = Vector(name + ".running_var", channels, 0.75f * variance, 1.25f * variance);
  // The spread of gamma, beta and mean adds 0.03 each to the variance.
  return {graph_.Add(name, graph::BatchNorm{}, {x.value, gamma, beta, mean, var}), 0, 1.08};
}

/// Mean and variance of max(x, 0) for a normally distributed x; a cap is beyond what it reaches often.
Flow NetworkBuilder::Relu(const std::string& name, Flow x, float cap) {
  const double deviation = std::sqrt(x.variance), z = x.mean / deviation;
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  const double above = std::erfc(-z / std::numbers::sqrt2) / 2;
  const double mean = x.mean * above + deviation * density;
  const double square = (x.mean * x.mean + x.variance) * above + x.mean * deviation * density;
  return {graph_.Add(name, graph::Relu{cap}, {x.value}), Coarse(mean), Coarse(square - mean * mean)};
}

Flow NetworkBuilder::Add(const std::string& name, Flow a, Flow b) {
  return {graph_.Add(name, graph::Add{}, {a.value, b.value}), a.mean + b.mean, a.variance + b.variance};
}

/// Neighbouring pixels are alike, so the largest of them is about one deviation above their mean.
Flow NetworkBuilder::MaxPool(const std::string& name, Flow x, graph::MaxPool op) {
  return {graph_.Add(name, op, {x.value}), Coarse(x.mean + std::sqrt(x.variance)), x.variance};
}

Flow NetworkBuilder::Concat(const std::string& name, const std::vector<Flow>& parts) {
  std::vector<ValueId> values;
  Flow whole{0, 0, 0};
  for (const Flow& part : parts) {
    values.push_back(part.value);
    whole.mean += part.mean / static_cast<double>(parts.size());
    whole.variance += part.variance / static_cast<double>(parts.size());
  }
  whole.value = graph_.Add(name, graph::Concat{}, std::move(values));
  return whole;
}

Flow NetworkBuilder::Scores(const std::string& name, Flow queries, Flow keys, int64_t heads) {
  const int64_t channels = ShapeOf(queries)[1] / heads;
  const double depth = static_cast<double>(channels);
  return {graph_.Add(name, MatMul{.groups = heads}, {queries.value, keys.value}), 0,
          depth * queries.variance * keys.variance};
}

Flow NetworkBuilder::Softmax(const std::string& name, Flow scores, int64_t heads) {
  const double share = static_cast<double>(heads) / static_cast<double>(ShapeOf(scores)[1]);
  return {graph_.Add(name, graph::Softmax{.groups = heads}, {scores.value}), share, share * share};
}

/// A few shares are much larger than the others: most of the variance stays.
Flow NetworkBuilder::Attend(const std::string& name, Flow shares, Flow values, int64_t heads) {
  return {graph_.Add(name, MatMul{.groups = heads, .transpose_b = true}, {shares.value, values.value}),
          values.mean, values.variance / 4};
}

Flow NetworkBuilder::LayerNorm(const std::string& name, Flow x) {
  const ValueId gamma = Vector(name + ".weight", ShapeOf(x)[1], 0.7f, 1.3f);
  const ValueId beta = Vector(name + ".bias", ShapeOf(x)[1], -0.1f, 0.1f);
  return {graph_.Add(name, graph::LayerNorm{}, {x.value, gamma, beta}), 0, 1.03};
}

/// As a relu's, nearly.
Flow NetworkBuilder::Gelu(const std::string& name, Flow x) {
  return {graph_.Add(name, graph::Gelu{}, {x.value}), Coarse(0.4 * std::sqrt(x.variance)), 0.35 * x.variance};
}

/// Far pixels are not alike: the mean over the image varies less than a pixel does.
Flow NetworkBuilder::GlobalAvgPool(const std::string& name, Flow x) {
  return {graph_.Add(name, graph::GlobalAvgPool{}, {x.value}), x.mean, x.variance / 4};
}

Flow NetworkBuilder::Flatten(const std::string& name, Flow x) {
  return {graph_.Add(name, graph::Flatten{}, {x.value}), x.mean, x.variance};
}

Flow NetworkBuilder::Linear(const std::string& name, Flow x, int64_t features) {
  const ValueId weight = Weight(name + ".weight", {features, ShapeOf(x)[1]});
  const ValueId bias = Vector(name + ".bias", features, -0.1f, 0.1f);
  const ValueId product = graph_.Add(name, Dense{}, {x.value, weight});
  return {graph_.Add(name + ".bias_add", BiasAdd{}, {product, bias}), 0, kGain * x.variance};
}

Flow NetworkBuilder::ConvNorm(const std::string& conv, const std::string& norm, Flow x, int64_t channels,
                              int64_t kernel, Conv2d op) {
  return BatchNorm(norm, Conv(conv, x, channels, kernel, op));
}

Graph NetworkBuilder::Finish(Flow output) {
  graph_.SetOutputs({output.value});
  return std::move(graph_);
}

}  // namespace cosim::graph::zoo
