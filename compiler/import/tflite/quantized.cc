// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's integer convolutions, dense layers and averages: as core operations where those compute
// the same to the bit, as HostOps with the reason where they do not. Other integer operators are in
// pointwise.cc.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/host/movement.h"
#include "compiler/host/numeric.h"
#include "compiler/import/tflite/average.h"
#include "compiler/import/tflite/builder.h"
#include "compiler/import/weights.h"

namespace cosim::import::tflite {

using graph::DType;
using graph::Shape;
using graph::ValueId;
using host::Multiplier;

// What a fused activation leaves of the output's range.
std::optional<Builder::Limits> Builder::LimitsOf(Activation activation, int output) {
  if (!IsInteger(output))
    return Unsupported("an output that is not quantized to bytes, or to int16 without a zero point"),
           std::nullopt;
  const float scale = Info(output).scales[0];
  const Limits range = RangeOf(Info(output).dtype);
  const auto quantized = [&](float real) {
    const double steps = std::round(static_cast<double>(real / scale)) + ZeroPoint(output);
    return static_cast<int32_t>(std::clamp<double>(steps, range.low, range.high));
  };
  switch (activation) {
    case Activation::kNone:
      return range;
    case Activation::kRelu:
      return Limits{quantized(0), range.high};
    case Activation::kRelu6:
      return Limits{quantized(0), quantized(6)};
    case Activation::kRelu0To1:
      return Limits{quantized(0), quantized(1)};
    case Activation::kReluN1To1:
      return Limits{quantized(-1), quantized(1)};
    case Activation::kOther:
      break;
  }
  return Unsupported("its fused activation function is not supported"), std::nullopt;
}

ValueId Builder::Clipped(ValueId value, const Limits& limits, int output) {
  const Limits range = RangeOf(Info(output).dtype);
  if (value < 0 || (limits.low == range.low && limits.high == range.high)) return value;
  return model_.graph.Add(model_.graph.node(value).name + ".clip", graph::Clip{limits.low, limits.high},
                          {value}, QuantizationOf(output));
}

// The factors from products to the output, one or one a channel; empty after reporting.
std::vector<Multiplier> Builder::ConvMultipliers(bool float_product) {
  const int x = op_->inputs[0], w = op_->inputs[1], y = op_->outputs[0];
  if (!IsInteger(x) || !IsByte(w) || Info(w).scales.empty() || !IsInteger(y) ||
      Info(x).dtype != Info(y).dtype || (IsWide(x) && Info(w).dtype != DType::kInt8))
    return Unsupported(fmt::format("{} with weights {} to {}, or one without a scale",
                                   graph::Name(Info(x).dtype), graph::Name(Info(w).dtype),
                                   graph::Name(Info(y).dtype))),
           std::vector<Multiplier>{};
  const DType sums = HasWideSums() ? DType::kInt64 : DType::kInt32;
  if (HasOperand(2) && (Info(op_->inputs[2]).dtype != sums || !Info(op_->inputs[2]).data))
    return Unsupported(fmt::format("a bias that is not a constant {}", graph::Name(sums))),
           std::vector<Multiplier>{};
  std::vector<Multiplier> multipliers;
  for (float scale : Info(w).scales) {
    // The reference multiplies the two scales in float32 for dense layers, in double for convolutions.
    const double product = float_product
                               ? static_cast<double>(Info(x).scales[0] * scale)
                               : static_cast<double>(Info(x).scales[0]) * static_cast<double>(scale);
    multipliers.push_back(Multiplier::Of(product / static_cast<double>(Info(y).scales[0])));
  }
  if (!IsWide(x)) return multipliers;
  if (std::ranges::any_of(Info(w).zero_points, [](int32_t z) { return z != 0; }))
    return Unsupported("int16 with weights that have a zero point"), std::vector<Multiplier>{};
  if (std::ranges::any_of(multipliers, [](const Multiplier& m) { return m.exponent >= 8; }))
    return Unsupported("int16 with a multiplier of 128 or more"), std::vector<Multiplier>{};
  return multipliers;
}

// Sums on int16 have the type of the bias. Depthwise convolutions know int64 only, and so does whatever has
// no bias, but transposed convolutions: without one theirs are int32.
bool Builder::HasWideSums() const {
  if (!IsWide(op_->inputs[0])) return false;
  if (op_->name == "TRANSPOSE_CONV") return HasOperand(2) && Info(op_->inputs[2]).dtype == DType::kInt64;
  return op_->name == "DEPTHWISE_CONV_2D" || !HasOperand(2) || Info(op_->inputs[2]).dtype != DType::kInt32;
}

// Why a convolution or dense layer, its weights by output channels, is not one of the core's; empty if it is.
std::string Builder::WhyNotCore(const std::vector<Multiplier>& multipliers, const graph::Tensor& weights,
                                ValueId bias) const {
  for (const Multiplier& m : multipliers) {
    if (m.exponent > 0)
      return "its multiplier is above 1: requantization shifts right only; an ALU op that shifts left "
             "would lift that";
  }
  if (!IsWide(op_->inputs[0])) return "";
  // By the weights as they are: of zero points int16 has none.
  const auto biases = host::Integers(*model_.graph.node(bias).As<graph::Constant>()->data);
  const auto taps = weights.data<int8_t>();
  const size_t each = taps.size() / biases.size();
  double most = 0;
  for (size_t o = 0; o < biases.size(); ++o) {
    double reach = std::abs(static_cast<double>(biases[o]));
    for (const int8_t w : taps.subspan(o * each, each)) reach += 32768.0 * std::abs(int{w});
    most = std::max(most, reach);
  }
  if (most < 0x1p31) return "";
  return fmt::format(
      "its sums of int16 take up to {} bits by its weights: accumulators have 32, wider ones would lift that",
      std::ilogb(most) + 2);
}

ValueId Builder::Narrowed(ValueId bias) {
  const graph::Node& node = model_.graph.node(bias);
  const graph::Tensor& data = *node.As<graph::Constant>()->data;
  if (data.dtype() == DType::kInt32) return bias;
  const auto wide = data.data<int64_t>();
  return model_.graph.AddConstant(
      fmt::format("{}.int32.{}", node.name, model_.graph.size()),
      graph::Tensor(data.shape(), std::vector<int32_t>(wide.begin(), wide.end())));
}

ValueId Builder::BiasOrZero(int64_t outputs) {
  if (HasOperand(2)) {
    if (Info(op_->inputs[2]).shape == Shape{outputs}) return Plain(op_->inputs[2]);
    return Malformed(
               fmt::format("bias {} for {} channels", graph::ToString(Info(op_->inputs[2]).shape), outputs)),
           -1;
  }
  const DType sums = HasWideSums() ? DType::kInt64 : DType::kInt32;
  return model_.graph.AddConstant(name_ + ".zeros", graph::Tensor({sums, {outputs}}));
}

// The weights less their zero points, in eight bits if they fit: `constant`, a value of `tensor`'s weights by
// output channels, if those are all 0.
ValueId Builder::WithoutZeroPoint(ValueId constant, int tensor) {
  const TensorInfo& info = Info(tensor);
  std::vector<int32_t> zero_points = info.zero_points;
  for (int32_t& z : zero_points) z -= info.dtype == DType::kUint8 ? 128 : 0;
  if (std::ranges::all_of(zero_points, [](int32_t z) { return z == 0; })) return constant;
  const graph::Node& node = model_.graph.node(constant);
  const graph::Tensor& data = *node.As<graph::Constant>()->data;
  const std::span<const int8_t> weights = data.data<int8_t>();
  const size_t each = weights.size() / static_cast<size_t>(data.shape()[0]);
  std::vector<int16_t> wide(weights.size());
  for (size_t i = 0; i < wide.size(); ++i)
    wide[i] = static_cast<int16_t>(weights[i] - zero_points[i / each % zero_points.size()]);
  return model_.graph.AddConstant(node.name + ".centred", WeightTensor(data.shape(), std::move(wide)));
}

// A multiplier of 0 (below 2^-32) makes a channel its zero point whatever it sums up. Requantize has no such
// multiplier, so the channel gets zeros for weights and bias instead: dimension 0 of `constant`.
ValueId Builder::WithoutDeadChannels(ValueId constant, const std::vector<Multiplier>& multipliers) {
  if (std::all_of(multipliers.begin(), multipliers.end(),
                  [](const Multiplier& m) { return m.multiplier != 0; }))
    return constant;
  const graph::Node& node = model_.graph.node(constant);
  graph::Tensor data = *node.As<graph::Constant>()->data;
  const auto bytes = data.mutable_bytes();
  const size_t channels = data.shape()[0], each = bytes.size() / channels;
  for (size_t c = 0; c < channels; ++c)
    if (multipliers[multipliers.size() == 1 ? 0 : c].multiplier == 0)
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(c * each), each, uint8_t{0});
  return model_.graph.AddConstant(node.name + ".live" + std::to_string(model_.graph.size()), std::move(data));
}

