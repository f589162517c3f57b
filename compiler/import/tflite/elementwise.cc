// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's operators on corresponding elements: floats and plain integers by the host's functions,
// bytes in the arithmetic of the reference kernels.
#include "compiler/host/elementwise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/host/functions.h"
#include "compiler/host/movement.h"
#include "compiler/host/tflite_pairs.h"
#include "compiler/import/tflite/builder.h"

namespace cosim::import::tflite {

using graph::DType;
using graph::Shape;
using graph::ValueId;
using host::Multiplier;

namespace {

constexpr char kNoOperation[] = "no core operation computes it";
constexpr char kNoPairs[] = "the ISA does not combine two activations so: an ALU op would lift that";

bool IsNumber(DType type) {
  return type == DType::kFloat32 || type == DType::kInt32 || type == DType::kInt64;
}

using tir::Expr;

Expr Number(double value, const Expr& like) { return tir::Float(value, like->type); }

/// `name`: in small letters, as host::Function knows it.
graph::HostOperatorPtr FloatFunction(const std::string& op, const std::string& name, double alpha,
                                     bool approximate) {
  if (op == "LEAKY_RELU") return host::LeakyRelu(alpha);
  if (op == "ELU") return host::Elu(1);
  if (op == "GELU") return host::Function(approximate ? "gelu_by_tanh" : "gelu");
  if (op == "RSQRT")
    return host::MathFunction(
        "rsqrt", [](double x) { return 1 / std::sqrt(x); },
        [](const Expr& x) { return tir::Divide(Number(1, x), ops::Apply(tir::MathFn::kSqrt, x)); });
  if (op == "SQUARE")
    return host::MathFunction("square", [](double x) { return x * x; }, [](const Expr& x) { return x * x; });
  return host::Function(name);
}

}  // namespace

// Values of fewer dimensions get ones in front, as broadcasting has it, before their channels move.
Builder::Aligned Builder::AlignedOperands() {
  Aligned aligned;
  const std::vector<int>& inputs = op_->inputs;
  const auto rank = [&](int tensor) { return Info(tensor).shape.size(); };
  aligned.nchw = std::ranges::any_of(inputs, [&](int t) { return rank(t) == 4 && IsNchw(t); }) &&
                 std::ranges::all_of(inputs, [&](int t) { return rank(t) <= 4; });
  for (size_t i = 0; i < inputs.size(); ++i) {
    const int t = inputs[i];
    if (!aligned.nchw || rank(t) == 4) {
      aligned.values.push_back(aligned.nchw ? Nchw(t) : Plain(t));
      continue;
    }
    Shape shape = Info(t).shape;
    shape.insert(shape.begin(), 4 - shape.size(), 1);
    const std::string name = fmt::format("{}.operand{}", name_, i);
    const ValueId four =
        Host(name + ".rank", host::ReshapeTo(shape), {Plain(t)}, kMovesReason, QuantizationOf(t));
    aligned.values.push_back(
        Host(name, host::Transpose({0, 3, 1, 2}), {four}, kMovesReason, QuantizationOf(t)));
  }
  return aligned;
}

bool Builder::Function() {
  if (!Operands(1, 1)) return false;
  const int from = op_->inputs[0];
  const std::string& op = op_->name;
  const auto* leaky = std::get_if<LeakyOptions>(&op_->options);
  const auto* gelu = std::get_if<GeluOptions>(&op_->options);
  const float alpha = leaky ? leaky->alpha : 0;
  if (!IsFloat(from)) {
    if (op == "LEAKY_RELU") return QuantizedLeaky(alpha);
    if (op == "HARD_SWISH") return QuantizedHardSwish();
    if (op == "RSQRT") return QuantizedRsqrt();
    if (op == "ELU") return ByFloatTable([](float x) { return x < 0.0f ? std::exp(x) - 1.0f : x; });
    if (op == "EXP") return ByFloatTableOrLines([](float x) { return std::exp(x); });
    if (op == "LOG") return QuantizedLog();
    if (op == "SQRT") return QuantizedSqrt();
    if (op == "GELU" && gelu && gelu->approximate)
      return ByFloatTable([](float x) {
        return 0.5f * x * (1 + std::tanh(std::sqrt(2.0f / 3.14159265358979f) * (x + 0.044715f * x * x * x)));
      });
    if (op == "GELU") return ByFloatTable([](float x) { return 0.5f * x * std::erfc(x * -0.70710678f); });
    return Unsupported(
        fmt::format("{} values: the reference computes float32 only", graph::Name(Info(from).dtype)));
  }
  const auto function = FloatFunction(op, Lower(op), static_cast<double>(alpha), gelu && gelu->approximate);
  const bool nchw = Info(from).shape.size() == 4 && IsNchw(from);
  return Finish(Host(name_, function, {nchw ? Nchw(from) : Plain(from)}, "float32"), nchw);
}

bool Builder::Abs() {
  if (!Operands(1, 1)) return false;
  const int from = op_->inputs[0], to = op_->outputs[0];
  const bool nchw = Info(from).shape.size() == 4 && IsNchw(from);
  if (IsNumber(Info(from).dtype))
    return Finish(Host(name_, host::Absolute(), {nchw ? Nchw(from) : Plain(from)}, kNoOperation), nchw);
  if (!IsInteger(from) || !IsInteger(to)) return ByTable({});
  const double a = static_cast<double>(Info(from).scales[0]), b = static_cast<double>(Info(to).scales[0]);
  const Multiplier m = Multiplier::Of(a / b);
  const bool same = Info(from).scales == Info(to).scales;
  return ByTable([=, zero = ZeroPoint(from), offset = ZeroPoint(to)](int32_t q) -> int64_t {
    const int32_t size = std::abs(q - zero);
    return int64_t{same ? size : m.Apply(size)} + offset;
  });
}

bool Builder::Negate() {
  if (!Operands(1, 1)) return false;
  const int from = op_->inputs[0];
  if (!IsNumber(Info(from).dtype))
    return Unsupported(fmt::format("{} values: the reference computes float32, int32 and int64 only",
                                   graph::Name(Info(from).dtype)));
  const bool nchw = Info(from).shape.size() == 4 && IsNchw(from);
  return Finish(Host(name_, host::Negate(), {nchw ? Nchw(from) : Plain(from)}, kNoOperation), nchw);
}

bool Builder::Sign() {
  if (!Operands(1, 1)) return false;
  const int from = op_->inputs[0];
  const DType type = Info(from).dtype;
  if (type != DType::kFloat32 && type != DType::kInt32)
    return Unsupported(
        fmt::format("{} values: the reference computes float32 and int32 only", graph::Name(type)));
  const bool nchw = Info(from).shape.size() == 4 && IsNchw(from);
  return Finish(Host(name_, host::Sign(), {nchw ? Nchw(from) : Plain(from)}, kNoOperation), nchw);
}

bool Builder::ArcTangent() {
  if (!Operands(2, 2)) return false;
  if (!IsFloat(op_->inputs[0]) || !IsFloat(op_->inputs[1]))
    return Unsupported("operands that are not float32");
  const Aligned operands = AlignedOperands();
  return Finish(Host(name_, host::ArcTangent2(), operands.values, kNoOperation), operands.nchw);
}

bool Builder::Extreme() {
  if (!Operands(2, 2)) return false;
  if (Info(op_->inputs[0]).dtype != Info(op_->inputs[1]).dtype)
    return Malformed("operands of different types");
  const bool most = op_->name == "MAXIMUM";
  const Aligned operands = AlignedOperands();
  return Finish(
      Host(name_,
           host::Binary(most ? "max" : "min", most ? host::Arithmetic::kMaximum : host::Arithmetic::kMinimum),
           operands.values, kNoPairs, QuantizationOf(op_->outputs[0])),
      operands.nchw);
}

// ADD, SUB and MUL of integers that stand for themselves.
bool Builder::IntegerPairs(host::Arithmetic op) {
  const auto* options = std::get_if<ElementwiseOptions>(&op_->options);
  if (options && options->activation != Activation::kNone)
    return Unsupported("a fused activation function on plain integers");
  const Aligned operands = AlignedOperands();
  return Finish(Host(name_, host::Binary(Lower(op_->name), op), operands.values, "plain integers"),
                operands.nchw);
}

bool Builder::Divide() {
  if (!Operands(2, 2)) return false;
  const int a = op_->inputs[0], b = op_->inputs[1], to = op_->outputs[0];
  const auto* options = std::get_if<ElementwiseOptions>(&op_->options);
  const Activation activation = options ? options->activation : Activation::kNone;
  if (Info(a).dtype != Info(b).dtype) return Malformed("operands of different types");
  if (Info(a).dtype == DType::kInt32) return IntegerPairs(host::Arithmetic::kDivide);
  const Aligned operands = AlignedOperands();
  if (IsFloat(a)) {
    const ValueId y = Host(name_, host::Binary("div", host::Arithmetic::kDivide), operands.values, "float32");
    return y >= 0 && Finish(Activate(y, activation, name_ + ".activation"), operands.nchw);
  }
  if (!IsQuantized(a) || !IsQuantized(b) || Info(a).dtype != Info(to).dtype)
    return Unsupported("operands that are not both float32, int32 or quantized bytes");
  const auto limits = LimitsOf(activation, to);
  if (!limits) return false;
  const float factor = Info(a).scales[0] / (Info(b).scales[0] * Info(to).scales[0]);
  const host::TfliteDivision division{{ZeroPoint(a), ZeroPoint(b)},
                                      Multiplier::Of(static_cast<double>(factor)),
                                      ZeroPoint(to),
                                      limits->low,
                                      limits->high};
  return Finish(OnPairs(host::QuantizedDivision(division), operands.values, kNoPairs), operands.nchw);
}

// Quotients rounded down, and what is left over, which has the sign of the divisor. In 64 bits nothing
// overflows.
bool Builder::Floor() {
  if (!Operands(2, 2)) return false;
  const int a = op_->inputs[0];
  const DType type = Info(a).dtype;
  if (type != Info(op_->inputs[1]).dtype) return Malformed("operands of different types");
  if (type != DType::kFloat32 && type != DType::kInt32 && (type != DType::kInt64 || op_->name == "FLOOR_DIV"))
    return Unsupported(fmt::format("{} values", graph::Name(type)));
  const Aligned operands = AlignedOperands();
  const auto binary = [&](const char* what, host::Arithmetic op, ValueId x, ValueId y) {
    return Host(name_ + what, host::Binary(Lower(op_->name), op), {x, y}, kNoOperation);
  };
  const ValueId x = operands.values[0], y = operands.values[1];
  if (op_->name == "FLOOR_MOD") return Finish(binary("", host::Arithmetic::kModulo, x, y), operands.nchw);
  if (type == DType::kFloat32)
    return Finish(Host(name_, host::Function("floor"), {binary(".quotient", host::Arithmetic::kDivide, x, y)},
                       "float32"),
                  operands.nchw);
  const ValueId wide_x = Host(name_ + ".x", host::Cast(DType::kInt64), {x}, kNoOperation),
                wide_y = Host(name_ + ".y", host::Cast(DType::kInt64), {y}, kNoOperation);
  const ValueId rest = binary(".rest", host::Arithmetic::kModulo, wide_x, wide_y);
  const ValueId multiple = binary(".multiple", host::Arithmetic::kSubtract, wide_x, rest);
  const ValueId quotient = binary(".quotient", host::Arithmetic::kDivide, multiple, wide_y);
  return Finish(Host(name_, host::Cast(type), {quotient}, kNoOperation), operands.nchw);
}

bool Builder::Power() {
  if (!Operands(2, 2)) return false;
  const DType type = Info(op_->inputs[0]).dtype;
  if ((type != DType::kFloat32 && type != DType::kInt32) || Info(op_->inputs[1]).dtype != type)
    return Unsupported("operands that are not both float32 or int32");
  // The reference refuses them too, when it runs.
  if (const auto exponents = type == DType::kInt32 ? IntegersOf(1) : std::nullopt)
    if (std::ranges::any_of(*exponents, [](int64_t e) { return e < 0; }))
      return Unsupported("int32 to a power below 0");
  const Aligned operands = AlignedOperands();
  return Finish(Host(name_, host::Power(), operands.values, kNoOperation), operands.nchw);
}

bool Builder::AddN() {
  if (!Operands(1, op_->inputs.size())) return false;
  for (int tensor : op_->inputs) {
    if (tensor < 0) return Malformed("an operand is missing");
    if (Info(tensor).dtype != DType::kFloat32 && Info(tensor).dtype != DType::kInt32)
      return Unsupported("operands that are neither float32 nor int32");
    if (Info(tensor).shape != Info(op_->inputs[0]).shape) return Malformed("operands of different sizes");
  }
  const Aligned operands = AlignedOperands();
  return Finish(
      Host(name_, host::Variadic("add_n", host::Arithmetic::kAdd, false), operands.values, kNoOperation),
      operands.nchw);
}

bool Builder::SquaredDifference() {
  if (!Operands(2, 2)) return false;
  const int a = op_->inputs[0], b = op_->inputs[1], to = op_->outputs[0];
  if (Info(a).dtype != Info(b).dtype) return Malformed("operands of different types");
  const Aligned operands = AlignedOperands();
  const auto& values = operands.values;
  if (IsFloat(a) || Info(a).dtype == DType::kInt32) {
    const ValueId difference =
        Host(name_ + ".difference", host::Binary("sub", host::Arithmetic::kSubtract), values, kNoOperation);
    return Finish(
        Host(name_, host::Binary("mul", host::Arithmetic::kMultiply), {difference, difference}, kNoOperation),
        operands.nchw);
  }
  const bool wide = IsWide(a) && IsWide(b) && IsWide(to);
  if (!wide && (!IsQuantized(a) || !IsQuantized(b) || !IsQuantized(to) || Info(a).dtype != DType::kInt8))
    return Unsupported("operands that are not both float32, int32, or quantized int8 or int16");
  const double scale_a = static_cast<double>(Info(a).scales[0]),
               scale_b = static_cast<double>(Info(b).scales[0]), twice_most = 2 * std::max(scale_a, scale_b);
  const double out =
      twice_most * twice_most / ((wide ? 1 : 1 << 14) * static_cast<double>(Info(to).scales[0]));
  const host::TfliteSquaredDifference difference{
      {ZeroPoint(a), ZeroPoint(b)},
      {Multiplier::Of(scale_a / twice_most), Multiplier::Of(scale_b / twice_most)},
      Multiplier::Of(out),
      ZeroPoint(to),
      wide};
  return Finish(OnPairs(host::QuantizedSquaredDifference(difference), values, kNoPairs), operands.nchw);
}

bool Builder::PRelu() {
  if (!Operands(2, 2)) return false;
  if (Info(op_->inputs[0]).dtype != Info(op_->inputs[1]).dtype)
    return Malformed("operands of different types");
  if (!IsFloat(op_->inputs[0])) return QuantizedPRelu();
  const Aligned operands = AlignedOperands();
  return Finish(Host(name_, host::PRelu(), operands.values, "float32"), operands.nchw);
}

bool Builder::QuantizedPRelu() {
  const int x = op_->inputs[0], slope = op_->inputs[1], to = op_->outputs[0];
  if (!IsQuantized(x) || !IsQuantized(slope) || !IsQuantized(to))
    return Unsupported("operands that are neither float32 nor quantized bytes");
  const float positive = Info(x).scales[0] / Info(to).scales[0],
              negative = Info(x).scales[0] * Info(slope).scales[0] / Info(to).scales[0];
  const host::TflitePRelu relu{{ZeroPoint(x), ZeroPoint(slope)},
                               Multiplier::Of(static_cast<double>(positive)),
                               Multiplier::Of(static_cast<double>(negative)),
                               ZeroPoint(to)};
  const Aligned operands = AlignedOperands();
  return Finish(OnPairs(host::QuantizedPRelu(relu), operands.values, kNoPairs), operands.nchw);
}

}  // namespace cosim::import::tflite
