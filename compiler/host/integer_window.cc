// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/integer_window.h"

#include <fmt/format.h>

#include <type_traits>

namespace cosim::host {
namespace {

int64_t Product(const std::vector<int64_t>& list) {
  int64_t product = 1;
  for (int64_t v : list) product *= v;
  return product;
}

// Row-major coordinates of `index`.
void Unravel(int64_t index, const std::vector<int64_t>& extent, std::vector<int64_t>& at) {
  for (size_t d = extent.size(); d-- > 0;) {
    at[d] = index % extent[d];
    index /= extent[d];
  }
}

template <typename Sum, typename Value>
Sum Dot(const Value* a, const Value* b, int64_t n) {
  using Unsigned = std::make_unsigned_t<Sum>;
  using Product = std::conditional_t<std::is_same_v<Value, int16_t>, int32_t, int64_t>;
  Unsigned sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += static_cast<Unsigned>(Product{a[i]} * Product{b[i]});
  return static_cast<Sum>(sum);
}

}  // namespace

template <typename Sum, typename Value>
void IntegerConvolution::Run(const std::vector<Value>& x, const std::vector<Value>& w,
                             const std::function<void(int64_t, int64_t, int64_t, Sum)>& emit) const {
  const size_t rank = extent.size();
  const int64_t taps = Product(kernel), plane = Product(extent), pixels = Product(out_extent);
  const int64_t depth = channels * taps;
  // Where each tap of each pixel reads in a plane; -1 outside.
  std::vector<int64_t> offset(taps), pixel_at(rank), tap_at(rank);
  std::vector<Value> patch(depth);
  for (int64_t n = 0; n < batch; ++n)
    for (int64_t p = 0; p < pixels; ++p) {
      Unravel(p, out_extent, pixel_at);
      for (int64_t t = 0; t < taps; ++t) {
        Unravel(t, kernel, tap_at);
        int64_t at = 0;
        for (size_t d = 0; d < rank && at >= 0; ++d) {
          const int64_t i = pixel_at[d] * stride[d] + tap_at[d] * dilation[d] - pad_before[d];
          at = i < 0 || i >= extent[d] ? -1 : at * extent[d] + i;
        }
        offset[t] = at;
      }
      for (int64_t g = 0; g < groups; ++g) {
        for (int64_t c = 0; c < channels; ++c) {
          const Value* from = x.data() + ((n * groups + g) * channels + c) * plane;
          for (int64_t t = 0; t < taps; ++t) patch[c * taps + t] = offset[t] < 0 ? Value{0} : from[offset[t]];
        }
        for (int64_t o = g * outputs; o < (g + 1) * outputs; ++o)
          emit(n, o, p, Dot<Sum>(patch.data(), w.data() + o * depth, depth));
      }
    }
}

template void IntegerConvolution::Run<int32_t, int16_t>(
    const std::vector<int16_t>& x, const std::vector<int16_t>& w,
    const std::function<void(int64_t, int64_t, int64_t, int32_t)>& emit) const;
template void IntegerConvolution::Run<int64_t, int16_t>(
    const std::vector<int16_t>& x, const std::vector<int16_t>& w,
    const std::function<void(int64_t, int64_t, int64_t, int64_t)>& emit) const;
template void IntegerConvolution::Run<int64_t, int32_t>(
    const std::vector<int32_t>& x, const std::vector<int32_t>& w,
    const std::function<void(int64_t, int64_t, int64_t, int64_t)>& emit) const;

IntegerConvolution OverPlanes(const Window2d& window, int64_t groups, const graph::Shape& x,
                              const graph::Shape& w, const graph::Shape& y) {
  return {.batch = x[0],
          .groups = groups,
          .channels = w[1],
          .outputs = w[0] / groups,
          .extent = {x[2], x[3]},
          .kernel = {w[2], w[3]},
          .stride = {window.stride[0], window.stride[1]},
          .dilation = {window.dilation[0], window.dilation[1]},
          .pad_before = {window.pad[0], window.pad[1]},
          .out_extent = {y[2], y[3]}};
}

std::string PlanesMisfit(int64_t groups, const graph::Shape& x, const graph::Shape& w) {
  if (x.size() != 4 || w.size() != 4) return "input and weights must have 4 dimensions";
  if (groups < 1 || w[1] * groups != x[1] || w[0] % groups != 0)
    return fmt::format("{} groups of weights {} do not fit input {}", groups, graph::ToString(w),
                       graph::ToString(x));
  return "";
}

}  // namespace cosim::host
