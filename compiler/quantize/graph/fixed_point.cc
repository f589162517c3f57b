// SPDX-License-Identifier: Apache-2.0
// Conversion of factors to multiplier and shift.
#include "compiler/quantize/graph/fixed_point.h"

#include <algorithm>
#include <cmath>

#include "isa/check.h"

namespace cosim::graph {

FixedPoint ToFixedPoint(double factor) {
  COSIM_CHECK(factor > 0, "factor {}", factor);
  int exponent;
  const double mantissa = std::frexp(std::max(factor, std::ldexp(1, -32)), &exponent);  // In [0.5, 1).
  int64_t multiplier = std::llround(std::ldexp(mantissa, 31));
  if (multiplier == int64_t{1} << 31) {
    multiplier >>= 1;
    ++exponent;
  }
  const int shift = 31 - exponent;
  COSIM_CHECK(shift >= 0, "factor {} is too large", factor);
  return {static_cast<int32_t>(multiplier), shift};
}

FixedPoint ToPowerOfTwo(double factor) {
  int exponent;
  const double mantissa = std::frexp(factor, &exponent);
  --exponent;
  COSIM_CHECK(mantissa == 0.5 && exponent >= -62 && exponent <= 30, "factor {} is no power of two in range",
              factor);
  return exponent >= 0 ? FixedPoint{1 << exponent, 0} : FixedPoint{1, -exponent};
}

}  // namespace cosim::graph
