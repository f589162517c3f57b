// SPDX-License-Identifier: Apache-2.0
// Every element of the result is looked up where the definition says it comes from.
#include "compiler/graph/rearrange.h"

#include <algorithm>

namespace cosim::graph {
namespace {

/// out[n,c,h,w] = element(x, n, c, h, w), `x` being the elements of the operand.
template <typename Element>
void FillFrom(const Tensor& x, Tensor& out, Element element) {
  WithElementType(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto from = x.data<T>();
    T* to = out.mutable_data<T>().data();
    const Shape& y = out.shape();
    for (int64_t n = 0; n < y[0]; ++n)
      for (int64_t c = 0; c < y[1]; ++c)
        for (int64_t h = 0; h < y[2]; ++h)
          for (int64_t w = 0; w < y[3]; ++w) *to++ = static_cast<T>(element(from, n, c, h, w));
  });
}

}  // namespace

void Concatenate(const std::vector<TensorPtr>& operands, Tensor& out) {
  WithElementType(out.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const int64_t batch = out.shape()[0], all = out.size() / batch;
    int64_t first = 0;
    for (const auto& operand : operands) {
      const int64_t part = operand->size() / batch;
      for (int64_t n = 0; n < batch; ++n)
        std::copy_n(operand->data<T>().begin() + n * part, part,
                    out.mutable_data<T>().begin() + n * all + first);
      first += part;
    }
  });
}

void Frame(const Pad& op, const Tensor& x, Tensor& out) {
  const Shape& s = x.shape();
  FillFrom(x, out, [&](auto from, int64_t n, int64_t c, int64_t h, int64_t w) {
    using T = typename decltype(from)::value_type;
    int64_t y = h - op.pad[0], z = w - op.pad[1];
    if (op.edge) {
      y = std::clamp<int64_t>(y, 0, s[2] - 1);
      z = std::clamp<int64_t>(z, 0, s[3] - 1);
    }
    if (y < 0 || y >= s[2] || z < 0 || z >= s[3]) return static_cast<T>(op.value);
    return from[((n * s[1] + c) * s[2] + y) * s[3] + z];
  });
}

void Spread(const DepthToSpace& op, const Tensor& x, Tensor& out) {
  const Shape& s = x.shape();
  const int64_t channels = out.shape()[1];
  FillFrom(x, out, [&](auto from, int64_t n, int64_t c, int64_t h, int64_t w) {
    const int64_t phase = h % op.block[0] * op.block[1] + w % op.block[1];
    return from[((n * s[1] + phase * channels + c) * s[2] + h / op.block[0]) * s[3] + w / op.block[1]];
  });
}

void Repeat(const ResizeNearest& op, const Tensor& x, Tensor& out) {
  const Shape& s = x.shape();
  FillFrom(x, out, [&](auto from, int64_t n, int64_t c, int64_t h, int64_t w) {
    return from[((n * s[1] + c) * s[2] + h / op.scale[0]) * s[3] + w / op.scale[1]];
  });
}

}  // namespace cosim::graph
