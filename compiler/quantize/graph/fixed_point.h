// SPDX-License-Identifier: Apache-2.0
// Real factors as integer multiplier and right shift, as Requantize and QAdd take them.
#pragma once

#include <cstdint>

namespace cosim::graph {

/// multiplier / 2^shift.
struct FixedPoint {
  int32_t multiplier = 1;
  int32_t shift = 0;

  bool operator==(const FixedPoint&) const = default;
};

/// The multiplier in [2^30, 2^31) and the shift in [0, 62] nearest to `factor`, which must be in (0, 2^31).
/// Factors below 2^-32 count as 2^-32: they make every int32 round to 0 (or, at the very end of its range, to
/// 1).
FixedPoint ToFixedPoint(double factor);

/// `factor`, a power of two, without a remainder: (1, n) for 2^-n, (2^n, 0) for 2^n; -62 <= exponent <= 30.
FixedPoint ToPowerOfTwo(double factor);

}  // namespace cosim::graph
