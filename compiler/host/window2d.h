// SPDX-License-Identifier: Apache-2.0
// A window that slides over the last two dimensions of [N,C,H,W].
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "compiler/graph/tensor.h"

namespace cosim::host {

struct Window2d {
  std::array<int64_t, 2> kernel = {1, 1};     ///< Vertical, horizontal.
  std::array<int64_t, 2> stride = {1, 1};     ///< Vertical, horizontal.
  std::array<int64_t, 4> pad = {0, 0, 0, 0};  ///< Top, left, bottom, right.
  std::array<int64_t, 2> dilation = {1, 1};   ///< Vertical, horizontal.
};

/// [N,channels,OH,OW] of the window over `x`; nothing when it does not fit.
std::optional<graph::Shape> WindowShape(const Window2d& window, const graph::Shape& x, int64_t channels);

/// The part of the window at output (oy, ox) that lies within [H,W] of `x`: rows [top, bottom), columns
/// [left, right). Without dilation.
struct Span2d {
  int64_t top, bottom, left, right;
  int64_t count() const { return (bottom - top) * (right - left); }
};
Span2d SpanAt(const Window2d& window, const graph::Shape& x, int64_t oy, int64_t ox);

}  // namespace cosim::host
