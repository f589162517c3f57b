// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/tflite_functions.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "compiler/host/fixed_point.h"

namespace cosim::host {
namespace {

constexpr int32_t kMin16 = std::numeric_limits<int16_t>::min(), kMax16 = std::numeric_limits<int16_t>::max();

/// 512 pieces of a function of [low, high], each a line; results are in steps of 1 / `inverse`, both ends in
/// 16 bits.
template <typename Real>
class LineTable {
 public:
  LineTable(Real low, Real high, Real inverse, const std::function<Real(Real)>& f) {
    const Real step = (high - low) / kPieces;
    for (int i = 0; i < kPieces; ++i) {
      const Real from = low + static_cast<Real>(i) * step;
      const Real here = f(from) * inverse, next = f(low + static_cast<Real>(i + 1) * step) * inverse;
      const Real middle = std::round(f(from + step / 2) * inverse);
      // Half the error in the middle goes to the end.
      const Real error = std::round((next + std::round(here)) / 2) - middle;
      points_[i] = Saturated(std::round(here) - std::round(error / 2));
    }
    points_[kPieces] = Saturated(std::round(f(high) * inverse));
  }

  /// Of `x` in [-2^15, 2^15), which stands for [low, high).
  int32_t operator()(int32_t x) const {
    const int32_t piece = 256 + (x >> 7);
    const int32_t slope = static_cast<int16_t>(points_[piece + 1] - points_[piece]);
    return static_cast<int16_t>(points_[piece] + ((slope * (x & 0x7f) + 64) >> 7));
  }

 private:
  static constexpr int kPieces = 512;
  // What is no number comes of values without end.
  static int32_t Saturated(Real v) {
    return std::isnan(v) ? kMax16 : static_cast<int32_t>(std::clamp<Real>(v, kMin16, kMax16));
  }

  std::array<int32_t, kPieces + 1> points_;
};

void SoftmaxRow(const Multiplier& scale, const int16_t* x, int64_t n, int16_t* y) {
  static const LineTable<double> exponential(-10, 0, 32768, [](double v) { return std::exp(v); });
  static const LineTable<double> reciprocal(0, 1, 32768, [](double v) { return 1 / (1 + v); });
  const int32_t most = *std::max_element(x, x + n);
  int32_t sum = 0;  // Q16.15, as the results until the end
  for (int64_t i = 0; i < n; ++i) {
    const int64_t difference = int64_t{scale.Apply(x[i] - most)} + 32767;
    y[i] = static_cast<int16_t>(
        exponential(static_cast<int32_t>(std::clamp<int64_t>(difference, kMin16, kMax16))));
    sum += y[i];
  }
  const int headroom = std::countl_zero(static_cast<uint32_t>(sum));
  const auto shifted = static_cast<int32_t>(((int64_t{sum} << headroom) + (1 << 14)) >> 15);
  const int64_t inverse = reciprocal(std::clamp(shifted - ((1 << 15) + (1 << 16)), kMin16, kMax16));
  // The largest element alone makes the sum 32767.
  const int shift = std::max(31 - headroom, 14);
  for (int64_t i = 0; i < n; ++i)
    y[i] = static_cast<int16_t>(
        std::clamp<int64_t>((y[i] * inverse + (int64_t{1} << (shift - 1))) >> shift, 0, kMax16));
}

/// Differences of bytes as Q5.26, and back; those below `least` count as nothing.
struct LogScale {
  Multiplier up, down;
  int32_t least = 0;

