// SPDX-License-Identifier: Apache-2.0
// Functions of TensorFlow Lite that are not sums of products, in the arithmetic of its reference kernels, to
// the bit: in fixed point on int8, by interpolated tables on int16.
#pragma once

#include <cstdint>
#include <functional>

#include "compiler/host/make.h"

namespace cosim::host {

/// SOFTMAX over the last dimension: (x int16, zero point 0) -> int16 with scale 1/32768 and zero point 0.
/// `beta_scale`: beta times the scale of x.
HostOperatorPtr SoftmaxInt16(double beta_scale);

/// LOG_SOFTMAX over the last dimension: (x int8) -> int8 with scale 1/16 and zero point 127. `scale`: of x.
HostOperatorPtr LogSoftmaxInt8(double scale);

enum class Sigmoid { kLogistic, kTanh };

/// LOGISTIC and TANH of an int8 as int8 with scale 1/256 and zero point -128, or scale 1/128 and zero point
/// 0. `scale` and `zero_point` are those of x.
std::function<int64_t(int32_t)> SigmoidInt8(Sigmoid function, float scale, int32_t zero_point);

/// LOGISTIC and TANH of an int16 (zero point 0) as int16 with scale 1/32768. The scale of x is below 2.6.
std::function<int64_t(int32_t)> SigmoidInt16(Sigmoid function, float scale);

/// A function of an int16 in steps of `scale` as int16 in steps of `to_scale`, both with zero point 0: 512
/// lines, whose ends are computed in float32. What has no end counts as the largest int16.
std::function<int64_t(int32_t)> ByLinesInt16(float scale, float to_scale,
                                             const std::function<float(float)>& f);

/// One value of those, with 2^15 for 1, where 2^17 stands for 32/3 in x.
int16_t LogisticInt16(int32_t x);
int16_t TanhInt16(int32_t x);

/// The largest scale that SigmoidInt16 takes.
inline constexpr float kMostSigmoidScale = 2.6f;

/// FAKE_QUANT: (x float32) -> x cut off at the range, which is moved so that 0 is among its steps, and
/// rounded to the nearest of 2^bits of them, one less where `narrow`; in float32.
struct FakeQuantization {
  float min = 0, max = 1;
  int bits = 8;
  bool narrow = false;
};
HostOperatorPtr FakeQuantize(const FakeQuantization& attributes);

}  // namespace cosim::host
