// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/signal.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "compiler/host/numeric.h"

namespace cosim::host {
namespace {

using Complex = std::complex<double>;

/// The odd part of a length is transformed by its definition, so that it counts twice.
constexpr int64_t kMostWork = int64_t{1} << 31, kMostLength = int64_t{1} << 20;

int64_t OddPart(int64_t n) {
  while (n > 1 && n % 2 == 0) n /= 2;
  return n;
}

bool IsTooMuch(int64_t rows, int64_t length) {
  int64_t work = 0;
  return length > kMostLength || __builtin_mul_overflow(rows, length, &work) ||
         __builtin_mul_overflow(work, OddPart(length) + 20, &work) || work > kMostWork;
}

/// exp(sign 2 pi i k / n) times x_k, summed, for every bin.
std::vector<Complex> Transform(const std::vector<Complex>& x, double sign) {
  const size_t n = x.size();
  const double turn = sign * 2 * std::numbers::pi / static_cast<double>(n);
  std::vector<Complex> y(n);
  if (n % 2 != 0) {
    std::vector<Complex> roots(n);
    for (size_t k = 0; k < n; ++k) roots[k] = std::polar(1.0, turn * static_cast<double>(k));
    for (size_t bin = 0; bin < n; ++bin)
      for (size_t k = 0; k < n; ++k) y[bin] += x[k] * roots[bin * k % n];
    return y;
  }
  std::vector<Complex> even, odd;
  for (size_t k = 0; k < n; k += 2) {
    even.push_back(x[k]);
    odd.push_back(x[k + 1]);
  }
  even = Transform(even, sign);
  odd = Transform(odd, sign);
  for (size_t k = 0; k < n / 2; ++k) {
    const Complex turned = odd[k] * std::polar(1.0, turn * static_cast<double>(k));
    y[k] = even[k] + turned;
    y[k + n / 2] = even[k] - turned;
  }
  return y;
}

struct DftPlan {
  size_t axis = 0;
  int64_t length = 1, bins = 1;
};

std::variant<DftPlan, std::string> PlanOf(const DftAttributes& a, const Shape& x, const Tensor* length,
                                          const Tensor* axis) {
  if (x.size() < 2 || (x.back() != 1 && x.back() != 2))
    return fmt::format("input {} is neither real nor complex", ToString(x));
  const int64_t along = axis ? Integers(*axis)[0] : a.axis;
  const auto at = AxisOf(along, x.size());
  if (!at || *at + 1 == x.size()) return fmt::format("axis {} of {}", along, ToString(x));
  if (a.inverse && a.onesided) return "an inverse transform of one side";
  const int64_t n = length ? Integers(*length)[0] : x[*at];
  if (n < 1) return fmt::format("a length of {}", n);
  const int64_t rows = graph::NumElements(x) / std::max<int64_t>(x[*at], 1) / x.back();
  if (IsTooMuch(rows, n)) return fmt::format("a length of {}", n);
  return DftPlan{*at, n, a.onesided ? n / 2 + 1 : n};
}

void ComputeDft(const DftAttributes& a, Values in, Results out) {
  const Shape& x = in[0]->shape();
  const DftPlan plan = std::get<0>(PlanOf(a, x, in[1], in[2]));
  const int64_t parts = x.back();
  const AroundAxis from(x, plan.axis), to(out[0].shape(), plan.axis);
  const int64_t inner = from.inner / parts;
  const double factor = a.inverse ? 1 / static_cast<double>(plan.length) : 1;
  Dispatch(in[0]->dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      const auto values = in[0]->data<T>();
      const auto result = out[0].mutable_data<T>();
      for (int64_t o = 0; o < from.outer; ++o)
        for (int64_t i = 0; i < inner; ++i) {
          std::vector<Complex> row(static_cast<size_t>(plan.length));
          for (int64_t k = 0; k < std::min(plan.length, from.extent); ++k) {
            const int64_t at = ((o * from.extent + k) * inner + i) * parts;
            row[static_cast<size_t>(k)] = {static_cast<double>(values[at]),
                                           parts == 2 ? static_cast<double>(values[at + 1]) : 0};
          }
          row = Transform(row, a.inverse ? 1 : -1);
          for (int64_t k = 0; k < plan.bins; ++k) {
            const int64_t at = ((o * to.extent + k) * inner + i) * 2;
            result[at] = static_cast<T>(row[static_cast<size_t>(k)].real() * factor);
            result[at + 1] = static_cast<T>(row[static_cast<size_t>(k)].imag() * factor);
          }
        }
    }
  });
}

