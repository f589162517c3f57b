// SPDX-License-Identifier: Apache-2.0
// The way back from a max-pool: its maxima where they were, zeros elsewhere.
#include <algorithm>
#include <cstring>

#include "compiler/host/numeric.h"
#include "compiler/host/spatial.h"

namespace cosim::host {
namespace {

/// What was pooled, as far as the window says: without pixels that no window covered.
std::variant<Shape, std::string> Pooled(const Spatial& s, const Shape& x) {
  const size_t rank = x.size() < 2 ? 0 : x.size() - 2;
  const auto fits = [&](const std::vector<int64_t>& list, size_t size) {
    return list.empty() || list.size() == size;
  };
  if (rank == 0 || s.kernel.size() != rank || !fits(s.strides, rank) || !fits(s.pads, 2 * rank))
    return fmt::format("the window does not have the dimensions of {}", ToString(x));
  Shape shape = {x[0], x[1]};
  for (size_t d = 0; d < rank; ++d) {
    const int64_t stride = s.strides.empty() ? 1 : s.strides[d];
    const int64_t pads = s.pads.empty() ? 0 : s.pads[d] + s.pads[d + rank];
    constexpr int64_t kMost = int64_t{1} << 30;
    if (std::max({std::abs(stride), std::abs(pads), std::abs(s.kernel[d]), x[d + 2]}) > kMost)
      return std::string("the window is too large");
    shape.push_back((x[d + 2] - 1) * stride + s.kernel[d] - pads);
    if (shape.back() < 1) return fmt::format("its result would be {}", ToString(shape));
  }
  return shape;
}

/// Copies elements by their places in `from`, whose coordinates they keep in `to`; others are left out.
template <typename T>
void Scatter(std::span<const T> x, std::span<const int64_t> places, const Shape& from, const Shape& to,
             std::span<T> y) {
  const auto strides = StridesOf(from), steps = StridesOf(to);
  for (size_t i = 0; i < x.size(); ++i) {
    if (places[i] < 0 || places[i] >= graph::NumElements(from)) continue;
    int64_t at = 0;
    bool inside = true;
    for (size_t d = 0; d < from.size(); ++d) {
      const int64_t coordinate = places[i] / strides[d] % from[d];
      inside &= coordinate < to[d];
      at += coordinate * steps[d];
    }
    if (inside) y[at] = x[i];
  }
}

}  // namespace

HostOperatorPtr MaxUnpool(const Spatial& spatial) {
  return Make(
      "max_unpool", 2, 3,
      [=](Operands in) {
        const TensorType& x = in[0].type;
        if (in[1].type != TensorType{DType::kInt64, x.shape})
          return Refuse("indices are {}, not int64{}", ToString(in[1].type), ToString(x.shape));
        const auto pooled = Pooled(spatial, x.shape);
        if (const auto* error = std::get_if<std::string>(&pooled)) return Refuse("{}", *error);
        if (in[2].absent) return One(x.dtype, std::get<Shape>(pooled));
        if (!in[2].value) return Refuse("its output shape has to be a constant");
        const Shape shape = Integers(*in[2].value);
        if (shape.size() != x.shape.size() || std::ranges::any_of(shape, [](int64_t n) { return n < 1; }))
          return Refuse("its output shape is {}", ToString(shape));
        return One(x.dtype, shape);
      },
      [=](Values in, Results out) {
        const Shape from = std::get<Shape>(Pooled(spatial, in[0]->shape()));
        graph::WithElementType(in[0]->dtype(), [&]<typename T>(T) {
          Scatter<T>(in[0]->data<T>(), in[1]->data<int64_t>(), from, out[0].shape(),
                     out[0].mutable_data<T>());
        });
      });
}

}  // namespace cosim::host
