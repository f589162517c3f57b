// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's reductions: of floats and plain integers by the host's functions, of quantized values in
// the arithmetic of the reference kernels.
#include "compiler/host/reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "compiler/host/functions.h"
#include "compiler/host/inverse_root.h"
#include "compiler/host/linear.h"
#include "compiler/host/movement.h"
#include "compiler/host/quantized.h"
#include "compiler/host/spatial.h"
#include "compiler/host/tflite_functions.h"
#include "compiler/host/tflite_reduce.h"
#include "compiler/import/tflite/builder.h"

namespace cosim::import::tflite {

using graph::DType;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;
using host::Multiplier;

namespace {

constexpr char kNoSums[] = "no core operation combines the elements of these dimensions";

}  // namespace

// Extremes need no scale: the runtimes compare the integers.
bool Builder::Reduce() {
  if (!Operands(2, 2)) return false;
  const int from = op_->inputs[0], to = op_->outputs[0];
  const auto axes = IntegersOf(1);
  if (!axes) return Unsupported("axes that are not constant");
  const auto* options = std::get_if<ReduceOptions>(&op_->options);
  const std::string& op = op_->name;
  const bool logic = op == "REDUCE_ANY" || op == "REDUCE_ALL";
  const DType type = Info(from).dtype;
  if (logic != (type == DType::kBool)) return Unsupported(fmt::format("{} values", graph::Name(type)));
  if (op == "REDUCE_PROD" && type != DType::kFloat32 && type != DType::kInt32 && type != DType::kInt64)
    return QuantizedReduceProduct(*axes, options && options->keep_dimensions);
  const host::Reduction reduction = op == "REDUCE_PROD"                        ? host::Reduction::kProduct
                                    : op == "REDUCE_MAX" || op == "REDUCE_ANY" ? host::Reduction::kMax
                                                                               : host::Reduction::kMin;
  return Finish(
      Host(name_, host::Reduce(Lower(op), reduction, *axes, options && options->keep_dimensions, true),
           {Plain(from)}, kNoSums, QuantizationOf(to)),
      false);
}

std::optional<std::vector<bool>> Builder::ReducedOver(const std::vector<int64_t>& axes) {
  std::vector<bool> over(Info(op_->inputs[0]).shape.size(), false);
  for (int64_t axis : axes) {
    const auto d = AxisOf(axis, over.size());
    if (!d) return Malformed(fmt::format("axis {} of {} dimensions", axis, over.size())), std::nullopt;
    over[*d] = true;
  }
  return over;
}

// Each product is scaled as it is made, by the root of the result's scale.
bool Builder::QuantizedReduceProduct(const std::vector<int64_t>& axes, bool keep) {
  const int from = op_->inputs[0], to = op_->outputs[0];
  const DType type = Info(from).dtype;
  if ((type != DType::kInt8 && type != DType::kInt16) || !IsInteger(from) || !IsInteger(to) ||
      Info(to).dtype != type)
    return Unsupported(fmt::format("products of {} values", graph::Name(type)));
  auto over = ReducedOver(axes);
  if (!over) return false;
  int64_t count = 1;
  for (size_t d = 0; d < over->size(); ++d)
    if ((*over)[d]) count *= Info(from).shape[d];
  if (count == 0) return Unsupported("products of nothing");
  const double root = std::pow(static_cast<double>(Info(to).scales[0]), 1.0 / static_cast<double>(count));
  const Limits range = RangeOf(type);
  const host::TfliteReduceProduct product{
      *std::move(over), keep,          Multiplier::Of(static_cast<double>(Info(from).scales[0]) / root),
      ZeroPoint(from),  ZeroPoint(to), range.low,
      range.high};
  if (product.multiplier.exponent >= 8) return Unsupported("scales that the reference does not define");
  return Finish(Host(name_, host::ReduceProduct(product), {Plain(from)}, kNoSums, QuantizationOf(to)), false);
}

bool Builder::Sum() {
  if (!Operands(2, 2)) return false;
  const int from = op_->inputs[0];
  const auto axes = IntegersOf(1);
  if (!axes) return Unsupported("axes that are not constant");
  const auto* options = std::get_if<ReduceOptions>(&op_->options);
  const bool keep = options && options->keep_dimensions;
  const DType type = Info(from).dtype;
  if (type == DType::kFloat32 || type == DType::kInt32 || type == DType::kInt64)
    return Finish(
        Host(name_, host::Reduce("sum", host::Reduction::kSum, *axes, keep, true), {Plain(from)}, kNoSums),
        false);
  const auto over = ReducedOver(*axes);
  return over && QuantizedSum(*over, keep, false);
}

// The sum less as many zero points, times the factor of the scales; a mean has the count in the factor, as
// QuantizedMean says.
bool Builder::QuantizedSum(const std::vector<bool>& over, bool keep, bool mean) {
  const int from = op_->inputs[0], to = op_->outputs[0];
  if (!IsInteger(from) || !IsInteger(to) || Info(from).dtype != Info(to).dtype)
    return Unsupported("operands that are not quantized alike");
  int64_t count = 1;
  std::vector<int64_t> axes;
  for (size_t d = 0; d < over.size(); ++d) {
    if (!over[d]) continue;
    axes.push_back(static_cast<int64_t>(d));
    count *= Info(from).shape[d];
  }
  Multiplier m =
      Multiplier::Of(static_cast<double>(Info(from).scales[0]) / static_cast<double>(Info(to).scales[0]));
  if (mean) {
    const int bits =
        std::min(static_cast<int>(std::bit_width(static_cast<uint64_t>(count))) - 1, 31 + m.exponent);
    m = {static_cast<int32_t>((int64_t{m.multiplier} << bits) / count), m.exponent - bits};
  }
  const Limits range = RangeOf(Info(to).dtype);
  // Sums have 32 bits and wrap.
  const auto zeros =
      static_cast<int32_t>(static_cast<uint32_t>(ZeroPoint(from)) * static_cast<uint32_t>(count));
  const host::TfliteRequantization requantization{
      m, zeros, ZeroPoint(to), range.low, range.high, IsWide(to) ? DType::kInt16 : DType::kInt8};
  const ValueId wide = Host(name_ + ".int32", host::Cast(DType::kInt32), {Plain(from)}, kNoSums);
  const ValueId sum =
      Host(name_ + ".sum", host::Reduce("sum", host::Reduction::kSum, axes, keep, true), {wide}, kNoSums);
  return Finish(Host(name_, host::Requantization(requantization), {sum}, kNoSums, QuantizationOf(to)), false);
}

bool Builder::ArgExtreme() {
  if (!Operands(2, 2)) return false;
  const int from = op_->inputs[0];
  const auto axis = IntegersOf(1);
  if (!axis || axis->size() != 1) return Unsupported("an axis that is not constant");
  const std::string why = "the accelerator compares no places";
  const bool wide = Info(op_->outputs[0]).dtype == DType::kInt64;
  const ValueId places =
      Host(wide ? name_ : name_ + ".place",
           host::ArgExtreme(op_->name == "ARG_MAX", (*axis)[0], false, false), {Plain(from)}, why);
  return Finish(wide ? places : Host(name_, host::Cast(DType::kInt32), {places}, why), false);
}

bool Builder::CumulativeSum() {
  if (!Operands(2, 2)) return false;
  const DType type = Info(op_->inputs[0]).dtype;
  const auto axis = IntegersOf(1);
  if (!axis || axis->size() != 1) return Unsupported("an axis that is not constant");
  if (type != DType::kFloat32 && type != DType::kInt32 && type != DType::kInt64)
    return Unsupported(fmt::format("{} values", graph::Name(type)));
  const auto* options = std::get_if<CumulativeOptions>(&op_->options);
  const CumulativeOptions o = options ? *options : CumulativeOptions{};
  return Finish(Host(name_, host::CumulativeSum(o.exclusive, o.reverse),
                     {Plain(op_->inputs[0]), List(".axis", *axis)}, kNoSums),
                false);
}

bool Builder::L2Normalize() {
  if (!Operands(1, 1)) return false;
  const int from = op_->inputs[0], to = op_->outputs[0];
  const auto* options = std::get_if<ElementwiseOptions>(&op_->options);
  if (options && options->activation != Activation::kNone) return Unsupported("a fused activation function");
  if (Info(from).shape.empty()) return Malformed("a scalar");
  if (!IsFloat(from)) {
    if (!IsQuantized(from) || !IsQuantized(to) || Info(from).dtype != Info(to).dtype)
      return Unsupported(
          fmt::format("{} values: float32 and quantized bytes are", graph::Name(Info(from).dtype)));
    if (Info(to).scales[0] != 1.0f / 128 || ZeroPoint(to) != 0)
      return Unsupported("a result that does not have the scale and zero point of the reference");
    const auto norm = host::L2NormalizationInt8(ZeroPoint(from), Info(from).dtype == DType::kUint8);
    return Finish(Host(name_, norm, {Plain(from)}, kNoSums, QuantizationOf(to)), false);
  }
  const ValueId x = Plain(from);
  const ValueId norm =
      Host(name_ + ".norm", host::Reduce("l2", host::Reduction::kL2, {-1}, true, true), {x}, "float32");
  const ValueId least = model_.graph.AddConstant(name_ + ".least", Tensor({}, std::vector<float>{1e-6f}));
  const ValueId divisor =
      Host(name_ + ".divisor", host::Binary("max", host::Arithmetic::kMaximum), {norm, least}, "float32");
  return Finish(Host(name_, host::Binary("div", host::Arithmetic::kDivide), {x, divisor}, "float32"), false);
}

// The root of the mean of squares.
bool Builder::L2Pool() {
  if (!Operands(1, 1)) return false;
  const auto* options = std::get_if<WindowOptions>(&op_->options);
  const int from = op_->inputs[0];
  if (!options || Info(from).shape.size() != 4)
    return Malformed("has no options, or input without 4 dimensions");
  if (!IsFloat(from)) return Unsupported("anything but float32");
  const ValueId x = Nchw(from);
  const auto window =
      WindowOf(*options, model_.graph.node(x).type.shape, options->kernel[0], options->kernel[1]);
  if (!window) return false;
  const ValueId squares =
      Host(name_ + ".squares", host::Binary("mul", host::Arithmetic::kMultiply), {x, x}, "float32");
  const auto pool = host::Pooling("average_pool", host::Pool::kAverage, host::SpatialOf(*window), 0, false);
  const ValueId mean = Host(name_ + ".mean", pool, {squares}, "float32");
  const ValueId root = Host(name_, host::Function("sqrt"), {mean}, "float32");
  return root >= 0 && Finish(Activate(root, options->activation, name_ + ".activation"), true);
}

bool Builder::LogSoftmax() {
  if (!Operands(1, 1)) return false;
  const int from = op_->inputs[0], to = op_->outputs[0];
  if (!IsFloat(from)) {
    if (!IsQuantized(from) || !IsQuantized(to) || Info(from).dtype != Info(to).dtype)
      return Unsupported(
          fmt::format("{} values: float32 and quantized bytes are", graph::Name(Info(from).dtype)));
    if (Info(to).scales[0] != 1.0f / 16 || ZeroPoint(to) != 127)
      return Unsupported("a result that does not have the scale and zero point of the reference");
    return Finish(Host(name_, host::LogSoftmaxInt8(static_cast<double>(Info(from).scales[0])), {Plain(from)},
                       "the ISA has no logarithm: an ALU op would lift that", QuantizationOf(to)),
                  false);
  }
  return Finish(Host(name_, host::Normalize("log_softmax", host::Normalization::kLogSoftmax, -1, false),
                     {Plain(op_->inputs[0])}, "float32"),
                false);
}

// Bytes: sums of products less their zero points, in 32 bits, times the factor of the scales. int16: in 64.
bool Builder::BatchMatMul() {
  if (!Operands(2, 2)) return false;
  const auto* options = std::get_if<ProductOptions>(&op_->options);
  const bool turned[] = {options && options->transpose_a, options && options->transpose_b};
  const int a = op_->inputs[0], b = op_->inputs[1], to = op_->outputs[0];
  ValueId values[2];
  for (int k : {0, 1}) {
    const Shape& shape = Info(op_->inputs[k]).shape;
    if (shape.size() < 2) return Malformed("a factor that is no matrix");
    values[k] = Plain(op_->inputs[k]);
    if (!turned[k]) continue;
    std::vector<int64_t> order;
    for (size_t d = 0; d < shape.size(); ++d) order.push_back(static_cast<int64_t>(d));
    std::swap(order[order.size() - 1], order[order.size() - 2]);
    values[k] = Host(fmt::format("{}.turned{}", name_, k), host::Transpose(order), {values[k]}, kMovesReason,
                     QuantizationOf(op_->inputs[k]));
  }
  const std::string why = "the array multiplies activations by weights, not by activations of this layout";
  if (IsFloat(a) && IsFloat(b))
    return Finish(Host(name_, host::MatMul(), {values[0], values[1]}, why), false);
  if (IsFloat(a)) return HybridMatMul(values[0], values[1], options && options->asymmetric);
  const double factor = IsInteger(a) && IsInteger(b) && IsInteger(to)
                            ? static_cast<double>(Info(a).scales[0]) *
                                  static_cast<double>(Info(b).scales[0]) /
                                  static_cast<double>(Info(to).scales[0])
                            : 0;
  if (IsWide(a) && IsWide(b) && IsWide(to)) return WideMatMul(values[0], values[1], factor);
  if (!IsQuantized(a) || !IsQuantized(b) || !IsQuantized(to) || Info(a).dtype != DType::kInt8 ||
      Info(b).dtype != DType::kInt8)
    return Unsupported(fmt::format("{} by {}: float32, or quantized int8 or int16 alike, are",
                                   graph::Name(Info(a).dtype), graph::Name(Info(b).dtype)));
  std::vector<ValueId> operands = {values[0], values[1]};
  for (int k : {0, 1}) {
    const auto zero = static_cast<int8_t>(ZeroPoint(op_->inputs[k]));
    operands.push_back(
        model_.graph.AddConstant(fmt::format("{}.zero{}", name_, k), Tensor({}, std::vector<int8_t>{zero})));
  }
  const host::TfliteRequantization requantization{.multiplier = Multiplier::Of(factor),
                                                  .to_zero_point = ZeroPoint(to)};
  const ValueId sums = Host(name_ + ".sums", host::MatMulInteger(), operands, why);
  return Finish(Host(name_, host::Requantization(requantization), {sums}, why, QuantizationOf(to)), false);
}

bool Builder::WideMatMul(ValueId a, ValueId b, double factor) {
  const Multiplier multiplier = Multiplier::Of(factor);
  if (multiplier.exponent >= 8) return Unsupported("scales that the reference does not define");
  const auto wide = [&](const std::string& what, ValueId value) {
    return Host(name_ + what, host::Cast(DType::kInt64), {value}, kWideReason);
  };
  const ValueId sums =
      Host(name_ + ".sums", host::MatMul(), {wide(".int64.0", a), wide(".int64.1", b)}, kWideReason);
  const host::TfliteRequantization requantization{
      .multiplier = multiplier, .low = -32768, .high = 32767, .to = DType::kInt16};
  return Finish(
      Host(name_, host::Requantization(requantization), {sums}, kWideReason, QuantizationOf(op_->outputs[0])),
      false);
}

}  // namespace cosim::import::tflite
