// SPDX-License-Identifier: Apache-2.0
// Broadcasting as numpy and ONNX define it: shapes are aligned at their ends, an extent of 1 stretches.
#pragma once

#include <optional>

#include "compiler/host/make.h"

namespace cosim::host {

/// The common shape, or nothing.
std::optional<Shape> BroadcastShape(const Shape& a, const Shape& b);

/// One result of `dtype` with the common shape of all operands.
Types InferBroadcast(Operands operands, DType dtype);

/// Steps of a row-major walk over `to` through an array of shape `from` that broadcasts to it; 0 where it
/// stretches.
std::vector<int64_t> BroadcastStrides(const Shape& from, const Shape& to);

/// Walks positions of several strided arrays along a row-major walk over `shape`: f(index, positions...).
template <typename F>
void Walk(const Shape& shape, const std::vector<int64_t>& a, const std::vector<int64_t>& b, F&& f) {
  const int64_t size = graph::NumElements(shape);
  Shape at(shape.size(), 0);
  int64_t ia = 0, ib = 0;
  for (int64_t i = 0; i < size; ++i) {
    f(i, ia, ib);
    for (size_t d = shape.size(); d-- > 0;) {
      ia += a[d];
      ib += b[d];
      if (++at[d] < shape[d]) break;
      ia -= a[d] * shape[d];
      ib -= b[d] * shape[d];
      at[d] = 0;
    }
  }
}

/// f(index of the result, index of the first operand, of the second), in row-major order of the result.
template <typename F>
void ForEachBroadcast(Values operands, const Shape& result, F&& f) {
  Walk(result, BroadcastStrides(operands[0]->shape(), result), BroadcastStrides(operands[1]->shape(), result),
       f);
}

}  // namespace cosim::host
