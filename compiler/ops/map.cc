// SPDX-License-Identifier: Apache-2.0
#include "compiler/ops/map.h"

#include <algorithm>

#include "isa/check.h"

namespace cosim::ops {
namespace {

using tir::DataType;
using tir::Expr;

/// |x| of an integer as the unsigned type of its width.
Expr Magnitude(const Expr& x) {
  const DataType type = DataType::UInt(x->type.bits);
  if (!x->type.is_signed()) return x;
  const Expr value = MakeCast(type, x);
  return MakeSelect(Lt(x, 0), tir::Int(0, type) - value, value);
}

Expr WithSign(const Expr& negative, const Expr& magnitude, DataType type) {
  const Expr value = MakeCast(type, magnitude);
  return MakeSelect(negative, tir::Int(0, type) - value, value);
}

/// The first dimension of `shape` from which x, which is broadcast to it, has all elements or one.
size_t FirstOfRun(const te::Tensor& x, const std::vector<int64_t>& shape) {
  bool all = true, one = true;
  for (size_t d = shape.size(); d-- > 0;) {
    const size_t behind = shape.size() - d, rank = x.shape().size();
    const int64_t extent = behind <= rank ? x.shape()[rank - behind] : 1;
    all = all && extent == shape[d];
    one = one && extent == 1;
    if (!all && !one) return d + 1;
  }
  return 0;
}

}  // namespace

Expr Number(double value, DataType type) {
  if (type.is_float()) return tir::Float(value, type);
  return tir::Int(static_cast<int64_t>(value), type);
}

Expr ConvertTo(DataType type, const Expr& x) {
  if (x->type == type) return x;
  return type == DataType::Bool() ? Ne(x, Number(0, x->type)) : MakeCast(type, x);
}

Expr Broadcast(const te::Tensor& x, const te::Indices& i) {
  const std::vector<int64_t>& shape = x.shape();
  te::Indices at(shape.size(), tir::Int(0));
  for (size_t k = 1; k <= std::min(shape.size(), i.size()); ++k)
    if (shape[shape.size() - k] != 1) at[shape.size() - k] = i[i.size() - k];
  return x(at);
}

Definition Map(const std::string& name, const std::vector<int64_t>& shape,
               const std::vector<te::Tensor>& operands, const MapFn& element) {
  Computation result;
  for (const te::Tensor& x : operands) result.inner_from = std::max(result.inner_from, FirstOfRun(x, shape));
  const auto body = [&](const te::Indices& i) -> te::Body {
    std::vector<Expr> values;
    for (const te::Tensor& x : operands) values.push_back(Broadcast(x, i));
    return element(values);
  };
  result.tensor = te::Compute(name, shape, body);
  return {{result}, {}};
}

Expr Quotient(const Expr& a, const Expr& b) {
  const DataType type = a->type;
  const Expr divisor = Magnitude(b);
  const Expr quotient = FloorDiv(Magnitude(a), Max(divisor, tir::Int(1, divisor->type)));
  const Expr zero = tir::Int(0, type);
  if (!type.is_signed()) return MakeSelect(Eq(b, zero), zero, quotient);
  const Expr negative = Ne(Lt(a, zero), Lt(b, zero));
  return MakeSelect(Eq(b, zero), zero, WithSign(negative, quotient, type));
}

Expr Remainder(const Expr& a, const Expr& b) {
  const DataType type = a->type;
  const Expr divisor = Magnitude(b);
  const Expr rest = FloorMod(Magnitude(a), Max(divisor, tir::Int(1, divisor->type)));
  const Expr zero = tir::Int(0, type);
  return MakeSelect(Eq(b, zero), zero, type.is_signed() ? WithSign(Lt(a, zero), rest, type) : rest);
}

}  // namespace cosim::ops