  explicit LogScale(double scale)
      : up(Multiplier::Of(std::min(scale * (1 << 26), 2147483647.0))),
        down(Multiplier::Of(std::ldexp(1, 31 - up.exponent) / up.multiplier)),
        least(-static_cast<int32_t>(std::floor(std::ldexp(31, 26 - std::max(up.exponent, 0))))) {}
};

void LogSoftmaxRow(const LogScale& scale, const int8_t* x, int64_t n, int8_t* y) {
  const int8_t most = *std::max_element(x, x + n);
  int32_t sum = 0;  // Q12.19
  for (int64_t i = 0; i < n; ++i)
    if (x[i] - most >= scale.least)
      sum += RoundingDivideByPowerOfTwo(ExpOnNegative(scale.up.Apply(x[i] - most), 5), 12);
  const int32_t log = LogOfAtLeastOne(sum);
  const int32_t least =
      std::max(scale.least - 1, scale.down.Apply(log + std::numeric_limits<int32_t>::min()));
  for (int64_t i = 0; i < n; ++i) {
    y[i] = -128;
    if (x[i] - most <= least) continue;
    const int32_t sixteenths = RoundingDivideByPowerOfTwo(scale.up.Apply(x[i] - most) - log, 22);
    y[i] = static_cast<int8_t>(std::clamp(sixteenths + 127, -128, 127));
  }
}

/// Of x in Q4.27 with 2^31 for 1.
int32_t LogisticOf(int32_t x) {
  if (x == 0) return 1 << 30;
  const int32_t positive = OneOverOnePlus(ExpOnNegative(-std::abs(x), 4));
  return x > 0 ? positive : std::numeric_limits<int32_t>::max() - positive;
}

int32_t TanhOf(int32_t x) {
  if (x == 0) return 0;
  const int32_t positive = OneMinusOverOnePlus(ExpOnNegative(-std::abs(x), 5));  // of 2 x
  return x > 0 ? positive : -positive;
}

/// 1 / (1 + exp(-i / 24)) with 2^16 for 1, raised by half of what a line between the points lacks in the
/// middle.
const std::array<uint32_t, 256>& SigmoidPoints() {
  static const auto points = [] {
    const auto f = [](double i) { return 65536 / (1 + std::exp(-i / 24)); };
    std::array<uint32_t, 256> list;
    for (int i = 0; i < 256; ++i)
      list[i] = static_cast<uint32_t>(std::round(f(i) + (f(i + 0.5) - (f(i) + f(i + 1)) / 2) / 2));
    list[255] = 65535;
    return list;
  }();
  return points;
}

/// What x is multiplied by and shifted right by so that 2^17 stands for 32/3.
struct SigmoidScale {
  int32_t multiplier = 0, shift = 0;
};

SigmoidScale ScaleOf(Sigmoid function, float scale) {
  const float log2 = std::log(scale) * (1.0f / std::log(2.0f)), rounded = std::round(log2);
  const int shift = 12 + static_cast<int>(rounded);
  if (std::abs(log2 - rounded) < 1e-3f && (shift == 0 || (shift == 1 && function == Sigmoid::kTanh)))
    return {3 << shift, 0};
  SigmoidScale result;
  double multiplier = static_cast<double>(scale) * 4096 * 3;
  for (; multiplier <= 32767.0 / 2 && result.shift <= 30; multiplier *= 2) ++result.shift;
  result.multiplier = static_cast<int32_t>(multiplier);
  return result;
}

}  // namespace

int16_t LogisticInt16(int32_t x) {
  const auto magnitude = static_cast<uint32_t>(std::abs(x)), piece = magnitude >> 9;
  const auto& points = SigmoidPoints();
  uint32_t result = 0x7FFF << 10;
  if (piece < 255) result = (points[piece] << 9) + (magnitude & 0x1ff) * (points[piece + 1] - points[piece]);
  result = x >= 0 ? result + (1 << 9) : (1 << 25) - result + (1 << 9) - 1;
  return static_cast<int16_t>(result >> 10);
}

int16_t TanhInt16(int32_t x) {
  const auto magnitude = static_cast<uint32_t>(std::abs(x)), piece = magnitude >> 8;
  const auto& points = SigmoidPoints();
  int32_t result = 0xFFFF << 8;
  if (piece < 255)
    result =
        static_cast<int32_t>((points[piece] << 8) + (magnitude & 0xff) * (points[piece + 1] - points[piece]));
  result = x >= 0 ? result - (1 << 23) + (1 << 7) : -result + (1 << 23) + (1 << 7) - 1;
  return static_cast<int16_t>(result >> 8);
}

HostOperatorPtr SoftmaxInt16(double beta_scale) {
  return Make(
      "tflite_softmax", 1, 1,
      [](Operands in) {
        const TensorType& x = in[0].type;
        if (x.dtype != DType::kInt16 || x.shape.empty())
          return Refuse("input must be int16 of at least 1 dimension");
        // More would overflow the sum of exponentials.
        if (x.shape.back() > 65536) return Refuse("rows of {} values are longer than 65536", x.shape.back());
        return One(x);
      },
      [scale = Multiplier::Of(beta_scale / (10.0 / 65535.0))](Values in, Results out) {
        const int64_t n = in[0]->shape().back();
        const int16_t* x = in[0]->data<int16_t>().data();
        int16_t* y = out[0].mutable_data<int16_t>().data();
        for (int64_t at = 0; at < in[0]->size(); at += n) SoftmaxRow(scale, x + at, n, y + at);
      });
}

HostOperatorPtr LogSoftmaxInt8(double scale) {
  return Make(
      "tflite_log_softmax", 1, 1,
      [](Operands in) {
        const TensorType& x = in[0].type;
        // More would overflow the sum of exponentials.
        return x.dtype == DType::kInt8 && !x.shape.empty() && x.shape.back() < 4096
                   ? One(x)
                   : Refuse("input must be int8 in rows of less than 4096 values");
      },
      [scale = LogScale(scale)](Values in, Results out) {
        const int64_t n = in[0]->shape().back();
        const int8_t* x = in[0]->data<int8_t>().data();
        int8_t* y = out[0].mutable_data<int8_t>().data();
        for (int64_t at = 0; at < in[0]->size(); at += n) LogSoftmaxRow(scale, x + at, n, y + at);
      });
}

std::function<int64_t(int32_t)> SigmoidInt8(Sigmoid function, float scale, int32_t zero_point) {
  constexpr int kIntegerBits = 4;
  const bool logistic = function == Sigmoid::kLogistic;
  const Multiplier multiplier = Multiplier::Of(static_cast<double>(scale) * (1 << (31 - kIntegerBits)));
  const double most = std::ldexp((1 << kIntegerBits) - 1, 31 - kIntegerBits - multiplier.exponent);
  const auto radius = static_cast<int32_t>(std::min(std::floor(most), 1e9));
  return [=](int32_t byte) -> int64_t {
    const int32_t x = byte - zero_point;
    if (std::abs(x) >= radius) return x > 0 ? 127 : -128;
    const int32_t scaled = multiplier.Apply(x);
    return logistic ? RoundingDivideByPowerOfTwo(LogisticOf(scaled), 23) - 128
                    : RoundingDivideByPowerOfTwo(TanhOf(scaled), 24);
  };
}

std::function<int64_t(int32_t)> SigmoidInt16(Sigmoid function, float scale) {
  return [function, s = ScaleOf(function, scale)](int32_t x) -> int64_t {
    const int32_t round = s.shift > 0 ? 1 << (s.shift - 1) : 0;
    const int32_t scaled = (x * s.multiplier + round) >> s.shift;
    return function == Sigmoid::kLogistic ? LogisticInt16(scaled) : TanhInt16(scaled);
  };
}

std::function<int64_t(int32_t)> ByLinesInt16(float scale, float to_scale,
                                             const std::function<float(float)>& f) {
  // In the order in which the reference rounds.
  const float lowest = to_scale * kMin16, highest = to_scale * kMax16;
  const LineTable<float> table(scale * kMin16, scale * kMax16, 65536.0f / (highest - lowest), f);
  return [table](int32_t x) -> int64_t { return table(x); };
}

HostOperatorPtr FakeQuantize(const FakeQuantization& a) {
  const float least = a.narrow ? 1 : 0, most = static_cast<float>((1 << a.bits) - 1);
  const float step = (a.max - a.min) / (most - least);
  const float zero = std::clamp(std::round(least - a.min / step), least, most);
  const float low = (least - zero) * step, high = (most - zero) * step, inverse = 1.0f / step;
  return Make(
      "fake_quant", 1, 1,
      [](Operands in) {
        if (in[0].type.dtype != DType::kFloat32) return Refuse("{} values", Name(in[0].type.dtype));
        return One(in[0].type);
      },
      [=](Values in, Results out) {
        std::ranges::transform(in[0]->data<float>(), out[0].mutable_data<float>().begin(), [=](float x) {
          const float inside = std::min(high, std::max(low, x));
          return std::round((inside - low) * inverse) * step + low;
        });
      });
}

}  // namespace cosim::host