struct FramePlan {
  int64_t step = 1, length = 1, frames = 1, bins = 1, parts = 1;
};

std::variant<FramePlan, std::string> FramesOf(bool onesided, Operands in) {
  const Shape& x = in[0].type.shape;
  if (x.size() != 2 && (x.size() != 3 || (x[2] != 1 && x[2] != 2)))
    return fmt::format("signal {}", ToString(x));
  for (size_t i : {size_t{1}, size_t{3}})
    if (!in[i].absent && (!in[i].value || in[i].value->size() != 1))
      return "its step and length must be constants";
  if (in[2].absent && in[3].absent) return "neither a window nor a length";
  if (!in[2].absent && (in[2].type.dtype != in[0].type.dtype || in[2].type.shape.size() != 1))
    return fmt::format("window {}", ToString(in[2].type));
  FramePlan plan;
  plan.step = Integers(*in[1].value)[0];
  plan.length = in[3].absent ? in[2].type.shape[0] : Integers(*in[3].value)[0];
  if (!in[2].absent && in[2].type.shape[0] != plan.length) return "its window has another length";
  if (plan.step < 1 || plan.length < 1 || plan.length > x[1])
    return fmt::format("frames of {} at steps of {} in {}", plan.length, plan.step, x[1]);
  plan.frames = (x[1] - plan.length) / plan.step + 1;
  plan.bins = onesided ? plan.length / 2 + 1 : plan.length;
  plan.parts = x.size() == 3 ? x[2] : 1;
  int64_t rows = 0;
  if (__builtin_mul_overflow(x[0], plan.frames, &rows) || IsTooMuch(rows, plan.length))
    return fmt::format("{} frames of {}", plan.frames, plan.length);
  return plan;
}

void ComputeFrames(bool onesided, Values in, Results out) {
  const Shape &x = in[0]->shape(), &y = out[0].shape();
  const int64_t step = Integers(*in[1])[0], parts = x.size() == 3 ? x[2] : 1;
  const int64_t length = in[3] ? Integers(*in[3])[0] : in[2]->size();
  const auto values = Reals(*in[0]);
  const auto window = in[2] ? Reals(*in[2]) : std::vector<double>(static_cast<size_t>(length), 1.0);
  Tensor all(TensorType{DType::kFloat64, y});
  const auto to = all.mutable_data<double>();
  size_t at = 0;
  for (int64_t b = 0; b < y[0]; ++b)
    for (int64_t f = 0; f < y[1]; ++f) {
      std::vector<Complex> row;
      for (int64_t k = 0; k < length; ++k) {
        const auto place = static_cast<size_t>((b * x[1] + f * step + k) * parts);
        row.push_back(Complex(values[place], parts == 2 ? values[place + 1] : 0) *
                      window[static_cast<size_t>(k)]);
      }
      row = Transform(row, -1);
      for (int64_t k = 0; k < (onesided ? length / 2 + 1 : length); ++k) {
        to[at++] = row[static_cast<size_t>(k)].real();
        to[at++] = row[static_cast<size_t>(k)].imag();
      }
    }
  out[0] = ConvertTo(all, out[0].dtype());
}

/// The operand's one number; nothing when it is none.
std::optional<double> NumberOf(const HostOperand& operand) {
  if (!operand.value || operand.value->size() != 1) return std::nullopt;
  return Reals(*operand.value)[0];
}

/// Of each band the bins where it begins, peaks and ends.
std::vector<int64_t> BandEdges(int64_t bands, int64_t length, int64_t rate, double low, double high) {
  const auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  const double step = (mel(high) - mel(low)) / static_cast<double>(bands + 2);
  std::vector<int64_t> edges;
  for (int64_t i = 0; i < bands + 2; ++i) {
    const double hertz = 700 * (std::pow(10, (static_cast<double>(i) * step + mel(low)) / 2595) - 1);
    const double bin = std::floor(static_cast<double>(length + 1) * hertz / static_cast<double>(rate));
    edges.push_back(static_cast<int64_t>(std::clamp(bin, -1.0, static_cast<double>(length) + 1)));
  }
  return edges;
}

