// SPDX-License-Identifier: Apache-2.0
// See elementwise.h: one overload of Build an operation.
#include "compiler/ops/elementwise.h"

#include <limits>

#include "compiler/ops/map.h"
#include "isa/check.h"

namespace cosim::ops {
namespace {

using tir::DataType;
using tir::Expr;
using tir::Int;

using Operands = std::span<const Expr>;

Expr Clamp(const Expr& x, const Expr& low, const Expr& high) { return Max(Min(x, high), low); }

/// graph::Sat32 of an int64.
Expr Sat32(const Expr& x) {
  return Clamp(x, Int(std::numeric_limits<int32_t>::min(), kInt64),
               Int(std::numeric_limits<int32_t>::max(), kInt64));
}

/// What one operand contributes to a QAdd, an int32.
Expr Term(const graph::QAdd::Operand& operand, const Expr& x) {
  const Expr centred = As(kInt32, x) - operand.zero_point;
  return As(kInt32, RoundShift(As(kInt64, centred) * operand.multiplier, Int(operand.shift)));
}

/// A value in numbers of a record.
struct Scale {
  Expr multiplier, shift;  ///< int32
  bool in_range = false;   ///< Parameters::InRange
};

Scale ScaleOf(Parameters& parameters, int record, std::span<const int32_t> multiplier,
              std::span<const int32_t> shift) {
  return {parameters.Get(record, Part::kMultiplier, multiplier), parameters.Get(record, Part::kShift, shift),
          parameters.InRange()};
}

/// graph::Twice of a number of 32 bits, as int32. With a multiplier out of its range the first shift may
/// leave 32 bits.
Expr Twice(const Expr& x, const Scale& scale) {
  const Expr rounded = RoundShift(As(kInt64, x) * As(kInt64, scale.multiplier), Int(31, kInt64));
  const Expr high = scale.in_range ? rounded : Sat32(rounded);
  const Expr away =
      MakeSelect(And(Lt(high, 0), Ne(scale.shift, Int(0, kInt32))), Int(1, kInt64), Int(0, kInt64));
  return As(kInt32, RoundShift(high - away, As(kInt64, scale.shift)));
}

/// One term of a ScaledAdd, or the sum of both: record `record` of the operation.
Expr ScaledTerm(const graph::QAdd::Operand& operand, int record, const Expr& x, Parameters& parameters) {
  const int32_t offset = -operand.zero_point;
  const Expr centred = As(kInt32, x) + parameters.Get(record, Part::kOffset, {&offset, 1});
  const Expr shifted = ShiftLeft(centred, Int(graph::ScaledAdd::kLeftShift, kInt32));
  return Twice(shifted, ScaleOf(parameters, record, {&operand.multiplier, 1}, {&operand.shift, 1}));
}

DataType TypeOf(const graph::Node& node) {
  return DataType::Int(8 * static_cast<int>(graph::SizeOf(node.type.dtype)));
}

Expr Build(const graph::BiasAdd&, const graph::Node&, Operands in, Parameters&) { return in[0] + in[1]; }

Expr Build(const graph::Requantize& op, const graph::Node& node, Operands in, Parameters& parameters) {
  const Scale scale = ScaleOf(parameters, 0, op.multiplier, op.shift);
  if (op.twice) return Saturated(TypeOf(node), As(kInt64, Twice(in[0], scale)) + op.zero_point);
  const Expr product = As(kInt64, in[0]) * As(kInt64, scale.multiplier);
  const Expr scaled = RoundShift(product, As(kInt64, scale.shift));
  // In range, saturating to int32 changes nothing: a zero point moves no value across all of a type's range.
  return Saturated(TypeOf(node), (scale.in_range ? scaled : Sat32(scaled)) + op.zero_point);
}

Expr Build(const graph::Clip& op, const graph::Node&, Operands in, Parameters&) {
  return Clamp(in[0], Int(op.lo, in[0]->type), Int(op.hi, in[0]->type));
}

Expr Build(const graph::QAdd& op, const graph::Node& node, Operands in, Parameters&) {
  return Saturated(TypeOf(node), Term(op.a, in[0]) + Term(op.b, in[1]) + op.output_zero_point);
}

Expr Build(const graph::ScaledAdd& op, const graph::Node& node, Operands in, Parameters& parameters) {
  const Expr sum = ScaledTerm(op.a, 0, in[0], parameters) + ScaledTerm(op.b, 1, in[1], parameters);
  const int32_t none = 0;
  const Expr moved = sum + parameters.Get(2, Part::kOffset, {&none, 1});
  const Expr scaled = Twice(moved, ScaleOf(parameters, 2, {&op.multiplier, 1}, {&op.shift, 1}));
  return Saturated(TypeOf(node), As(kInt64, scaled) + op.output_zero_point);
}

Expr Build(const graph::QMul& op, const graph::Node& node, Operands in, Parameters&) {
  const Expr product = (As(kInt64, in[0]) - op.a_zero_point) * (As(kInt64, in[1]) - op.b_zero_point);
  // As for Requantize, saturating to int32 first would change nothing.
  return Saturated(TypeOf(node), RoundShift(product * op.multiplier, Int(op.shift)) + op.output_zero_point);
}

Expr Build(const graph::Rescale& op, const graph::Node& node, Operands in, Parameters&) {
  const Expr term = Term({op.input_zero_point, op.multiplier, op.shift}, in[0]);
  return Saturated(TypeOf(node), term + op.output_zero_point);
}

Expr Build(const graph::QLeakyRelu& op, const graph::Node& node, Operands in, Parameters&) {
  const Expr positive = Term({op.input_zero_point, op.positive_multiplier, op.positive_shift}, in[0]);
  const Expr negative = Term({op.input_zero_point, op.negative_multiplier, op.negative_shift}, in[0]);
  const Expr centred = As(kInt32, in[0]) - op.input_zero_point;
  return Saturated(TypeOf(node), MakeSelect(Lt(centred, 0), negative, positive) + op.output_zero_point);
}

Expr Build(const graph::QHardSwish& op, const graph::Node& node, Operands in, Parameters&) {
  const Expr centred = As(kInt32, in[0]) - op.input_zero_point;
  const Expr gate = Clamp(centred + op.three, Int(0, kInt32), Int(2 * int64_t{op.three}, kInt32));
  const Expr product = As(kInt64, centred) * As(kInt64, gate) * op.multiplier;
  return Saturated(TypeOf(node), As(kInt32, RoundShift(product, Int(op.shift))) + op.output_zero_point);
}

Expr Build(const graph::Quantize& op, const graph::Node& node, Operands in, Parameters&) {
  const Expr steps = Divide(Real(in[0]), tir::Float(op.scale, kReal)) + tir::Float(0.5, kReal);
  return Saturated(TypeOf(node), Apply(tir::MathFn::kFloor, steps) + tir::Float(op.zero_point, kReal));
}

Expr Build(const graph::Dequantize& op, const graph::Node&, Operands in, Parameters&) {
  return As(kReal32, As(kInt32, in[0]) - op.zero_point) * tir::Float(op.scale, kReal32);
}

Expr Build(const graph::Add&, const graph::Node&, Operands in, Parameters&) { return in[0] + in[1]; }

Expr Build(const graph::Sub&, const graph::Node&, Operands in, Parameters&) { return in[0] - in[1]; }

Expr Build(const graph::Mul&, const graph::Node&, Operands in, Parameters&) { return in[0] * in[1]; }

Expr Build(const graph::Relu& op, const graph::Node&, Operands in, Parameters&) {
  const Expr least = Max(tir::Float(0), in[0]);
  return op.cap > 0 ? Min(least, tir::Float(op.cap)) : least;
}

Expr Build(const graph::Gelu&, const graph::Node&, Operands in, Parameters&) {
  const Expr share = tir::Float(1) + Apply(tir::MathFn::kErf, in[0] * tir::Float(0.70710678118654752));
  return in[0] * tir::Float(0.5) * share;
}

template <typename Op>
concept HasElement = requires(const Op& op, const graph::Node& node, Operands in, Parameters& parameters) {
  Build(op, node, in, parameters);
};

Expr ClampedInto(DataType type, const Expr& x) {
  const int64_t least = -(int64_t{1} << (type.bits - 1)), largest = -least - 1;
  const auto bound = [&](int64_t value) { return Number(static_cast<double>(value), x->type); };
  return Clamp(x, bound(least), bound(largest));
}

}  // namespace

Expr Saturated(DataType type, const Expr& x) { return As(type, ClampedInto(type, x)); }

Expr SaturatedFloor(DataType type, const Expr& x) {
  const Expr clamped = ClampedInto(type, x), toward_zero = As(kInt32, clamped);
  return As(type, MakeSelect(Lt(clamped, As(x->type, toward_zero)), toward_zero - 1, toward_zero));
}

bool IsElementwise(const graph::Node& node) {
  return std::visit([]<typename Op>(const Op&) { return HasElement<Op>; }, node.op);
}

Expr Element(const graph::Node& node, Operands operands, Parameters& parameters) {
  return std::visit(
      [&]<typename Op>(const Op& op) -> Expr {
        if constexpr (HasElement<Op>) return Build(op, node, operands, parameters);
        COSIM_CHECK(false, "'{}' = {} is not elementwise", node.name, graph::Mnemonic(node.op));
      },
      node.op);
}

}  // namespace cosim::ops
