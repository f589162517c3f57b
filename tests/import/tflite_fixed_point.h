// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's fixed point once more, for tests that share no code with the library.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "compiler/graph/tensor.h"

namespace cosim::import::tflite {

using graph::DType;

/// x * factor as the reference multiplies: with 31 bits of the factor, rounded half up, then half away from
/// 0.
inline int64_t Times(int64_t x, double factor) {
  int exponent = 0;
  auto fraction = static_cast<int64_t>(std::round(std::ldexp(std::frexp(factor, &exponent), 31)));
  if (fraction == int64_t{1} << 31) fraction /= 2, ++exponent;
  const int64_t left = x * (int64_t{1} << std::max(exponent, 0));
  const int64_t high = (left * fraction + (int64_t{1} << 30)) >> 31;
  return static_cast<int64_t>(std::round(std::ldexp(static_cast<double>(high), std::min(exponent, 0))));
}

struct Range {
  int64_t low, high;
  int64_t operator()(int64_t v) const { return std::clamp(v, low, high); }
};
inline Range RangeOf(DType type) {
  return type == DType::kInt8    ? Range{-128, 127}
         : type == DType::kUint8 ? Range{0, 255}
                                 : Range{-32768, 32767};
}
inline int32_t ZeroOf(DType type, int32_t shift) {
  return type == DType::kInt8 ? shift : type == DType::kUint8 ? 128 + shift : 0;
}

inline constexpr DType kQuantized[] = {DType::kInt8, DType::kUint8, DType::kInt16};

}  // namespace cosim::import::tflite
