// SPDX-License-Identifier: Apache-2.0
// The two element types of quantized values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "compiler/graph/tensor.h"
#include "isa/check.h"

namespace cosim::golden {

/// Calls f(T{}) with the type of quantized elements, int8_t or int16_t.
template <typename F>
void WithQuantized(graph::DType dtype, F f) {
  COSIM_CHECK(dtype == graph::DType::kInt8 || dtype == graph::DType::kInt16, "element type {}",
              graph::Name(dtype));
  dtype == graph::DType::kInt8 ? f(int8_t{}) : f(int16_t{});
}

/// Clamp of ops.h.
template <typename T>
T Clamp(int64_t x) {
  return static_cast<T>(std::clamp<int64_t>(x, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

/// Clamp of a real number that is a whole one.
template <typename T>
T ClampReal(double x) {
  return static_cast<T>(
      std::clamp(x, double{std::numeric_limits<T>::min()}, double{std::numeric_limits<T>::max()}));
}

}  // namespace cosim::golden
