// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/inverse_root.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace cosim::host {
namespace {

// x * 2^3, saturating: what a product of numbers with 3 integer bits, which has 6, loses.
int32_t TimesEight(int32_t x) {
  constexpr int64_t kLeast = std::numeric_limits<int32_t>::min(), kMost = std::numeric_limits<int32_t>::max();
  return static_cast<int32_t>(std::clamp<int64_t>(int64_t{x} * 8, kLeast, kMost));
}
int32_t TimesSixtyFour(int32_t x) { return TimesEight(TimesEight(x)); }

}  // namespace

// Newton and Raphson with 3 integer bits: x' = 3/2 x - v/2 x^3, five times from 1 on.
Multiplier InverseRoot(int32_t v) {
  if (v <= 1) return {std::numeric_limits<int32_t>::max(), 0};
  int shift = 11;
  for (; v >= 1 << 29; v /= 4) ++shift;
  const int pairs = (std::countl_zero(static_cast<uint32_t>(v)) - 1) / 2 - 1;
  shift -= pairs;
  v <<= 2 * pairs;
  const int32_t half = RoundingDivideByPowerOfTwo(v >> 1, 1);
  constexpr int32_t kOneAndAHalf = (1 << 28) + (1 << 27), kHalfRootOfTwo = 1518500250;
  int32_t x = 1 << 28;
  for (int step = 0; step < 5; ++step) {
    // A cube has 9 integer bits, a product 6.
    const int32_t cube = TimesSixtyFour(DoublingHighMultiply(DoublingHighMultiply(x, x), x));
    x = TimesEight(DoublingHighMultiply(kOneAndAHalf, x) - DoublingHighMultiply(half, cube));
  }
  x = DoublingHighMultiply(x, kHalfRootOfTwo);
  if (shift < 0) {
    x = static_cast<int32_t>(static_cast<uint32_t>(x) << -shift);
    shift = 0;
  }
  return {x, -shift};
}

HostOperatorPtr L2NormalizationInt8(int32_t zero_point, bool unsigned_bytes) {
  return Make(
      "tflite_l2_normalization", 1, 1,
      [](Operands in) {
        const TensorType& x = in[0].type;
        // More would overflow the sum of squares.
        return x.dtype == DType::kInt8 && !x.shape.empty() && x.shape.back() <= 1 << 15
                   ? One(x)
                   : Refuse("input must be int8 in rows of at most {} values", 1 << 15);
      },
      [=](Values in, Results out) {
        const int64_t n = in[0]->shape().back();
        const auto x = in[0]->data<int8_t>();
        const auto y = out[0].mutable_data<int8_t>();
        for (int64_t row = 0; row < in[0]->size(); row += n) {
          int32_t sum = 0;
          for (int64_t i = row; i < row + n; ++i) sum += (x[i] - zero_point) * (x[i] - zero_point);
          Multiplier inverse = InverseRoot(sum);
          if (!unsigned_bytes) inverse.exponent += 7;
          const int32_t unit = unsigned_bytes ? 128 : 1;
          for (int64_t i = row; i < row + n; ++i)
            y[i] = static_cast<int8_t>(std::clamp(inverse.Apply((x[i] - zero_point) * unit), -128, 127));
        }
      });
}

}  // namespace cosim::host
