// SPDX-License-Identifier: Apache-2.0
#include "compiler/ops/movement.h"

#include "compiler/tir/operators.h"

namespace cosim::ops {

using te::Indices;
using te::Tensor;
using tir::Expr;
using tir::Int;

Definition Move(const std::string& name, const std::vector<int64_t>& shape, const Tensor& x,
                const std::function<Indices(const Indices&)>& at) {
  const auto element = [&](const Indices& i) -> te::Body { return x(at(i)); };
  return {{{te::Compute(name, shape, element), Pattern::kColumns}}, {}};
}

Definition Reshaped(const std::string& name, const std::vector<int64_t>& shape, const Tensor& x) {
  return Move(name, shape, x, [&](const Indices& i) {
    if (x.shape() == shape) return i;
    Expr rest = Int(0);
    for (size_t d = 0; d < shape.size(); ++d) rest = rest * shape[d] + i[d];
    Indices at(x.shape().size(), Int(0));
    for (size_t d = at.size(); d-- > 1;) {
      at[d] = FloorMod(rest, x.shape()[d]);
      rest = FloorDiv(rest, x.shape()[d]);
    }
    at[0] = rest;
    return at;
  });
}

Definition Joined(const std::string& name, const std::vector<int64_t>& shape,
                  const std::vector<Tensor>& parts, size_t axis) {
  const auto element = [&](const Indices& i) -> te::Body {
    int64_t first = shape[axis];
    Expr value;
    for (size_t k = parts.size(); k-- > 0;) {  // the last first: each one before it takes its own off
      const int64_t extent = parts[k].shape()[axis];
      first -= extent;
      Indices at = i;
      at[axis] = i[axis] - first;
      const Expr mine = parts[k](at);
      value = value ? MakeSelect(Lt(i[axis], first + extent), mine, value) : mine;
    }
    return value;
  };
  return {{{te::Compute(name, shape, element), Pattern::kColumns}}, {}};
}

Expr PlaceOf(const Expr& index, int64_t extent) {
  const Expr value = MakeCast(tir::DataType::Index(), index);
  const Expr from_front = MakeSelect(Lt(value, 0), value + extent, value);
  return Max(Min(from_front, Int(extent - 1)), Int(0));
}

}  // namespace cosim::ops
