// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/matrix.h"

#include <algorithm>
#include <cmath>

#include "compiler/host/numeric.h"

namespace cosim::host {
namespace {

/// By elimination, the largest element of a column first.
double DeterminantOf(std::vector<double> m, size_t n) {
  double product = 1;
  for (size_t c = 0; c < n; ++c) {
    size_t pivot = c;
    for (size_t r = c + 1; r < n; ++r)
      if (std::abs(m[r * n + c]) > std::abs(m[pivot * n + c])) pivot = r;
    if (m[pivot * n + c] == 0) return 0;
    if (pivot != c) {
      std::swap_ranges(m.begin() + static_cast<std::ptrdiff_t>(c * n),
                       m.begin() + static_cast<std::ptrdiff_t>((c + 1) * n),
                       m.begin() + static_cast<std::ptrdiff_t>(pivot * n));
      product = -product;
    }
    product *= m[c * n + c];
    for (size_t r = c + 1; r < n; ++r) {
      const double factor = m[r * n + c] / m[c * n + c];
      for (size_t k = c; k < n; ++k) m[r * n + k] -= factor * m[c * n + k];
    }
  }
  return product;
}

/// Blocks in an image.
struct Patches {
  std::vector<int64_t> image, block, dilation, stride, before, count;
};

std::variant<Patches, std::string> PatchesOf(const PatchAttributes& a, const Shape& x, const Tensor& image,
                                             const Tensor& block) {
  Patches p{Integers(image), Integers(block), a.dilations, a.strides, {}, {}};
  const size_t n = p.image.size();
  std::vector<int64_t> pads = a.pads;
  if (p.dilation.empty()) p.dilation.assign(n, 1);
  if (p.stride.empty()) p.stride.assign(n, 1);
  if (pads.empty()) pads.assign(2 * n, 0);
  constexpr size_t kMostDimensions = 8;
  if (n == 0 || n > kMostDimensions || p.block.size() != n || p.dilation.size() != n ||
      p.stride.size() != n || pads.size() != 2 * n)
    return "its attributes do not fit the image";
  int64_t taps = 1, places = 1;
  constexpr int64_t kMost = int64_t{1} << 24;
  for (size_t d = 0; d < n; ++d) {
    for (int64_t v : {p.image[d], p.block[d], p.dilation[d], p.stride[d]})
      if (v < 1 || v > kMost) return "extents, strides and dilations must be at least 1";
    if (pads[d] < 0 || pads[d + n] < 0 || pads[d] > kMost || pads[d + n] > kMost)
      return "pads must not be negative";
    const int64_t room = p.image[d] + pads[d] + pads[d + n] - (p.dilation[d] * (p.block[d] - 1) + 1);
    if (room < 0) return "its block does not fit into the image";
    p.before.push_back(pads[d]);
    p.count.push_back(room / p.stride[d] + 1);
    if (__builtin_mul_overflow(taps, p.block[d], &taps) ||
        __builtin_mul_overflow(places, p.count[d], &places))
      return "its block is too large";
  }
  if (x.size() != 3 || x[1] % taps != 0 || x[2] != places)
    return fmt::format("columns {} for blocks {} at {} places", ToString(x), ToString(p.block), places);
  return p;
}

/// i as coordinates in `shape`.
std::vector<int64_t> CoordinatesOf(int64_t i, const std::vector<int64_t>& shape) {
  std::vector<int64_t> at(shape.size());
  for (size_t d = shape.size(); d-- > 0; i /= shape[d]) at[d] = i % shape[d];
  return at;
}

}  // namespace

HostOperatorPtr Determinant() {
  return Make(
      "determinant", 1, 1,
      [](Operands in) {
        const Shape& x = in[0].type.shape;
        if (!IsFloat(in[0].type.dtype) || x.size() < 2 || x.back() != x[x.size() - 2])
          return Refuse("input is {}", ToString(in[0].type));
        constexpr int64_t kMostRows = 1024;
        if (x.back() > kMostRows) return Refuse("matrices of {} rows", x.back());
        return One(in[0].type.dtype, Shape(x.begin(), x.end() - 2));
      },
      [](Values in, Results out) {
        const auto values = Reals(*in[0]);
        const auto n = static_cast<size_t>(in[0]->shape().back());
        Tensor all(TensorType{DType::kFloat64, out[0].shape()});
        const auto to = all.mutable_data<double>();
        for (size_t i = 0; i < to.size(); ++i) {
          const auto begin = values.begin() + static_cast<std::ptrdiff_t>(i * n * n);
          to[i] = DeterminantOf({begin, begin + static_cast<std::ptrdiff_t>(n * n)}, n);
        }
        out[0] = ConvertTo(all, out[0].dtype());
      });
}

HostOperatorPtr ImageOfColumns(const PatchAttributes& a) {
  return Make(
      "image_of_columns", 3, 3,
      [=](Operands in) {
        if (!IsFloat(in[0].type.dtype)) return Refuse("input must be float");
        if (!in[1].value || !in[2].value) return Refuse("its shapes must be constants");
        const auto patches = PatchesOf(a, in[0].type.shape, *in[1].value, *in[2].value);
        if (const auto* error = std::get_if<std::string>(&patches)) return Types{*error};
        const Patches& p = std::get<0>(patches);
        Shape shape = {in[0].type.shape[0], in[0].type.shape[1] / graph::NumElements(p.block)};
        shape.insert(shape.end(), p.image.begin(), p.image.end());
        return IsReasonable(shape) ? One(in[0].type.dtype, shape) : Refuse("the result is too large");
      },
      [=](Values in, Results out) {
        const Shape& x = in[0]->shape();
        const Patches p = std::get<0>(PatchesOf(a, x, *in[1], *in[2]));
        const int64_t taps = graph::NumElements(p.block), plane = graph::NumElements(p.image);
        const auto values = Reals(*in[0]);
        Tensor all(TensorType{DType::kFloat64, out[0].shape()});
        const auto to = all.mutable_data<double>();
        for (int64_t tap = 0; tap < taps; ++tap) {
          const auto within = CoordinatesOf(tap, p.block);
          for (int64_t place = 0; place < x[2]; ++place) {
            const auto at = CoordinatesOf(place, p.count);
            int64_t pixel = 0;
            for (size_t d = 0; d < at.size() && pixel >= 0; ++d) {
              const int64_t i = at[d] * p.stride[d] + within[d] * p.dilation[d] - p.before[d];
              pixel = i < 0 || i >= p.image[d] ? -1 : pixel * p.image[d] + i;
            }
            for (int64_t c = 0; c < x[0] * x[1] / taps && pixel >= 0; ++c)
              to[static_cast<size_t>(c * plane + pixel)] +=
                  values[static_cast<size_t>((c * taps + tap) * x[2] + place)];
          }
        }
        out[0] = ConvertTo(all, out[0].dtype());
      });
}

}  // namespace cosim::host
