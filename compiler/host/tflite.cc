// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/tflite.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "compiler/host/broadcast.h"
#include "compiler/host/integer_window.h"
#include "compiler/host/tflite_define.h"

namespace cosim::host {
namespace {

/// f(T()) with the type of the elements, int8_t or int16_t.
template <typename F>
void OnQuantized(DType type, F&& f) {
  type == DType::kInt8 ? f(int8_t()) : f(int16_t());
}

std::vector<int16_t> Centred(const Tensor& tensor, int32_t zero_point) {
  std::vector<int16_t> result;
  result.reserve(tensor.size());
  OnQuantized(tensor.dtype(), [&]<typename T>(T) {
    for (T v : tensor.data<T>()) result.push_back(static_cast<int16_t>(v - zero_point));
  });
  return result;
}

template <typename T>
T Clamped(int64_t x, int32_t low, int32_t high) {
  return static_cast<T>(std::clamp<int64_t>(x, low, high));
}

Types InferConvolution(const TfliteConvolution& a, Operands in) {
  const TensorType &x = in[0].type, &w = in[1].type;
  if (!IsQuantized(x.dtype) || w.dtype != DType::kInt8)
    return Refuse("the input must be int8 or int16, the weights int8");
  if (const std::string misfit = PlanesMisfit(a.groups, x.shape, w.shape); !misfit.empty())
    return Refuse("{}", misfit);
  const int64_t outputs = w.shape[0];
  const TensorType bias = {a.wide ? DType::kInt64 : DType::kInt32, {outputs}};
  if (!in[2].absent && in[2].type != bias)
    return Refuse("bias is {}, not {}", ToString(in[2].type), ToString(bias));
  if (a.multipliers.size() != 1 && static_cast<int64_t>(a.multipliers.size()) != outputs)
    return Refuse("{} multipliers for {} channels", a.multipliers.size(), outputs);
  Window2d window = a.window;
  window.kernel = {w.shape[2], w.shape[3]};
  const auto shape = WindowShape(window, x.shape, outputs);
  if (!shape) return Refuse("the window does not fit into {}", ToString(x.shape));
  return One(x.dtype, *shape);
}

int32_t Scaled(const Multiplier& m, int32_t sum) { return m.Apply(sum); }
int32_t Scaled(const Multiplier& m, int64_t sum) { return m.ApplyWide(sum); }

template <typename T, typename Sum>
void ComputeConvolution(const TfliteConvolution& a, Values in, Results out) {
  const Shape &x = in[0]->shape(), &w = in[1]->shape(), &y = out[0].shape();
  const IntegerConvolution convolution = OverPlanes(a.window, a.groups, x, w, y);
  const int64_t plane = y[2] * y[3];
  const auto result = out[0].mutable_data<T>();
  convolution.Run<Sum, int16_t>(
      Centred(*in[0], a.input_zero_point), Centred(*in[1], a.weight_zero_point),
      [&](int64_t n, int64_t o, int64_t p, Sum sum) {
        using Unsigned = std::make_unsigned_t<Sum>;
        const Sum bias = in[2] ? in[2]->data<Sum>()[o] : 0;
        const Sum total = static_cast<Sum>(static_cast<Unsigned>(sum) + static_cast<Unsigned>(bias));
        const Multiplier& m = a.multipliers[a.multipliers.size() == 1 ? 0 : o];
        result[(n * y[1] + o) * plane + p] =
            Clamped<T>(int64_t{Scaled(m, total)} + a.output_zero_point, a.low, a.high);
      });
}

template <typename T>
void ComputeAveragePool(const Window2d& w, bool half_up, int32_t low, int32_t high, Values in, Results out) {
  const Shape &x = in[0]->shape(), &y = out[0].shape();
  const auto from = in[0]->data<T>();
  const auto to = out[0].mutable_data<T>();
  int64_t at = 0;
  for (int64_t plane = 0; plane < x[0] * x[1]; ++plane)
    for (int64_t oy = 0; oy < y[2]; ++oy)
      for (int64_t ox = 0; ox < y[3]; ++ox) {
        const Span2d span = SpanAt(w, x, oy, ox);
        const int64_t count = span.count();
        int64_t sum = 0;
        for (int64_t i = span.top; i < span.bottom; ++i)
          for (int64_t j = span.left; j < span.right; ++j) sum += from[(plane * x[2] + i) * x[3] + j];
        // Half up is half away from zero of a sum that cannot be negative.
        const int64_t shift = half_up ? 128 : 0, total = sum + shift * count;
        const int64_t mean = total > 0 ? (total + count / 2) / count : (total - count / 2) / count;
        to[at++] = Clamped<T>(mean - shift, low, high);
      }
}

struct SoftmaxScale {
  Multiplier beta;
  int32_t least_difference = 0;  ///< smaller ones count as nothing
};

SoftmaxScale ScaleOf(double beta_scale) {
  constexpr int kIntegerBits = 5;
  SoftmaxScale scale;
  scale.beta = Multiplier::Of(std::min(beta_scale * (1 << (31 - kIntegerBits)), (1LL << 31) - 1.0));
  const double most = 1.0 * ((1 << kIntegerBits) - 1) * (1LL << (31 - kIntegerBits)) /
                      static_cast<double>(1LL << std::max(scale.beta.exponent, 0));
  scale.least_difference = -static_cast<int32_t>(std::floor(most));
  return scale;
}

/// Of differences 0, -1, … -255 to the largest.
std::vector<int32_t> Exponentials(const SoftmaxScale& scale) {
  std::vector<int32_t> list(256);
  for (int32_t d = 0; d < 256; ++d)
    if (-d >= scale.least_difference) list[d] = ExpOnNegative(scale.beta.Apply(-d), 5);
  return list;
}

void SoftmaxRow(const SoftmaxScale& scale, const int8_t* x, int64_t n, int8_t* y) {
  const auto most = int32_t{*std::max_element(x, x + n)};
  const auto exponential = [&](int64_t i) { return ExpOnNegative(scale.beta.Apply(x[i] - most), 5); };
  uint32_t sum = 0;  // Q12.19; from 4,096 equal values on it takes the sign's bit too
  for (int64_t i = 0; i < n; ++i)
    if (x[i] - most >= scale.least_difference)
      sum += static_cast<uint32_t>(RoundingDivideByPowerOfTwo(exponential(i), 12));
  const int headroom = std::countl_zero(sum);
  const int bits_over_unit = 12 - headroom;
  const auto fraction = static_cast<int32_t>((sum << headroom) - (uint32_t{1} << 31));
  const int32_t reciprocal = OneOverOnePlus(fraction);
  for (int64_t i = 0; i < n; ++i) {
    y[i] = -128;
    if (x[i] - most < scale.least_difference) continue;
    const int32_t share = DoublingHighMultiply(reciprocal, exponential(i));
    y[i] =
        Clamped<int8_t>(int64_t{RoundingDivideByPowerOfTwo(share, bits_over_unit + 31 - 8)} - 128, -128, 127);
  }
}

/// f(x, y, T()) on pairs of elements, broadcasting.
template <typename F>
HostOperatorPtr OnPairs(const char* name, F f, DefineFunction define) {
  return Make(
      name, 2, 2,
      [](Operands in) {
        const DType type = in[0].type.dtype;
        if (!IsQuantized(type) || in[1].type.dtype != type)
          return Refuse("operands must be both int8 or both int16");
        return InferBroadcast(in, type);
      },
      [=](Values in, Results out) {
        OnQuantized(in[0]->dtype(), [&]<typename T>(T type) {
          const auto x = in[0]->data<T>(), y = in[1]->data<T>();
          const auto to = out[0].mutable_data<T>();
          ForEachBroadcast(in, out[0].shape(),
                           [&](int64_t i, int64_t ix, int64_t iy) { to[i] = f(x[ix], y[iy], type); });
        });
      },
      {}, std::move(define));
}

template <typename To, typename From>
HostOperatorPtr Shifted(const char* name, DType from, DType to, int offset) {
  return Make(
      name, 1, 1,
      [=](Operands in) {
        return in[0].type.dtype == from ? One(to, in[0].type.shape)
                                        : Refuse("input must be {}", graph::Name(from));
      },
      [=](Values in, Results out) {
        const auto x = in[0]->data<From>();
        std::transform(x.begin(), x.end(), out[0].mutable_data<To>().begin(),
                       [=](From v) { return static_cast<To>(v + offset); });
      },
      {}, DefineMap([=](const std::vector<tir::Expr>& v) {
        const tir::Expr wide =
            MakeCast(tir::DataType::Int(32), v[0]) + tir::Int(offset, tir::DataType::Int(32));
        return MakeCast(ops::TypeOf(to), wide);
      }));
}

}  // namespace

HostOperatorPtr Convolution(const TfliteConvolution& attributes) {
  return Make(
      "tflite_convolution", 2, 3, [=](Operands in) { return InferConvolution(attributes, in); },
      [=](Values in, Results out) {
        OnQuantized(in[0]->dtype(), [&]<typename T>(T) {
          attributes.wide ? ComputeConvolution<T, int64_t>(attributes, in, out)
                          : ComputeConvolution<T, int32_t>(attributes, in, out);
        });
      },
      MacsOfWeights(1), [=](const ops::HostSite& site) { return DefineTflite(attributes, site); });
}

HostOperatorPtr AveragePool(const Window2d& window, bool half_up, int32_t low, int32_t high) {
  return Make(
      "tflite_average_pool", 1, 1,
      [=](Operands in) {
        const TensorType& x = in[0].type;
        if (!IsQuantized(x.dtype) || x.shape.size() != 4)
          return Refuse("input must be int8 or int16 [N,C,H,W]");
        const auto shape = WindowShape(window, x.shape, x.shape[1]);
        return shape ? One(x.dtype, *shape) : Refuse("the window does not fit into {}", ToString(x.shape));
      },
      [=](Values in, Results out) {
        OnQuantized(in[0]->dtype(),
                    [&]<typename T>(T) { ComputeAveragePool<T>(window, half_up, low, high, in, out); });
      },
      {}, [=](const ops::HostSite& site) { return DefineTfliteAverage(window, half_up, low, high, site); });
}

HostOperatorPtr PixelMean(const TfliteMean& a) {
  return Make(
      "tflite_mean", 1, 1,
      [](Operands in) {
        const TensorType& x = in[0].type;
        if (!IsQuantized(x.dtype) || x.shape.size() != 4)
          return Refuse("input must be int8 or int16 [N,C,H,W]");
        return One(x.dtype, {x.shape[0], x.shape[1], 1, 1});
      },
      [=](Values in, Results out) {
        OnQuantized(in[0]->dtype(), [&]<typename T>(T) {
          const auto x = in[0]->data<T>();
          const auto y = out[0].mutable_data<T>();
          const size_t pixels = x.size() / y.size();
          for (size_t i = 0; i < y.size(); ++i) {
            uint32_t sum = 0;
            for (size_t p = 0; p < pixels; ++p)
              sum += static_cast<uint32_t>(x[i * pixels + p] - a.from_zero_point);
            y[i] = Clamped<T>(int64_t{a.multiplier.Apply(static_cast<int32_t>(sum))} + a.to_zero_point, a.low,
                              a.high);
          }
        });
      },
      {}, [=](const ops::HostSite& site) { return DefineTflite(a, site); });
}

HostOperatorPtr TfliteSoftmax(double beta_scale) {
  return Make(
      "tflite_softmax", 1, 1,
      [](Operands in) {
        const TensorType& x = in[0].type;
        if (x.dtype != DType::kInt8 || x.shape.empty())
          return Refuse("input must be int8 of at least 1 dimension");
        // More would overflow the sum of exponentials.
        if (x.shape.back() > 4096) return Refuse("rows of {} values are longer than 4096", x.shape.back());
        return One(x);
      },
      [scale = ScaleOf(beta_scale)](Values in, Results out) {
        const int64_t n = in[0]->shape().back();
        const int8_t* x = in[0]->data<int8_t>().data();
        int8_t* y = out[0].mutable_data<int8_t>().data();
        for (int64_t at = 0; at < in[0]->size(); at += n) SoftmaxRow(scale, x + at, n, y + at);
      },
      {},
      [list = Exponentials(ScaleOf(beta_scale))](const ops::HostSite& site) {
        return DefineTfliteSoftmax(list, site);
      });
}

HostOperatorPtr Addition(const TfliteAddition& a) {
  return OnPairs(
      a.subtract ? "tflite_sub" : "tflite_add",
      [=]<typename T>(T x, T y, T) {
        constexpr int32_t kUnit = sizeof(T) == 1 ? 1 << 20 : 1 << 15;
        const int32_t one = a.multipliers[0].Apply((x - a.zero_points[0]) * kUnit),
                      other = a.multipliers[1].Apply((y - a.zero_points[1]) * kUnit);
        const int32_t sum = a.subtract ? one - other : one + other;
        return Clamped<T>(int64_t{a.output.Apply(sum)} + a.output_zero_point, a.low, a.high);
      },
      [=](const ops::HostSite& site) { return DefineTflite(a, site); });
}

HostOperatorPtr ShiftedAddition(const TfliteShiftedAddition& a) {
  return OnPairs("tflite_shifted_add",
                 [=]<typename T>(T x, T y, T) {
                   const int32_t one = RoundingDivideByPowerOfTwo(x, a.shifts[0]),
                                 other = RoundingDivideByPowerOfTwo(y, a.shifts[1]);
                   return Clamped<T>(a.subtract ? one - other : one + other, a.low, a.high);
                 },
                 {});
}

HostOperatorPtr Product(const TfliteProduct& a) {
  return OnPairs(
      "tflite_mul",
      [=]<typename T>(T x, T y, T) {
        const int32_t product = (x - a.zero_points[0]) * (y - a.zero_points[1]);
        return Clamped<T>(int64_t{a.multiplier.Apply(product)} + a.output_zero_point, a.low, a.high);
      },
      [=](const ops::HostSite& site) { return DefineTflite(a, site); });
}

HostOperatorPtr Requantization(const TfliteRequantization& a) {
  return Make(
      "tflite_requantize", 1, 1,
      [=](Operands in) {
        const DType from = in[0].type.dtype;
        const bool wide = from == DType::kInt64 && a.from_zero_point == 0;
        return IsQuantized(from) || from == DType::kInt32 || wide
                   ? One(a.to, in[0].type.shape)
                   : Refuse("input must be int8, int16, int32, or int64 without a zero point");
      },
      [=](Values in, Results out) {
        const auto scaled = [&]<typename To>(const auto& x, To) {
          std::transform(x.begin(), x.end(), out[0].mutable_data<To>().begin(), [&](int32_t v) {
            const uint32_t centred = static_cast<uint32_t>(v) - static_cast<uint32_t>(a.from_zero_point);
            const int32_t steps = a.multiplier.Apply(static_cast<int32_t>(centred));
            return Clamped<To>(int64_t{steps} + a.to_zero_point, a.low, a.high);
          });
        };
        const auto to_type = [&]<typename To>(To type) {
          if (in[0]->dtype() == DType::kInt32) return scaled(in[0]->data<int32_t>(), type);
          if (in[0]->dtype() == DType::kInt64) {
            const auto x = in[0]->data<int64_t>();
            std::transform(x.begin(), x.end(), out[0].mutable_data<To>().begin(), [&](int64_t v) {
              return Clamped<To>(int64_t{a.multiplier.ApplyWide(v)} + a.to_zero_point, a.low, a.high);
            });
            return;
          }
          OnQuantized(in[0]->dtype(), [&]<typename From>(From) { scaled(in[0]->data<From>(), type); });
        };
        a.to == DType::kInt32 ? to_type(int32_t{}) : OnQuantized(a.to, to_type);
      },
      {}, [=](const ops::HostSite& site) { return DefineTflite(a, site); });
}

HostOperatorPtr TfliteQuantize(float scale, int32_t zero_point, DType to) {
  return Make(
      fmt::format("tflite_quantize scale={} zero_point={}", scale, zero_point), 1, 1,
      [=](Operands in) {
        return in[0].type.dtype == DType::kFloat32 ? One(to, in[0].type.shape)
                                                   : Refuse("input must be float32");
      },
      [=](Values in, Results out) {
        const auto x = in[0]->data<float>();
        OnQuantized(to, [&]<typename T>(T) {
          constexpr double kLeast = std::numeric_limits<T>::min(), kMost = std::numeric_limits<T>::max();
          std::transform(x.begin(), x.end(), out[0].mutable_data<T>().begin(), [=](float v) {
            const double steps = std::round(static_cast<double>(v / scale)) + zero_point;
            return static_cast<T>(std::isnan(steps) ? kLeast : std::clamp(steps, kLeast, kMost));
          });
        });
      },
      {}, [=](const ops::HostSite& site) { return DefineTfliteQuantize(scale, zero_point, site); });
}

HostOperatorPtr DequantizeInt16(float scale) {
  return Make(
      fmt::format("tflite_dequantize scale={}", scale), 1, 1,
      [](Operands in) {
        return in[0].type.dtype == DType::kInt16 ? One(DType::kFloat32, in[0].type.shape)
                                                 : Refuse("input must be int16");
      },
      [=](Values in, Results out) {
        const auto x = in[0]->data<int16_t>();
        std::transform(x.begin(), x.end(), out[0].mutable_data<float>().begin(),
                       [=](int16_t v) { return static_cast<float>(v) * scale; });
      },
      {}, DefineMap([=](const std::vector<tir::Expr>& v) {
        const auto real = tir::DataType::Float(32);
        return MakeCast(real, v[0]) * tir::Float(scale, real);
      }));
}

HostOperatorPtr FromUint8() {
  return Shifted<int8_t, uint8_t>("from_uint8", DType::kUint8, DType::kInt8, -128);
}
HostOperatorPtr ToUint8() { return Shifted<uint8_t, int8_t>("to_uint8", DType::kInt8, DType::kUint8, 128); }

}  // namespace cosim::host
