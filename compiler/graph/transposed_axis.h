// SPDX-License-Identifier: Apache-2.0
// A transposed convolution along one axis as a convolution that computes the pixels of each square, `stride`
// wide, as channels.
#pragma once

#include <algorithm>
#include <cstdint>

namespace cosim::graph {

/// With stride s: result row s * q + p takes input row i with tap k where s * (q - i) + p + pad = k. With p +
/// pad = s * d + r that is tap k = s * j + r of row q + d - j: a correlation over the rows q + t, t = d - j.
struct TransposedAxis {
  int64_t stride = 1, pad = 0, kernel = 1;  ///< of the transposed convolution
  int64_t first = 0, last = 0;              ///< the correlation reads rows q + first … q + last

  static TransposedAxis Of(int64_t stride, int64_t pad, int64_t kernel) {
    TransposedAxis axis{.stride = stride, .pad = pad, .kernel = kernel};
    for (int64_t p = 0; p < stride; ++p) {
      const int64_t d = (p + pad) / stride, r = (p + pad) % stride;
      if (r >= kernel) continue;  // a phase that no tap meets
      axis.first = std::min(axis.first, d - (kernel - 1 - r) / stride);
      axis.last = std::max(axis.last, d);
    }
    return axis;
  }

  int64_t taps() const { return last - first + 1; }
  int64_t pad_before() const { return -first; }
  /// For `squares` of the result; negative where it leaves the last windows out.
  int64_t PadAfter(int64_t input, int64_t squares) const { return squares + last - input; }

  /// The tap of the transposed convolution that row q + first + `at` meets in phase p, or -1.
  int64_t Tap(int64_t p, int64_t at) const {
    const int64_t j = (p + pad) / stride - (first + at), tap = stride * j + (p + pad) % stride;
    return j >= 0 && tap < kernel ? tap : -1;
  }
};

}  // namespace cosim::graph