// Sums of 64 bits are multiplied by the upper half of the multiplier and rounded once
// (Multiplier::ApplyWide).
ValueId Builder::CoreRequantize(ValueId sum, const std::vector<Multiplier>& multipliers, int output,
                                const Limits& limits, bool once) {
  graph::Requantize requantize{{}, {}, ZeroPoint(output), !once, IsWide(output) ? 16 : 8};
  for (const Multiplier& m : multipliers) {
    const int32_t reduced = m.multiplier < 0x7FFF0000 ? (m.multiplier + (1 << 15)) >> 16 : 0x7FFF;
    requantize.multiplier.push_back(m.multiplier == 0 ? 1 << 30 : once ? reduced << 16 : m.multiplier);
    requantize.shift.push_back((once ? 31 : 0) - m.exponent);
  }
  const ValueId y =
      model_.graph.Add(name_ + ".requantize", std::move(requantize), {sum}, QuantizationOf(output));
  return Clipped(y, limits, output);
}

bool Builder::QuantizedConv(const host::Window2d& window, int64_t groups, Activation activation) {
  const int weights = op_->inputs[1], to = op_->outputs[0];
  const auto multipliers = ConvMultipliers(false);
  if (multipliers.empty()) return false;
  const auto data = WeightsOihw(weights, op_->name == "DEPTHWISE_CONV_2D");
  if (multipliers.size() != 1 && static_cast<int64_t>(multipliers.size()) != data->shape()[0])
    return Malformed(fmt::format("{} scales for {} output channels", multipliers.size(), data->shape()[0]));
  const auto limits = LimitsOf(activation, to);
  const ValueId bias = BiasOrZero(data->shape()[0]);
  if (!limits || bias < 0) return false;
  return Finish(Convolved(window, groups, multipliers, *limits, data, bias), true);
}

