// SPDX-License-Identifier: Apache-2.0
// Convolutions of float32 with sums in float64: the reference, many sums at a time. A product of two float32
// is exact in float64, and each sum is of its own order whatever the processor, so all machines give the same
// bits.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace cosim::host {

struct FloatConvolution {
  int64_t batch = 1, groups = 1;
  int64_t channels = 1, outputs = 1;  ///< of one group
  int64_t plane = 1;                  ///< elements of a channel of x
  int64_t taps = 1;
  /// For each output pixel, row-major, and each of its taps: where it reads in a plane; -1 outside, which is
  /// 0.
  std::vector<int64_t> places;

  int64_t pixels() const { return static_cast<int64_t>(places.size()) / taps; }

  /// x: [batch, groups * channels, plane], w: [groups * outputs, channels, taps], bias: one an output, or
  /// null, y: [batch, groups * outputs, pixels]. Sums begin with the bias and go by channel, then tap.
  void Run(const float* x, const float* w, const float* bias, float* y) const;
};

}  // namespace cosim::host
