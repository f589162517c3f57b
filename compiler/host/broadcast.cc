// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/broadcast.h"

namespace cosim::host {

std::optional<Shape> BroadcastShape(const Shape& a, const Shape& b) {
  const size_t rank = std::max(a.size(), b.size());
  Shape result(rank, 1);
  for (size_t d = 0; d < rank; ++d) {
    const int64_t x = d + a.size() < rank ? 1 : a[d + a.size() - rank];
    const int64_t y = d + b.size() < rank ? 1 : b[d + b.size() - rank];
    if (x != y && x != 1 && y != 1) return std::nullopt;
    result[d] = x == 1 ? y : x;
  }
  return result;
}

Types InferBroadcast(Operands operands, DType dtype) {
  Shape shape;
  for (const HostOperand& operand : operands) {
    if (operand.absent) continue;
    const auto next = BroadcastShape(shape, operand.type.shape);
    if (!next)
      return Refuse("shapes {} and {} do not broadcast", ToString(shape), ToString(operand.type.shape));
    shape = *next;
  }
  return One(dtype, shape);
}

std::vector<int64_t> BroadcastStrides(const Shape& from, const Shape& to) {
  std::vector<int64_t> strides(to.size(), 0);
  int64_t step = 1;
  for (size_t k = 0; k < from.size(); ++k) {
    const size_t d = from.size() - 1 - k;
    if (from[d] != 1) strides[to.size() - 1 - k] = step;
    step *= from[d];
  }
  return strides;
}

}  // namespace cosim::host