ValueId Builder::Convolved(const host::Window2d& window, int64_t groups,
                           const std::vector<Multiplier>& multipliers, const Limits& limits,
                           const graph::TensorPtr& weights, ValueId bias) {
  const int from = op_->inputs[0], to = op_->outputs[0];
  const ValueId x = Nchw(from), w = model_.graph.AddConstant(name_ + ".weights", weights);
  const std::string why = WhyNotCore(multipliers, *weights, bias);
  if (!why.empty()) return HostConvolution(window, groups, multipliers, limits, x, w, bias, why);
  const graph::Conv2d conv{window.stride, window.pad, window.dilation, groups, ZeroPoint(from)};
  const ValueId sum = model_.graph.Add(
      name_, conv, {x, WithoutDeadChannels(WithoutZeroPoint(w, op_->inputs[1]), multipliers)});
  const ValueId biased = model_.graph.Add(name_ + ".bias", graph::BiasAdd{},
                                          {sum, WithoutDeadChannels(Narrowed(bias), multipliers)});
  return CoreRequantize(biased, multipliers, to, limits, HasWideSums());
}

ValueId Builder::HostConvolution(const host::Window2d& window, int64_t groups,
                                 const std::vector<Multiplier>& multipliers, const Limits& limits, ValueId x,
                                 ValueId w, ValueId bias, const std::string& why) {
  const int from = op_->inputs[0], weights = op_->inputs[1], to = op_->outputs[0];
  const auto& zero_points = Info(weights).zero_points;
  if (std::any_of(zero_points.begin(), zero_points.end(), [&](int32_t z) { return z != zero_points[0]; }))
    return Unsupported("weights with different zero points"), -1;
  host::TfliteConvolution conv{window,      groups,     ZeroPoint(from), ZeroPoint(weights), ZeroPoint(to),
                               multipliers, limits.low, limits.high,     HasWideSums()};
  return Host(name_, host::Convolution(conv), {x, w, bias}, why, QuantizationOf(to));
}

