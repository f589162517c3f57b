// SPDX-License-Identifier: Apache-2.0
// The fixed-point arithmetic of TensorFlow Lite's reference kernels (gemmlowp's), on plain int32: what each
// rounding does, to the bit.
#pragma once

#include <cstdint>

namespace cosim::host {

/// a * b / 2^31, rounded half up; saturates in its one overflow, both operands -2^31.
int32_t DoublingHighMultiply(int32_t a, int32_t b);

/// x / 2^exponent, rounded half away from zero; 0 <= exponent <= 31.
int32_t RoundingDivideByPowerOfTwo(int32_t x, int exponent);

/// multiplier / 2^31 * 2^exponent, as TensorFlow Lite stores a real factor.
struct Multiplier {
  int32_t multiplier = 0;
  int exponent = 0;  ///< positive: a left shift that wraps; from -31 to 30

  /// The nearest to `factor`, which is at least 0; 0 below 2^-32, the largest for 2^30 and beyond.
  static Multiplier Of(double factor);
  /// x * multiplier: left shift, doubling high multiply, rounding right shift.
  int32_t Apply(int32_t x) const;
  /// Of a sum with 64 bits: the upper 16 bits of the multiplier, rounded, and one rounding half up; the
  /// result wraps. |x| < 2^47 and exponent < 8 are what the reference is defined for.
  int32_t ApplyWide(int64_t x) const;
};

/// exp(x / 2^(31 - integer_bits)) of x <= 0 with 2^31 for 1 (saturated to 2^31 - 1): gemmlowp's
/// exp_on_negative_values; integer_bits is 4 or 5.
int32_t ExpOnNegative(int32_t x, int integer_bits);

/// 1 / (1 + x / 2^31) of x in [0, 2^31), with 2^31 for 1.
int32_t OneOverOnePlus(int32_t x);
/// (1 - x / 2^31) / (1 + x / 2^31) likewise.
int32_t OneMinusOverOnePlus(int32_t x);

/// log(x / 2^19) of x >= 2^19, with 2^26 for 1: gemmlowp's log_x_for_x_greater_than_or_equal_to_1.
int32_t LogOfAtLeastOne(int32_t x);

}  // namespace cosim::host
