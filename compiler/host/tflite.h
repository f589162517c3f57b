// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's int8 operators in the arithmetic of its reference kernels, to the bit, where no core
// operation of the graph computes them: activations are NCHW as everywhere in the graph. uint8 models come
// here as int8, every value and zero point less by 128, which changes no result.
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
};
/// (x int8 [N,C,H,W], w int8 [O,C/groups,KH,KW], bias int32 [O], optional) -> int8 [N,O,OH,OW].
HostOperatorPtr Convolution(const TfliteConvolution& attributes);

/// AVERAGE_POOL_2D: (x int8 [N,C,H,W]) -> int8. Padding does not count. Rounds half away from zero, or half
/// up when the model was uint8.
HostOperatorPtr AveragePool(const Window2d& window, bool half_up, int32_t low, int32_t high);

/// SOFTMAX over the last dimension: (x int8) -> int8 with scale 1/256 and zero point -128.
/// `beta_scale`: beta times the scale of x.
HostOperatorPtr TfliteSoftmax(double beta_scale);

/// ADD and SUB with broadcasting: (a int8, b int8) -> int8; graph::ScaledAdd is the same as ADD of equal
/// shapes.
struct TfliteAddition {
  int32_t zero_points[2] = {0, 0};
  Multiplier multipliers[2];
  Multiplier output;
  int32_t output_zero_point = 0, low = -128, high = 127;
  bool subtract = false;
};
HostOperatorPtr Addition(const TfliteAddition& attributes);

/// MUL with broadcasting: (a int8, b int8) -> int8.
struct TfliteProduct {
  int32_t zero_points[2] = {0, 0};
  Multiplier multiplier;
  int32_t output_zero_point = 0, low = -128, high = 127;
};
HostOperatorPtr Product(const TfliteProduct& attributes);

/// QUANTIZE of int8: (x int8) -> int8: multiplier.Apply(x - from_zero_point) + to_zero_point, saturated.
HostOperatorPtr Requantization(Multiplier multiplier, int32_t from_zero_point, int32_t to_zero_point);

/// QUANTIZE: (x float32) -> int8: round(x / scale), half away from zero, + zero_point, saturated.
HostOperatorPtr TfliteQuantize(float scale, int32_t zero_point);

/// (x uint8) -> int8: x - 128, and (x int8) -> uint8: x + 128.
HostOperatorPtr FromUint8();
HostOperatorPtr ToUint8();

}  // namespace cosim::host
