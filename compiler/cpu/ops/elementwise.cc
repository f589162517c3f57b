// SPDX-License-Identifier: Apache-2.0
// Tensor expressions of the graph's integer operations that work element by element.
#include "compiler/cpu/ops/elementwise.h"

#include "compiler/tir/operators.h"

namespace cosim::cpu {
namespace {

using te::Indices;
using te::Tensor;
using tir::DataType;
using tir::Expr;
using tir::Int;

Expr Clamp(const Expr& x, const Expr& low, const Expr& high) { return Max(Min(x, high), low); }

/// What one operand contributes to a QAdd, an int32.
Expr Term(const graph::QAdd::Operand& operand, const Expr& x) {
  const Expr centered = As(kInt32, x) - operand.zero_point;
  return As(kInt32, RoundShift(As(kInt64, centered) * operand.multiplier, Int(operand.shift)));
}

/// graph::Twice on int64.
Expr Twice(const Expr& x, const Expr& multiplier, const Expr& shift) {
  const Expr high = RoundShift(x * multiplier, Int(31, kInt64));
  const Expr away = MakeSelect(And(Lt(high, 0), Lt(Int(0, kInt64), shift)), Int(1, kInt64), Int(0, kInt64));
  return RoundShift(high - away, shift);
}

Expr ScaledAddTerm(const graph::QAdd::Operand& operand, const Expr& x) {
  const Expr centered = (As(kInt64, x) - operand.zero_point) * (int64_t{1} << graph::ScaledAdd::kLeftShift);
  return Twice(centered, Int(operand.multiplier, kInt64), Int(operand.shift, kInt64));
}

}  // namespace

Expr Saturated(DataType type, const Expr& x) {
  const int64_t least = -(int64_t{1} << (type.bits - 1)), largest = -least - 1;
  const auto bound = [&](int64_t value) {
    return x->type.code == DataType::Code::kFloat ? tir::Float(static_cast<double>(value), x->type)
                                                  : Int(value, x->type);
  };
  return As(type, Clamp(x, bound(least), bound(largest)));
}

Expr ChannelValue::At(const Expr& channel) const {
  return per_channel.get() == nullptr ? Int(common, kInt32) : per_channel(channel);
}

Tensor BiasAdd(const std::string& name, const Tensor& x, const Tensor& bias) {
  return te::Compute(name, x.shape(), [&](const Indices& i) { return x(i) + bias(i[1]); });
}

Tensor Requantize(const std::string& name, const Tensor& x, const ChannelValue& multiplier,
                  const ChannelValue& shift, const graph::Requantize& op) {
  const DataType type = DataType::Int(op.bits);
  return te::Compute(name, x.shape(), [&](const Indices& i) {
    const Expr factor = As(kInt64, multiplier.At(i[1])), by = As(kInt64, shift.At(i[1]));
    if (op.twice) return Saturated(type, Twice(As(kInt64, x(i)), factor, by) + op.zero_point);
    const Expr scaled = RoundShift(As(kInt64, x(i)) * factor, by);
    // Saturating to int32 first would change nothing: a zero point moves no value across all of a type's
    // range.
    return Saturated(type, scaled + op.zero_point);
  });
}

Tensor Clip(const std::string& name, const graph::Clip& op, const Tensor& x) {
  return te::Compute(name, x.shape(), [&](const Indices& i) {
    return Clamp(x(i), Int(op.lo, x.type()), Int(op.hi, x.type()));
  });
}

Tensor QAdd(const std::string& name, const graph::QAdd& op, const Tensor& a, const Tensor& b) {
  return te::Compute(name, a.shape(), [&](const Indices& i) {
    return Saturated(a.type(), Term(op.a, a(i)) + Term(op.b, b(i)) + op.output_zero_point);
  });
}

Tensor ScaledAdd(const std::string& name, const graph::ScaledAdd& op, const Tensor& a, const Tensor& b) {
  return te::Compute(name, a.shape(), [&](const Indices& i) {
    const Expr sum = ScaledAddTerm(op.a, a(i)) + ScaledAddTerm(op.b, b(i));
    const Expr scaled = Twice(sum, Int(op.multiplier, kInt64), Int(op.shift, kInt64));
    return Saturated(a.type(), scaled + op.output_zero_point);
  });
}

Tensor QMul(const std::string& name, const graph::QMul& op, const Tensor& a, const Tensor& b) {
  return te::Compute(name, a.shape(), [&](const Indices& i) {
    const Expr product = (As(kInt64, a(i)) - op.a_zero_point) * (As(kInt64, b(i)) - op.b_zero_point);
    // As for Requantize, saturating to int32 first would change nothing.
    return Saturated(a.type(), RoundShift(product * op.multiplier, Int(op.shift)) + op.output_zero_point);
  });
}

Tensor Rescale(const std::string& name, const graph::Rescale& op, const Tensor& x) {
  return te::Compute(name, x.shape(), [&](const Indices& i) {
    const Expr term = Term({op.input_zero_point, op.multiplier, op.shift}, x(i));
    return Saturated(x.type(), term + op.output_zero_point);
  });
}

Tensor Quantize(const std::string& name, const graph::Quantize& op, const Tensor& x) {
  const DataType real = DataType::Float(64);
  return te::Compute(name, x.shape(), [&](const Indices& i) {
    const Expr steps = Divide(As(real, x(i)), tir::Float(op.scale, real)) + tir::Float(0.5, real);
    const Expr shifted = MakeMath(tir::MathFn::kFloor, steps) + tir::Float(op.zero_point, real);
    return Saturated(DataType::Int(8), shifted);
  });
}

Tensor Dequantize(const std::string& name, const graph::Dequantize& op, const Tensor& x) {
  const DataType real = DataType::Float(32);
  return te::Compute(name, x.shape(), [&](const Indices& i) {
    return As(real, As(kInt32, x(i)) - op.zero_point) * tir::Float(op.scale, real);
  });
}

}  // namespace cosim::cpu