ValueId Builder::QuantizedDense(ValueId x, Activation activation) {
  const int from = op_->inputs[0], weights = op_->inputs[1], to = op_->outputs[0];
  const int64_t outputs = Info(weights).shape[0];
  const auto multipliers = ConvMultipliers(Info(weights).scales.size() == 1);
  if (multipliers.empty()) return -1;
  if (multipliers.size() != 1 && static_cast<int64_t>(multipliers.size()) != outputs)
    return Malformed(fmt::format("{} scales for {} outputs", multipliers.size(), outputs)), -1;
  const auto limits = LimitsOf(activation, to);
  const ValueId bias = BiasOrZero(outputs);
  if (!limits || bias < 0) return -1;
  const ValueId w = Plain(weights);
  const std::string why =
      Info(weights).data ? WhyNotCore(multipliers, *model_.graph.node(w).As<graph::Constant>()->data, bias)
                         : "its weights are values of the network";
  if (why.empty()) {
    const ValueId sum = model_.graph.Add(name_, graph::Dense{ZeroPoint(from)},
                                         {x, WithoutDeadChannels(WithoutZeroPoint(w, weights), multipliers)});
    const ValueId biased = model_.graph.Add(name_ + ".bias", graph::BiasAdd{},
                                            {sum, WithoutDeadChannels(Narrowed(bias), multipliers)});
    return CoreRequantize(biased, multipliers, to, *limits, HasWideSums());
  }
  const auto shaped = [&](const std::string& name, ValueId value) {
    const Shape& s = model_.graph.node(value).type.shape;
    return Host(name, host::ReshapeTo({s[0], s[1], 1, 1}), {value}, "moves elements only");
  };
  const ValueId y = HostConvolution({}, 1, multipliers, *limits, shaped(name_ + ".input", x),
                                    shaped(name_ + ".weights", w), bias, why);
  if (y < 0) return -1;
  const Shape& s = model_.graph.node(y).type.shape;
  return Host(name_ + ".rows_out", host::ReshapeTo({s[0], s[1]}), {y}, "moves elements only",
              QuantizationOf(to));
}

bool Builder::QuantizedAveragePool(const host::Window2d& window, bool whole, Activation activation) {
  const int from = op_->inputs[0], to = op_->outputs[0];
  if (!IsInteger(from))
    return Unsupported("an input that is not quantized to bytes, or to int16 without a zero point");
  if (!SameQuantization(Info(from), Info(to)))
    return Malformed("its input and output are quantized differently");
  const auto limits = LimitsOf(activation, to);
  if (!limits) return false;
  const ValueId x = Nchw(from);
  const bool half_up = Info(from).dtype == DType::kUint8;
  const int64_t count = window.kernel[0] * window.kernel[1];
  const bool inside = window.pad == std::array<int64_t, 4>{}, wide = IsWide(from);
  const auto mean = inside ? ExactMean(count, half_up, wide ? 16 : 8) : std::nullopt;
  const std::string why = inside
                              ? fmt::format("no multiplier divides by {} exactly", count)
                              : "windows at the border average fewer pixels: the accelerator sums whole ones";
  if (!mean)
    return Finish(Host(name_, host::AveragePool(window, half_up, limits->low, limits->high), {x}, why,
                       QuantizationOf(to)),
                  true);
  const graph::Op pool = whole ? graph::Op(graph::GlobalSumPool{})
                               : graph::Op(graph::SumPool{.kernel = window.kernel, .stride = window.stride});
  ValueId sum = model_.graph.Add(name_, pool, {x});
  if (mean->bias != 0) {
    const int64_t channels = model_.graph.node(x).type.shape[1];
    const ValueId bias = model_.graph.AddConstant(
        name_ + ".offset", graph::Tensor({channels}, std::vector<int32_t>(channels, mean->bias)));
    sum = model_.graph.Add(name_ + ".bias", graph::BiasAdd{}, {sum, bias});
  }
  // The mean of values with a zero point has the same one, which the operation does not have to know: the
  // quantization of the result says it.
  const ValueId y = model_.graph.Add(name_ + ".requantize", mean->requantize, {sum});
  return Finish(Clipped(y, *limits, to), true);
}

}  // namespace cosim::import::tflite
