// SPDX-License-Identifier: Apache-2.0
#include "compiler/host/window2d.h"

#include <algorithm>

#include "compiler/graph/infer.h"
#include "compiler/host/spatial.h"

namespace cosim::host {

std::optional<graph::Shape> WindowShape(const Window2d& w, const graph::Shape& x, int64_t channels) {
  graph::Shape shape = {x[0], channels};
  for (int d : {0, 1}) {
    shape.push_back(
        graph::WindowExtent(x[2 + d], w.kernel[d], w.stride[d], w.dilation[d], w.pad[d], w.pad[d + 2]));
    if (shape.back() < 1) return std::nullopt;
  }
  return shape;
}

Span2d SpanAt(const Window2d& w, const graph::Shape& x, int64_t oy, int64_t ox) {
  const int64_t top = oy * w.stride[0] - w.pad[0], left = ox * w.stride[1] - w.pad[1];
  return {std::max<int64_t>(top, 0), std::min(top + w.kernel[0], x[2]), std::max<int64_t>(left, 0),
          std::min(left + w.kernel[1], x[3])};
}

Spatial SpatialOf(const Window2d& window) {
  const auto list = [](const auto& of) { return std::vector<int64_t>(of.begin(), of.end()); };
  return {.kernel = list(window.kernel),
          .strides = list(window.stride),
          .dilations = list(window.dilation),
          .pads = list(window.pad)};
}

}  // namespace cosim::host
