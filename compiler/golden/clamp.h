// SPDX-License-Identifier: Apache-2.0
// Results into the range of an element type.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace cosim::golden {

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
