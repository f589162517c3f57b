// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's operators on single elements or rows: as core operations where those compute the same to
// the bit, as HostOps with the reason where they do not.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/host/elementwise.h"
#include "compiler/host/functions.h"
#include "compiler/host/numeric.h"
#include "compiler/host/tflite_functions.h"
#include "compiler/import/tflite/builder.h"

namespace cosim::import::tflite {

using graph::DType;
using graph::ValueId;
using host::Multiplier;

namespace {

constexpr char kNoExponential[] = "the ISA has no exponential: an ALU op would lift that";

// As the reference decides it.
bool IsPowerOfTwo(float scale) {
  const float log2 = std::log(scale) * (1.0f / std::log(2.0f));
  return std::abs(log2 - std::round(log2)) < 1e-3f;
}

// Of a quantized tensor.
bool IsUnitInt16(const TensorInfo& info) {
  return info.dtype == DType::kInt16 && std::abs(info.scales[0] * 32768 - 1) < 1e-3f;
}

}  // namespace

bool Builder::QuantizedSoftmax(float beta) {
  const int from = op_->inputs[0], to = op_->outputs[0];
  if (!IsInteger(from) || !IsInteger(to)) return Unsupported("operands that are not quantized");
  if (!(beta > 0) || !std::isfinite(beta)) return Malformed(fmt::format("beta is {}", beta));
  const double scale = static_cast<double>(beta) * static_cast<double>(Info(from).scales[0]);
  if (IsWide(from)) {
    if (!IsUnitInt16(Info(to)) || scale > 4) return Unsupported("int16 to anything but a scale of 1/32768");
    return Finish(Host(name_, host::SoftmaxInt16(scale), {Plain(from)}, kNoExponential, QuantizationOf(to)),
                  false);
  }
  if (!IsQuantized(to) || Info(to).scales[0] != 1.0f / 256 || ZeroPoint(to) != -128)
    return Unsupported("an output whose scale is not 1/256 from its least value on");
  return Finish(Host(name_, host::TfliteSoftmax(scale), {Plain(from)}, kNoExponential, QuantizationOf(to)),
                false);
}

bool Builder::QuantizedRelu(Activation activation) {
  const int from = op_->inputs[0], to = op_->outputs[0];
  if (!IsInteger(from) || Info(from).dtype != Info(to).dtype)
    return Unsupported("operands that are not quantized alike");
  const auto limits = LimitsOf(activation, to);
  if (!limits) return false;
  const bool same = Info(from).scales == Info(to).scales && Info(from).zero_points == Info(to).zero_points;
  const bool nchw = nchw_.count(from) > 0;
  const ValueId x = nchw ? Nchw(from) : Plain(from);
  if (same) return Finish(Clipped(x, *limits, to), nchw);
  const float factor = Info(from).scales[0] / Info(to).scales[0];
  return Finish(Rescaled(x, static_cast<double>(factor), *limits, "no core operation changes a scale alone"),
                nchw);
}

// x of the first operand to the scale of the result.
ValueId Builder::Rescaled(ValueId x, double factor, const Limits& limits, const std::string& why) {
  const int from = op_->inputs[0], to = op_->outputs[0];
  const host::TfliteRequantization requantization{Multiplier::Of(factor),
                                                  ZeroPoint(from),
                                                  ZeroPoint(to),
                                                  limits.low,
                                                  limits.high,
                                                  Info(to).dtype == DType::kInt32 ? DType::kInt32
                                                  : IsWide(to)                    ? DType::kInt16
                                                                                  : DType::kInt8};
  return Host(name_, host::Requantization(requantization), {x}, why, QuantizationOf(to));
}

bool Builder::Logistic() {
  if (!Operands(1, 1)) return false;
  const int from = op_->inputs[0], to = op_->outputs[0];
  const bool logistic = op_->name == "LOGISTIC";
  if (IsFloat(from)) {
    return Finish(Host(name_, host::Function(logistic ? "sigmoid" : "tanh"), {Plain(from)}, "float32"),
                  false);
  }
  const host::Sigmoid function = logistic ? host::Sigmoid::kLogistic : host::Sigmoid::kTanh;
  const float scale = IsInteger(from) ? Info(from).scales[0] : 0;
  if (IsWide(from) && IsWide(to) && IsUnitInt16(Info(to)) && scale <= host::kMostSigmoidScale)
    return ByTable(host::SigmoidInt16(function, scale));
  if (IsQuantized(from) && IsQuantized(to) && Info(to).scales[0] == (logistic ? 1.0f / 256 : 1.0f / 128) &&
      ZeroPoint(to) == (logistic ? -128 : 0))
    return ByTable(host::SigmoidInt8(function, scale, ZeroPoint(from)));
  return Unsupported("a result that does not have the scale and zero point of the reference");
}

bool Builder::Add() {
  if (!Operands(2, 2)) return false;
  const auto* options = std::get_if<ElementwiseOptions>(&op_->options);
  const Activation activation = options ? options->activation : Activation::kNone;
  const int a = op_->inputs[0], b = op_->inputs[1], to = op_->outputs[0];
  const bool same_shape = Info(a).shape == Info(b).shape, subtract = op_->name == "SUB";
  if (ArePlainIntegers())
    return IntegerPairs(subtract ? host::Arithmetic::kSubtract : host::Arithmetic::kAdd);
  const auto [values, nchw] =
      same_shape && Info(a).shape.size() == 4 ? Aligned{{Nchw(a), Nchw(b)}, true} : AlignedOperands();
  const ValueId x = values[0], y = values[1];
  if (x < 0 || y < 0) return false;
  if (IsFloat(a) && IsFloat(b)) {
    const auto op = subtract ? host::Binary("subtract", host::Arithmetic::kSubtract)
                             : host::Binary("add", host::Arithmetic::kAdd);
    const ValueId sum = same_shape && !subtract ? model_.graph.Add(name_, graph::Add{}, {x, y})
                                                : Host(name_, op, {x, y}, "float32");
    return sum >= 0 && Finish(Activate(sum, activation, name_ + ".activation"), nchw);
  }
  if (!IsInteger(a) || Info(a).dtype != Info(b).dtype || !IsInteger(b) || Info(a).dtype != Info(to).dtype)
    return Unsupported("operands that are not both float32 or both quantized alike");
  const auto limits = LimitsOf(activation, to);
  if (!limits) return false;
  const bool wide = IsWide(a);
  if (wide && (!options || options->powers_of_two) && IsPowerOfTwo(Info(a).scales[0]) &&
      IsPowerOfTwo(Info(b).scales[0]) && IsPowerOfTwo(Info(to).scales[0])) {
    const ValueId sum = ShiftedSum(x, y, subtract, *limits);
    return sum >= 0 && Finish(sum, nchw);
  }
  const double scale_a = Info(a).scales[0], scale_b = Info(b).scales[0],
               twice_most = 2 * std::max(scale_a, scale_b);
  const Multiplier ma = Multiplier::Of(scale_a / twice_most), mb = Multiplier::Of(scale_b / twice_most);
  const Multiplier out =
      Multiplier::Of(twice_most / ((wide ? 1 << 15 : 1 << 20) * static_cast<double>(Info(to).scales[0])));
  const auto is_constant = [&](ValueId value) {
    return model_.graph.node(value).As<graph::Constant>() != nullptr;
  };
  const bool constant = is_constant(x) || is_constant(y);
  const bool core = !wide && !subtract && !constant && same_shape && ma.multiplier != 0 &&
                    mb.multiplier != 0 && out.multiplier != 0 && out.exponent <= 0;
  if (core) {
    const graph::ScaledAdd add{{ZeroPoint(a), ma.multiplier, -ma.exponent},
                               {ZeroPoint(b), mb.multiplier, -mb.exponent},
                               ZeroPoint(to),
                               out.multiplier,
                               -out.exponent};
    return Finish(Clipped(model_.graph.Add(name_, add, {x, y}, QuantizationOf(to)), *limits, to), nchw);
  }
  const host::TfliteAddition add{
      {ZeroPoint(a), ZeroPoint(b)}, {ma, mb}, out, ZeroPoint(to), limits->low, limits->high, subtract};
  const std::string why =
      wide         ? "its operands of int16 are scaled to 15 more bits, and the ISA's terms to 20: an "
                     "ALU op would lift that"
      : subtract   ? "the ISA does not subtract as TensorFlow Lite does: an ALU op would lift that"
      : constant   ? "one of its operands is a constant of the whole shape"
      : same_shape ? "its multipliers are out of range"
                   : "its operands have different shapes";
  return Finish(OnPairs(host::Addition(add), {x, y}, why), nchw);
}

// int16 under scales that are powers of two, one of which is the result's: the other operand is shifted.
ValueId Builder::ShiftedSum(ValueId x, ValueId y, bool subtract, const Limits& limits) {
  host::TfliteShiftedAddition sum{.low = limits.low, .high = limits.high, .subtract = subtract};
  const auto exponent = [&](int tensor) {
    return static_cast<int>(std::lround(std::log2(static_cast<double>(Info(tensor).scales[0]))));
  };
  for (size_t k : {0, 1}) sum.shifts[k] = exponent(op_->outputs[0]) - exponent(op_->inputs[k]);
  if (std::min(sum.shifts[0], sum.shifts[1]) != 0 || std::max(sum.shifts[0], sum.shifts[1]) > 15 ||
      Info(op_->inputs[0]).shape != Info(op_->inputs[1]).shape)
    return Unsupported(
               "int16 of different shapes, or of scales of which none is the result's, where all are "
               "powers of two: the reference does not define that"),
           -1;
  return Host(name_, host::ShiftedAddition(sum), {x, y},
              "its operands are shifted right and rounded half away from zero: an ALU op would lift that",
              QuantizationOf(op_->outputs[0]));
}

bool Builder::Multiply() {
  if (!Operands(2, 2)) return false;
  const auto* options = std::get_if<ElementwiseOptions>(&op_->options);
  const Activation activation = options ? options->activation : Activation::kNone;
  const int a = op_->inputs[0], b = op_->inputs[1], to = op_->outputs[0];
  if (ArePlainIntegers()) return IntegerPairs(host::Arithmetic::kMultiply);
  const auto [values, nchw] = Info(a).shape == Info(b).shape && Info(a).shape.size() == 4
                                  ? Aligned{{Nchw(a), Nchw(b)}, true}
                                  : AlignedOperands();
  const ValueId x = values[0], y = values[1];
  if (x < 0 || y < 0) return false;
  if (IsFloat(a) && IsFloat(b)) {
    const auto multiply = host::Binary("multiply", host::Arithmetic::kMultiply);
    return Finish(Activate(Host(name_, multiply, {x, y}, "float32"), activation, name_ + ".activation"),
                  nchw);
  }
  if (!IsInteger(a) || Info(a).dtype != Info(b).dtype || !IsInteger(b) || Info(a).dtype != Info(to).dtype)
    return Unsupported("operands that are not both float32 or both quantized alike");
  const auto limits = LimitsOf(activation, to);
  if (!limits) return false;
  const double factor = static_cast<double>(Info(a).scales[0]) * static_cast<double>(Info(b).scales[0]) /
                        static_cast<double>(Info(to).scales[0]);
  const host::TfliteProduct product{
      {ZeroPoint(a), ZeroPoint(b)}, Multiplier::Of(factor), ZeroPoint(to), limits->low, limits->high};
  return Finish(OnPairs(host::Product(product), {x, y},
                        "the ISA does not multiply two activations: an ALU op would lift that"),
                nchw);
}

bool Builder::Dequantize() {
  if (!Operands(1, 1)) return false;
  const int from = op_->inputs[0];
  if (!IsFloat(op_->outputs[0])) return Unsupported("anything but float32 as its result");
  const TensorInfo& info = Info(from);
  const bool nchw = info.shape.size() == 4 && IsNchw(from);
  const ValueId x = nchw ? Nchw(from) : Plain(from);
  if (info.dtype == DType::kFloat16)
    return Finish(Host(name_, host::Cast(DType::kFloat32), {x}, "float32"), nchw);
  if (IsByte(from) && info.scales.size() > 1 && info.data) return DequantizeChannels();
  if (!IsInteger(from))
    return Unsupported("anything but float16, quantized bytes, or int16 without a zero point, to float32");
  if (IsWide(from)) return Finish(Host(name_, host::DequantizeInt16(info.scales[0]), {x}, "float32"), nchw);
  return Finish(model_.graph.Add(name_, graph::Dequantize{info.scales[0], ZeroPoint(from)}, {x}), nchw);
}

// Weights, each index of one dimension by its own scale.
bool Builder::DequantizeChannels() {
  const TensorInfo& info = Info(op_->inputs[0]);
  graph::Tensor reals({DType::kFloat32, info.shape});
  const auto to = reals.mutable_data<float>();
  const auto numbers = host::Integers(*info.data);
  const host::AroundAxis view(info.shape, static_cast<size_t>(info.axis));
  for (size_t i = 0; i < to.size(); ++i) {
    const size_t c = i / static_cast<size_t>(view.inner) % info.scales.size();
    to[i] = static_cast<float>(numbers[i] - info.zero_points[c]) * info.scales[c];
  }
  return Finish(model_.graph.AddConstant(name_, std::move(reals)), false);
}

bool Builder::ArePlainIntegers() const {
  const DType type = Info(op_->inputs[0]).dtype;
  return type == Info(op_->inputs[1]).dtype && (type == DType::kInt32 || type == DType::kInt64);
}

// As tflite-micro does.
bool Builder::QuantizeToInt32() {
  const int from = op_->inputs[0], to = op_->outputs[0];
  const DType type = Info(from).dtype;
  if (!IsInteger(from) || type == DType::kUint8 || Info(to).scales.size() != 1)
    return Unsupported(fmt::format("{} to int32: quantized int8 and int16 are", graph::Name(type)));
  const double factor = static_cast<double>(Info(from).scales[0]) / static_cast<double>(Info(to).scales[0]);
  const Limits range{std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
  return Finish(Rescaled(Plain(from), factor, range, "no core operation changes a scale alone"), false);
}

bool Builder::Quantize() {
  if (!Operands(1, 1)) return false;
  const int from = op_->inputs[0], to = op_->outputs[0];
  if (Info(to).dtype == DType::kInt32) return QuantizeToInt32();
  const auto limits = LimitsOf(Activation::kNone, to);
  if (!limits) return false;
  if (IsFloat(from))
    return Finish(Host(name_,
                       host::TfliteQuantize(Info(to).scales[0], ZeroPoint(to),
                                            IsWide(to) ? DType::kInt16 : DType::kInt8),
                       {Plain(from)}, "float32", QuantizationOf(to)),
                  false);
  const bool sums = Info(from).dtype == DType::kInt32 && Info(from).scales.size() == 1;
  if (!IsInteger(from) && !sums) return Unsupported("an input that is neither float32 nor quantized");
  const double factor = static_cast<double>(Info(from).scales[0]) / static_cast<double>(Info(to).scales[0]);
  return Finish(Rescaled(Plain(from), factor, *limits, "no core operation changes a scale alone"), false);
}

}  // namespace cosim::import::tflite
