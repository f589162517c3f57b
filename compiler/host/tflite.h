// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's int8 and int16 operators in the arithmetic of its reference kernels, to the bit, where no
// core operation of the graph computes them: activations are NCHW as everywhere in the graph. uint8 models
// come here as int8, every value and zero point less by 128, which changes no result. int16 values have zero
// point 0. `low` and `high` bound the result.
#pragma once

#include <vector>

#include "compiler/host/fixed_point.h"
#include "compiler/host/make.h"
#include "compiler/host/window2d.h"

namespace cosim::host {

/// CONV_2D, DEPTHWISE_CONV_2D and, as a window of one tap, FULLY_CONNECTED.
struct TfliteConvolution {
  Window2d window;  ///< its kernel is that of the weights
  int64_t groups = 1;
  int32_t input_zero_point = 0, weight_zero_point = 0, output_zero_point = 0;
  std::vector<Multiplier> multipliers;  ///< one, or one for each output channel
  int32_t low = -128, high = 127;
  bool wide = false;  ///< sums have 64 bits (Multiplier::ApplyWide)
};
/// (x int8 or int16 [N,C,H,W], w int8 [O,C/groups,KH,KW], bias [O], optional) -> like x, [N,O,OH,OW]. The
/// bias is int32, or int64 where sums are wide.
HostOperatorPtr Convolution(const TfliteConvolution& attributes);

/// AVERAGE_POOL_2D: (x int8 or int16 [N,C,H,W]) -> like x. Padding does not count. Rounds half away from
/// zero, or half up when the model was uint8.
HostOperatorPtr AveragePool(const Window2d& window, bool half_up, int32_t low, int32_t high);

/// MEAN over pixels: (x int8 or int16 [N,C,H,W]) -> like x, [N,C,1,1]: multiplier.Apply(sum of x -
/// from_zero_point)
/// + to_zero_point. The sum has 32 bits and wraps.
struct TfliteMean {
  Multiplier multiplier;  ///< divides by the number of pixels too
  int32_t from_zero_point = 0, to_zero_point = 0, low = -128, high = 127;
};
HostOperatorPtr PixelMean(const TfliteMean& attributes);

/// SOFTMAX over the last dimension: (x int8) -> int8 with scale 1/256 and zero point -128.
/// `beta_scale`: beta times the scale of x.
HostOperatorPtr TfliteSoftmax(double beta_scale);

/// ADD and SUB with broadcasting, of two int8 or two int16, whose operands are shifted left by 20 or 15 bits
/// first; graph::ScaledAdd is the same as ADD of int8 in equal shapes.
struct TfliteAddition {
  int32_t zero_points[2] = {0, 0};
  Multiplier multipliers[2];
  Multiplier output;
  int32_t output_zero_point = 0, low = -128, high = 127;
  bool subtract = false;
};
HostOperatorPtr Addition(const TfliteAddition& attributes);

/// ADD and SUB of two int16 of one shape under scales that are powers of two: both are shifted right, with
/// rounding half away from zero.
struct TfliteShiftedAddition {
  int shifts[2] = {0, 0};  ///< 0 to 15
  int32_t low = -32768, high = 32767;
  bool subtract = false;
};
HostOperatorPtr ShiftedAddition(const TfliteShiftedAddition& attributes);

/// MUL with broadcasting, of two int8 or two int16.
struct TfliteProduct {
  int32_t zero_points[2] = {0, 0};
  Multiplier multiplier;
  int32_t output_zero_point = 0, low = -128, high = 127;
};
HostOperatorPtr Product(const TfliteProduct& attributes);

/// QUANTIZE, RELU and what is left of sums: (x int8, int16, int32 or int64) -> `to`, int8, int16 or int32:
/// multiplier.Apply(x - from_zero_point) + to_zero_point. The difference wraps. int64 by
/// Multiplier::ApplyWide, without zero points.
struct TfliteRequantization {
  Multiplier multiplier;
  int32_t from_zero_point = 0, to_zero_point = 0, low = -128, high = 127;
  DType to = DType::kInt8;
};
HostOperatorPtr Requantization(const TfliteRequantization& attributes);

/// QUANTIZE: (x float32) -> `to`, int8 or int16: round(x / scale), half away from zero, + zero_point,
/// saturated.
HostOperatorPtr TfliteQuantize(float scale, int32_t zero_point, DType to);
/// DEQUANTIZE: (x int16) -> float32(x) * scale.
HostOperatorPtr DequantizeInt16(float scale);

/// (x uint8) -> int8: x - 128, and (x int8) -> uint8: x + 128.
HostOperatorPtr FromUint8();
HostOperatorPtr ToUint8();

}  // namespace cosim::host
