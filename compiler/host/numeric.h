// SPDX-License-Identifier: Apache-2.0
// What arithmetic operators share: choosing code by element type, half precision through float, axes, and
// reading small integer operands.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>

#include "compiler/host/make.h"
#include "isa/check.h"

namespace cosim::host {

/// Calls f(T()) with the arithmetic type of the elements; float16 has to be converted before (ThroughFloat).
template <typename F>
void Dispatch(DType dtype, F&& f) {
  graph::WithElementType(dtype, [&](auto zero) {
    if constexpr (std::is_same_v<decltype(zero), graph::Half>) {
      COSIM_CHECK(false, "float16 has no arithmetic");
    } else {
      f(zero);
    }
  });
}

/// As `compute`, which sees float32 in place of every float16 operand and result.
ComputeFunction ThroughFloat(ComputeFunction compute);

/// A double as T: C++'s conversion, but to integers saturating, NaN to 0.
template <typename T>
T ConvertNumber(double v) {
  if constexpr (std::is_integral_v<T>) {
    if (std::isnan(v)) return 0;
    if (v <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
    if (v >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  }
  return static_cast<T>(v);
}

/// The tensor as another element type: C++'s conversions, floats to integers towards zero and saturating,
/// anything but zero to true.
Tensor ConvertTo(const Tensor& tensor, DType dtype);

/// Elements as int64, of an operand that holds shapes, axes or indices.
std::vector<int64_t> Integers(const Tensor& tensor);
/// Elements as double.
std::vector<double> Reals(const Tensor& tensor);

/// `axis` counted from the front, or nothing when it is not in [-rank, rank).
inline std::optional<size_t> AxisOf(int64_t axis, size_t rank) {
  const auto n = static_cast<int64_t>(rank);
  if (axis < -n || axis >= n) return std::nullopt;
  return static_cast<size_t>(axis < 0 ? axis + n : axis);
}

/// A tensor seen as [outer, extent, inner] around one dimension.
struct AroundAxis {
  int64_t outer = 1, extent = 1, inner = 1;
  AroundAxis(const Shape& shape, size_t axis) : extent(shape[axis]) {
    for (size_t d = 0; d < axis; ++d) outer *= shape[d];
    for (size_t d = axis + 1; d < shape.size(); ++d) inner *= shape[d];
  }
};

/// Row-major steps of `shape`.
inline std::vector<int64_t> StridesOf(const Shape& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

/// Whether a tensor of that shape is small enough to be made.
bool IsReasonable(const Shape& shape);

}  // namespace cosim::host
