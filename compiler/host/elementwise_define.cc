// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/elementwise_define.h"

#include "isa/check.h"

namespace cosim::host {
namespace {

using tir::Expr;
using Elements = std::vector<Expr>;

Expr ZeroLike(const Expr& like) { return ops::Number(0, like->type); }
}  // namespace

Expr ApplyTo(Arithmetic op, const Expr& a, const Expr& b) {
  using A = Arithmetic;
  const bool is_float = a->type.is_float();
  const Expr zero = ZeroLike(a);
  const auto follow_sign = [&](const Expr& rest) {
    return MakeSelect(And(Ne(rest, zero), Ne(Lt(rest, zero), Lt(b, zero))), rest + b, rest);
  };
  const auto shifted = [&](const Expr& by) { return MakeSelect(tir::InRange(b, 0, a->type.bits), by, zero); };
  switch (op) {
    case A::kAdd:
      return a + b;
    case A::kSubtract:
      return a - b;
    case A::kMultiply:
      return a * b;
    case A::kDivide:
      return is_float ? Divide(a, b) : ops::Quotient(a, b);
    case A::kMinimum:
      return is_float ? MakeSelect(Or(Lt(b, a), Ne(b, b)), b, a) : Min(a, b);
    case A::kMaximum:
      return is_float ? MakeSelect(Or(Lt(a, b), Ne(b, b)), b, a) : Max(a, b);
    case A::kModulo:
      return follow_sign(is_float ? MakeBinary(tir::BinaryOp::kFMod, a, b) : ops::Remainder(a, b));
    case A::kFloatModulo:
      return is_float ? MakeBinary(tir::BinaryOp::kFMod, a, b) : ops::Remainder(a, b);
    case A::kShiftLeft:
      return shifted(ShiftLeft(a, b));
    case A::kShiftRight:
      return shifted(ShiftRight(a, b));
  }
  COSIM_CHECK(false, "arithmetic {}", static_cast<int>(op));
}

Expr CompareTo(Comparison op, const Expr& a, const Expr& b) {
  switch (op) {
    case Comparison::kEqual:
      return Eq(a, b);
    case Comparison::kLess:
      return Lt(a, b);
    case Comparison::kLessOrEqual:
      return Le(a, b);
    case Comparison::kGreater:
      return Lt(b, a);
    case Comparison::kGreaterOrEqual:
      return Le(b, a);
  }
  COSIM_CHECK(false, "comparison {}", static_cast<int>(op));
}

Expr PowerOf(const Expr& a, const Expr& b) {
  const auto real32 = tir::DataType::Float(32), real64 = tir::DataType::Float(64);
  const auto real = a->type == real32 && b->type != real64 ? real32 : real64;
  return ops::ConvertTo(a->type,
                        MakeBinary(tir::BinaryOp::kPow, ops::ConvertTo(real, a), ops::ConvertTo(real, b)));
}

std::optional<ops::Definition> DefineVariadic(Arithmetic op, bool mean, const ops::HostSite& site) {
  return ops::Map(site.name, site.shape(), site.in, [&](const Elements& v) {
    Expr sum = v[0];
    for (size_t i = 1; i < v.size(); ++i) sum = ApplyTo(op, sum, v[i]);
    const auto count = static_cast<double>(v.size());
    return mean ? ApplyTo(Arithmetic::kDivide, sum, ops::Number(count, sum->type)) : sum;
  });
}

std::optional<ops::Definition> DefineClip(const ops::HostSite& site) {
  const te::Tensor &x = site.in[0], &low = site.in[1], &high = site.in[2];
  const auto one = [](const te::Tensor& bound) {
    return bound(te::Indices(bound.shape().size(), tir::Int(0)));
  };
  const auto element = [&](const te::Indices& i) -> te::Body {
    Expr value = x(i);
    if (low.get()) value = Max(value, one(low));
    if (high.get()) value = Min(value, one(high));
    return value;
  };
  return ops::Definition{{{te::Compute(site.name, site.shape(), element), ops::Pattern::kElementwise}}, {}};
}

std::optional<ops::Definition> DefineConversion(const ops::HostSite& site) {
  return ops::Map(site.name, site.shape(), {site.in[0]},
                  [&](const Elements& v) { return ops::ConvertTo(ops::TypeOf(site.type.dtype), v[0]); });
}

std::optional<ops::Definition> DefineAligned(const HostOperatorPtr& op, const Shape& shape,
                                             const ops::HostSite& site) {
  const auto* definable = dynamic_cast<const ops::Definable*>(op.get());
  if (!definable || site.operands[1].type.shape.empty()) return std::nullopt;
  ops::HostSite inner = site;
  const te::Tensor& b = site.in[1];
  inner.in[1] = te::Compute(site.name + ".aligned", shape, [&](te::Indices i) -> te::Body {
    i.resize(b.shape().size());
    return b(i);
  });
  inner.operands[1].type.shape = shape;
  auto result = definable->Define(inner);
  if (result)
    result->computations.insert(result->computations.begin(), {inner.in[1], ops::Pattern::kColumns});
  return result;
}

}  // namespace cosim::host
