// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's operators on corresponding elements of two quantized tensors, broadcast, in the
// arithmetic of its reference kernels, to the bit; as in tflite.h, uint8 comes here as int8.
#pragma once

#include "compiler/host/elementwise.h"
#include "compiler/host/fixed_point.h"
#include "compiler/host/make.h"

namespace cosim::host {

/// PRELU: (x int8, slope int8) -> int8: x less its zero point times `positive`, or times the slope and
/// `negative` where it is negative.
struct TflitePRelu {
  int32_t zero_points[2] = {0, 0};
  Multiplier positive, negative;
  int32_t output_zero_point = 0;
};
HostOperatorPtr QuantizedPRelu(const TflitePRelu& attributes);

/// LESS and its kin: (a int8, b int8) -> bool. Both are shifted left by 8 bits and scaled first. `negate`:
/// the contrary.
struct TfliteComparison {
  int32_t zero_points[2] = {0, 0};
  Multiplier multipliers[2];
  Comparison comparison = Comparison::kEqual;
  bool negate = false;
};
HostOperatorPtr QuantizedComparison(const TfliteComparison& attributes);

/// SQUARED_DIFFERENCE: (a, b) -> the same, int8 or int16. Both are shifted left, int8 by 7 bits, and scaled
/// first. The square wraps.
struct TfliteSquaredDifference {
  int32_t zero_points[2] = {0, 0};
  Multiplier multipliers[2];
  Multiplier output;
  int32_t output_zero_point = 0;
  bool wide = false;  ///< int16, which is not shifted
};
HostOperatorPtr QuantizedSquaredDifference(const TfliteSquaredDifference& attributes);

/// DIV: (a int8, b int8) -> int8: both less their zero points, the quotient by a reciprocal of 31 bits. By 0,
/// which the reference does not define, it is 0.
struct TfliteDivision {
  int32_t zero_points[2] = {0, 0};
  Multiplier multiplier;
  int32_t output_zero_point = 0, low = -128, high = 127;
};
HostOperatorPtr QuantizedDivision(const TfliteDivision& attributes);

}  // namespace cosim::host
