// SPDX-License-Identifier: Apache-2.0
// Transcriptions of the definitions in ops.h. Channels of a pixel are a stride apart.
#include "compiler/golden/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/golden/clamp.h"
#include "compiler/graph/quantized.h"

namespace cosim::golden {
namespace {

using graph::Tensor;

/// Calls f(first, stride, channel) for the channels of every group at every pixel: element i of them stands
/// at first + i
/// * stride, and is channel `channel` + i.
template <typename F>
void ForEachColumn(const graph::Shape& shape, int64_t groups, F f) {
  const int64_t channels = shape[1] / groups, pixels = graph::NumElements(shape) / (shape[0] * shape[1]);
  for (int64_t n = 0; n < shape[0]; ++n)
    for (int64_t g = 0; g < groups; ++g)
      for (int64_t p = 0; p < pixels; ++p)
        f((n * shape[1] + g * channels) * pixels + p, pixels, g * channels);
}

template <typename T>
void MultiplyAs(const graph::MatMul& op, const Tensor& a, const Tensor& b, Tensor& out) {
  const auto x = a.data<T>(), w = b.data<T>();
  const auto y = out.mutable_data<int32_t>();
  const int64_t pixels = a.shape()[2] * a.shape()[3], summed = a.shape()[1] / op.groups;
  const int64_t results = out.shape()[1] / op.groups, matrices = a.shape()[0] * op.groups;
  const int64_t of_result = op.transpose_b ? summed : 1, of_summed = op.transpose_b ? 1 : results;
  for (int64_t m = 0; m < matrices; ++m)
    for (int64_t r = 0; r < results; ++r)
      for (int64_t k = 0; k < summed; ++k) {
        const auto weight = int32_t{w[m * summed * results + r * of_result + k * of_summed]};
        const T* row = x.data() + (m * summed + k) * pixels;
        int32_t* to = y.data() + (m * results + r) * pixels;
        for (int64_t p = 0; p < pixels; ++p)
          to[p] = static_cast<int32_t>(static_cast<uint32_t>(to[p]) + static_cast<uint32_t>(weight * row[p]));
      }
}

template <typename T>
void NormalizeAs(const graph::QSoftmax& op, const Tensor& x, Tensor& out) {
  const auto from = x.data<T>();
  const auto to = out.mutable_data<T>();
  const int64_t channels = x.shape()[1] / op.groups;
  ForEachColumn(x.shape(), op.groups, [&](int64_t first, int64_t stride, int64_t) {
    auto most = int32_t{std::numeric_limits<T>::min()};
    for (int64_t i = 0; i < channels; ++i) most = std::max<int32_t>(most, from[first + i * stride]);
    int64_t sum = 0;
    for (int64_t i = 0; i < channels; ++i) sum += op.exponentials[most - from[first + i * stride]];
    const auto rate = static_cast<float>(1.0 * op.levels / static_cast<double>(sum));
    for (int64_t i = 0; i < channels; ++i) {
      const auto e = static_cast<float>(op.exponentials[most - from[first + i * stride]]);
      const float share = e * rate;
      to[first + i * stride] = Clamp<T>(static_cast<int64_t>(std::floor(share + 0.5f)) + op.zero_point);
    }
  });
}

template <typename T>
void NormalizeAs(const graph::QLayerNorm& op, const Tensor& x, const Tensor& gain, const Tensor& offset,
                 Tensor& out) {
  const auto from = x.data<T>();
  const auto to = out.mutable_data<T>();
  const int64_t channels = x.shape()[1];
  ForEachColumn(x.shape(), 1, [&](int64_t first, int64_t stride, int64_t) {
    int64_t sum = 0, squares = 0;
    for (int64_t i = 0; i < channels; ++i) {
      const auto v = int64_t{from[first + i * stride]};
      sum += v;
      squares += v * v;
    }
    const auto variance = static_cast<double>(channels * squares - sum * sum);
    const auto rate = static_cast<float>(1.0 / std::sqrt(variance + double{op.epsilon}));
    for (int64_t i = 0; i < channels; ++i) {
      const auto centred = static_cast<float>(channels * from[first + i * stride] - sum);
      const float normal = centred * rate;
      const float scaled = normal * gain.data<float>()[i];
      const float moved = scaled + offset.data<float>()[i];
      to[first + i * stride] = ClampReal<T>(std::floor(moved + 0.5f));
    }
  });
}

}  // namespace

void Multiply(const graph::MatMul& op, const Tensor& a, const Tensor& b, Tensor& out) {
  graph::WithQuantized(a.dtype(), [&](auto zero) { MultiplyAs<decltype(zero)>(op, a, b, out); });
}

void Normalize(const graph::QSoftmax& op, const Tensor& x, Tensor& out) {
  graph::WithQuantized(x.dtype(), [&](auto zero) { NormalizeAs<decltype(zero)>(op, x, out); });
}

void Normalize(const graph::QLayerNorm& op, const Tensor& x, const Tensor& gain, const Tensor& offset,
               Tensor& out) {
  graph::WithQuantized(x.dtype(), [&](auto zero) { NormalizeAs<decltype(zero)>(op, x, gain, offset, out); });
}

}  // namespace cosim::golden