void ComputeMel(Values in, Results out) {
  const int64_t bins = out[0].shape()[0], bands = out[0].shape()[1];
  const auto edges =
      BandEdges(bands, Integers(*in[1])[0], Integers(*in[2])[0], Reals(*in[3])[0], Reals(*in[4])[0]);
  Tensor all(TensorType{DType::kFloat64, out[0].shape()});
  const auto put = [&](int64_t bin, int64_t band, double value) {
    if (bin >= 0 && bin < bins) all.mutable_data<double>()[static_cast<size_t>(bin * bands + band)] = value;
  };
  for (int64_t band = 0; band < bands; ++band) {
    const auto at = edges.begin() + band;
    const int64_t low = at[0], centre = at[1], high = at[2];
    if (low == centre) put(centre, band, 1);
    for (int64_t bin = low; bin <= centre && low != centre; ++bin)
      put(bin, band, static_cast<double>(bin - low) / static_cast<double>(centre - low));
    for (int64_t bin = centre; bin < high; ++bin)
      put(bin, band, static_cast<double>(high - bin) / static_cast<double>(high - centre));
  }
  out[0] = ConvertTo(all, out[0].dtype());
}

}  // namespace

HostOperatorPtr Dft(const DftAttributes& a) {
  return Make(
      "dft", 1, 3,
      [=](Operands in) {
        if (!IsFloat(in[0].type.dtype)) return Refuse("input must be float");
        for (size_t i : {1, 2})
          if (!in[i].absent && (!in[i].value || in[i].value->size() != 1))
            return Refuse("its length and axis must be constants");
        const auto plan = PlanOf(a, in[0].type.shape, in[1].value, in[2].value);
        if (const auto* error = std::get_if<std::string>(&plan)) return Types{*error};
        Shape shape = in[0].type.shape;
        shape[std::get<0>(plan).axis] = std::get<0>(plan).bins;
        shape.back() = 2;
        return IsReasonable(shape) ? One(in[0].type.dtype, shape) : Refuse("the result is too large");
      },
      ThroughFloat([=](Values in, Results out) { ComputeDft(a, in, out); }));
}

HostOperatorPtr ShortTimeDft(bool onesided) {
  return Make(
      "stft", 2, 4,
      [=](Operands in) {
        if (!IsFloat(in[0].type.dtype)) return Refuse("signal must be float");
        const auto plan = FramesOf(onesided, in);
        if (const auto* error = std::get_if<std::string>(&plan)) return Types{*error};
        const Shape shape = {in[0].type.shape[0], std::get<0>(plan).frames, std::get<0>(plan).bins, 2};
        return IsReasonable(shape) ? One(in[0].type.dtype, shape) : Refuse("the result is too large");
      },
      [=](Values in, Results out) { ComputeFrames(onesided, in, out); });
}

HostOperatorPtr CosineWindow(std::vector<double> a, bool periodic, DType dtype) {
  return Make(
      "cosine_window", 1, 1,
      [=](Operands in) {
        const auto size = NumberOf(in[0]);
        if (!size || !(*size >= 0 && *size <= double{1 << 24}))
          return Refuse("its size must be a constant, and no more than 2^24");
        return One(dtype, {static_cast<int64_t>(*size)});
      },
      [=](Values, Results out) {
        const int64_t size = out[0].size(), n = std::max<int64_t>(periodic ? size : size - 1, 1);
        Tensor all(TensorType{DType::kFloat64, out[0].shape()});
        for (int64_t i = 0; i < size; ++i) {
          const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
          all.mutable_data<double>()[static_cast<size_t>(i)] =
              a[0] - a[1] * std::cos(angle) + a[2] * std::cos(2 * angle);
        }
        out[0] = ConvertTo(all, dtype);
      });
}

HostOperatorPtr MelWeights(DType dtype) {
  return Make(
      "mel_weight_matrix", 5, 5,
      [=](Operands in) {
        std::vector<double> v;
        for (const HostOperand& operand : in) {
          const auto number = NumberOf(operand);
          if (!number) return Refuse("its operands must be constants");
          v.push_back(*number);
        }
        constexpr double kMost = 1 << 20;
        for (size_t i : {0, 1, 2})
          if (!(v[i] >= 1 && v[i] <= kMost)) return Refuse("{} bands of {} at {}", v[0], v[1], v[2]);
        if (!(v[3] >= 0 && v[4] >= v[3] && v[4] <= kMost)) return Refuse("frequencies {} to {}", v[3], v[4]);
        const Shape shape = {static_cast<int64_t>(v[1]) / 2 + 1, static_cast<int64_t>(v[0])};
        constexpr int64_t kMostWeights = int64_t{1} << 26;
        return IsReasonable(shape) && graph::NumElements(shape) <= kMostWeights
                   ? One(dtype, shape)
                   : Refuse("the result is too large");
      },
      ComputeMel);
}

}  // namespace cosim::host
