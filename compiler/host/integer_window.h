// SPDX-License-Identifier: Apache-2.0
// Sums of products of small integers over windows, in int32 or int64 that wraps: the inner part of every
// integer convolution of the library.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "compiler/host/window2d.h"

namespace cosim::host {

/// A convolution over any number of spatial dimensions. Values are centred: their zero points are subtracted.
struct IntegerConvolution {
  int64_t batch = 1, groups = 1;
  int64_t channels = 1, outputs = 1;  ///< of one group
  std::vector<int64_t> extent, kernel, stride, dilation, pad_before, out_extent;

  /// x: [batch, groups * channels, extent...], w: [groups * outputs, channels, kernel...]. Value: int16_t,
  /// of which a product has to fit into int32, with sums of int32_t or int64_t, or int32_t with int64_t.
  /// Calls emit(image, output channel, pixel, sum) once for each result, pixels row-major. Taps outside are
  /// 0.
  template <typename Sum, typename Value>
  void Run(const std::vector<Value>& x, const std::vector<Value>& w,
           const std::function<void(int64_t, int64_t, int64_t, Sum)>& emit) const;
};

/// That of TensorFlow Lite's operators over planes: x [N,C,H,W], w [O,C/groups,KH,KW], y [N,O,OH,OW].
IntegerConvolution OverPlanes(const Window2d& window, int64_t groups, const graph::Shape& x,
                              const graph::Shape& w, const graph::Shape& y);
/// Why weights do not fit their input; empty if they do.
std::string PlanesMisfit(int64_t groups, const graph::Shape& x, const graph::Shape& w);

}  // namespace cosim::host
