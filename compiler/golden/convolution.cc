// SPDX-License-Identifier: Apache-2.0
// Every output is one dot product of int16 vectors: the weights of its channel and the pixels its window
// sees, zero point subtracted (that of int16 pixels is 0: they fit as they are), both in the order (row,
// column, channel), so that pixels are copied in runs of channels.
#include "compiler/golden/convolution.h"

#include <algorithm>
#include <vector>

#include "compiler/golden/dot.h"
#include "compiler/graph/quantized.h"

namespace cosim::golden {
namespace {

using graph::Shape;
using graph::Tensor;

int64_t Aligned(int64_t depth) { return (depth + kDotAlignment - 1) / kDotAlignment * kDotAlignment; }

/// x [C,H,W] of one image as [H,W,C], minus the zero point.
template <typename T>
std::vector<int16_t> ChannelsLast(const T* x, int64_t channels, int64_t pixels, int32_t zero_point) {
  std::vector<int16_t> result(channels * pixels);
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t p = 0; p < pixels; ++p)
      result[p * channels + c] = static_cast<int16_t>(x[c * pixels + p] - zero_point);
  }
  return result;
}

/// w [O,I,KH,KW] as rows of [KH,KW,I], each padded with zeros to `depth`.
std::vector<int16_t> WeightRows(const Tensor& w, int64_t depth) {
  const int64_t outputs = w.shape()[0], inputs = w.shape()[1], taps = w.shape()[2] * w.shape()[3];
  std::vector<int16_t> rows(outputs * depth, 0);
  graph::WithQuantized(w.dtype(), [&](auto zero) {
    const auto* from = w.data<decltype(zero)>().data();
    for (int64_t o = 0; o < outputs; ++o) {
      for (int64_t i = 0; i < inputs; ++i) {
        for (int64_t t = 0; t < taps; ++t) rows[o * depth + t * inputs + i] = *from++;
      }
    }
  });
  return rows;
}

/// For each output pixel the row of what its window sees of `channels` channels from `first` on: 0 outside
/// the image.
std::vector<int16_t> PatchRows(const graph::Conv2d& op, const std::vector<int16_t>& image, const Shape& x,
                               const Shape& w, const Shape& y, int64_t first, int64_t depth) {
  const int64_t channels = w[1];
  std::vector<int16_t> rows(y[2] * y[3] * depth, 0);
  int16_t* row = rows.data();
  for (int64_t oy = 0; oy < y[2]; ++oy) {
    for (int64_t ox = 0; ox < y[3]; ++ox, row += depth) {
      for (int64_t ky = 0; ky < w[2]; ++ky) {
        const int64_t iy = oy * op.stride[0] - op.pad[0] + ky * op.dilation[0];
        if (iy < 0 || iy >= x[2]) continue;
        for (int64_t kx = 0; kx < w[3]; ++kx) {
          const int64_t ix = ox * op.stride[1] - op.pad[1] + kx * op.dilation[1];
          if (ix < 0 || ix >= x[3]) continue;
          const int16_t* pixel = image.data() + (iy * x[3] + ix) * x[1] + first;
          std::copy_n(pixel, channels, row + (ky * w[3] + kx) * channels);
        }
      }
    }
  }
  return rows;
}

}  // namespace

void Convolve(const graph::Conv2d& op, const Tensor& x, const Tensor& w, Tensor& out) {
  const Shape &xs = x.shape(), &ws = w.shape(), &ys = out.shape();
  const int64_t depth = Aligned(ws[1] * ws[2] * ws[3]);
  const int64_t in_plane = xs[2] * xs[3], out_plane = ys[2] * ys[3], outputs = ws[0] / op.groups;
  const std::vector<int16_t> weights = WeightRows(w, depth);
  for (int64_t n = 0; n < xs[0]; ++n) {
    std::vector<int16_t> image;
    graph::WithQuantized(x.dtype(), [&](auto zero) {
      image = ChannelsLast(x.data<decltype(zero)>().data() + n * xs[1] * in_plane, xs[1], in_plane,
                           op.input_zero_point);
    });
    for (int64_t g = 0; g < op.groups; ++g) {
      const auto patches = PatchRows(op, image, xs, ws, ys, g * ws[1], depth);
      int32_t* result = out.mutable_data<int32_t>().data() + (n * ys[1] + g * outputs) * out_plane;
      DotProducts(weights.data() + g * outputs * depth, outputs, patches.data(), out_plane, depth, result,
                  out_plane);
    }
  }
}

void Multiply(const graph::Dense& op, const Tensor& x, const Tensor& w, Tensor& out) {
  const int64_t batch = x.shape()[0], inputs = x.shape()[1], outputs = w.shape()[0];
  const int64_t depth = Aligned(inputs);
  const std::vector<int16_t> weights = WeightRows(w.Reshaped({outputs, inputs, 1, 1}), depth);
  std::vector<int16_t> rows(batch * depth, 0);
  graph::WithQuantized(x.dtype(), [&](auto zero) {
    const auto from = x.data<decltype(zero)>();
    for (int64_t n = 0; n < batch; ++n) {
      for (int64_t i = 0; i < inputs; ++i) {
        rows[n * depth + i] = static_cast<int16_t>(from[n * inputs + i] - op.input_zero_point);
      }
    }
  });
  DotProducts(rows.data(), batch, weights.data(), outputs, depth, out.mutable_data<int32_t>().data(),
              outputs);
}

}  // namespace cosim::golden
