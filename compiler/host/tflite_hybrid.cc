// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/tflite_hybrid.h"

#include <algorithm>
#include <cmath>

#include "compiler/host/integer_window.h"

namespace cosim::host {
namespace {

/// One image as bytes less their zero point, and what each is worth.
struct Quantized {
  float scale = 1;
  int32_t zero_point = 0;
};

// A value that is no number, or infinite, has no place among bytes: 0.
int32_t Rounded(float steps) {
  return std::isnan(steps) ? 0 : static_cast<int32_t>(std::round(std::clamp(steps, -1e6f, 1e6f)));
}

Quantized Symmetric(std::span<const float> x, int16_t* to) {
  const auto [least, most] = std::minmax_element(x.begin(), x.end());
  const float range = std::max(std::abs(*least), std::abs(*most));
  if (!(range > 0)) return std::fill_n(to, x.size(), int16_t{0}), Quantized{};
  const float inverse = 127 / range;
  for (size_t i = 0; i < x.size(); ++i)
    to[i] = static_cast<int16_t>(std::clamp(Rounded(x[i] * inverse), -127, 127));
  return {range / 127, 0};
}

// The zero point is the nearer of those that the two ends of the range ask for.
Quantized Asymmetric(std::span<const float> x, int16_t* to) {
  const auto [first, last] = std::minmax_element(x.begin(), x.end());
  const double least = std::min(0.0, static_cast<double>(*first)),
               most = std::max(0.0, static_cast<double>(*last));
  if (!(least < most)) return std::fill_n(to, x.size(), int16_t{0}), Quantized{};
  const double scale = (most - least) / 255;
  const double from_least = -128 - least / scale, from_most = 127 - most / scale;
  const double least_error = 128 + std::abs(least / scale), most_error = 127 + std::abs(most / scale);
  const double zero = least_error < most_error ? from_least : from_most;
  Quantized result;
  result.scale = static_cast<float>(scale);
  result.zero_point =
      std::isnan(zero) ? 0 : static_cast<int32_t>(std::round(std::clamp(zero, -128.0, 127.0)));
  const float inverse = 1.0f / result.scale;
  for (size_t i = 0; i < x.size(); ++i) {
    const int32_t byte = std::clamp(result.zero_point + Rounded(inverse * x[i]), -128, 127);
    to[i] = static_cast<int16_t>(byte - result.zero_point);
  }
  return result;
}

Types InferHybrid(const TfliteHybrid& a, Operands in) {
  const TensorType &x = in[0].type, &w = in[1].type;
  if (x.dtype != DType::kFloat32 || w.dtype != DType::kInt8)
    return Refuse("the input must be float32, the weights int8");
  if (const std::string misfit = PlanesMisfit(a.groups, x.shape, w.shape); !misfit.empty())
    return Refuse("{}", misfit);
  const int64_t outputs = w.shape[0];
  const TensorType bias = {DType::kFloat32, {outputs}};
  if (!in[2].absent && in[2].type != bias)
    return Refuse("bias is {}, not {}", ToString(in[2].type), ToString(bias));
  if (a.scales.size() != 1 && static_cast<int64_t>(a.scales.size()) != outputs)
    return Refuse("{} scales for {} channels", a.scales.size(), outputs);
  Window2d window = a.window;
  window.kernel = {w.shape[2], w.shape[3]};
  const auto shape = WindowShape(window, x.shape, outputs);
  return shape ? One(DType::kFloat32, *shape) : Refuse("the window does not fit into {}", ToString(x.shape));
}

void ComputeHybrid(const TfliteHybrid& a, Values in, Results out) {
  const Shape &x = in[0]->shape(), &w = in[1]->shape(), &y = out[0].shape();
  const IntegerConvolution convolution = OverPlanes(a.window, a.groups, x, w, y);
  const size_t image = static_cast<size_t>(in[0]->size() / x[0]);
  const auto from = in[0]->data<float>();
  std::vector<int16_t> bytes(from.size());
  std::vector<float> scales;
  for (int64_t n = 0; n < x[0]; ++n) {
    const auto part = from.subspan(n * image, image);
    int16_t* to = bytes.data() + n * image;
    scales.push_back(QuantizeRow(part, a.asymmetric, to));
  }
  const auto weights = in[1]->data<int8_t>();
  const int64_t plane = y[2] * y[3];
  const auto result = out[0].mutable_data<float>();
  convolution.Run<int32_t, int16_t>(
      bytes, {weights.begin(), weights.end()}, [&](int64_t n, int64_t o, int64_t p, int32_t sum) {
        const float scale = a.scales[a.scales.size() == 1 ? 0 : o];
        const float bias = in[2] ? in[2]->data<float>()[o] : 0;
        const auto whole = static_cast<float>(sum);
        result[(n * y[1] + o) * plane + p] =
            (a.in_turn ? whole * scale * scales[n] : whole * (scale * scales[n])) + bias;
      });
}

}  // namespace

float QuantizeRow(std::span<const float> x, bool asymmetric, int16_t* to) {
  return (asymmetric ? Asymmetric(x, to) : Symmetric(x, to)).scale;
}

HostOperatorPtr HybridConvolution(const TfliteHybrid& attributes) {
  return Make(
      "tflite_hybrid", 2, 3, [=](Operands in) { return InferHybrid(attributes, in); },
      [=](Values in, Results out) { ComputeHybrid(attributes, in, out); }, MacsOfWeights(1));
}

}  // namespace cosim::host
