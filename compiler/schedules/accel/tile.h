// SPDX-License-Identifier: Apache-2.0
// What the accelerator's kernels are about: the extents of a window that slides over blocked values, and the
// knobs of a schedule.
#pragma once

#include <cstdint>
#include <string>

namespace cosim::kernels {

/// A sliding window over blocked values; channels counted in layout blocks (of `si` elements where they are
/// read, `so` where they are written), extents in pixels. Pools leave ci at 1. A convolution may have groups,
/// each with ci and co blocks of its own.
struct Window {
  int64_t n = 1, ci = 1, h = 1, w = 1, co = 1, oh = 1, ow = 1;
  int64_t g = 1, si = 1, so = 1;
  int64_t kh = 1, kw = 1, sh = 1, sw = 1, dh = 1, dw = 1;
  int64_t top = 0, left = 0, bottom = 0, right = 0;
  int64_t pad_value = 0;
  int64_t parts = 1;  ///< of which each weight is the sum: of two where it is wider than the array's
  double gather = 0;  ///< cycles of the load unit for an element gathered in pieces; 0: elements come whole
  int64_t RowsFor(int64_t y) const { return (y - 1) * sh + (kh - 1) * dh + 1; }
  int64_t ColsFor(int64_t x) const { return (x - 1) * sw + (kw - 1) * dw + 1; }
  bool Padded() const { return top || left || bottom || right; }
  friend bool operator==(const Window&, const Window&) = default;
};

/// The schedule's knobs. Tiles in groups, blocks and pixels of the output; `ci` input blocks are on chip at a
/// time.
struct Tile {
  int64_t co = 1, ci = 1, y = 1, x = 1;
  int threads = 1;                                                 ///< virtual threads
  enum class ThreadAxis { kCo, kY } thread_axis = ThreadAxis::kY;  ///< kCo: groups where there are several
  bool weights_resident = false;  ///< all of the layer's weights are loaded once and stay
  int64_t g = 1;                  ///< groups; more than one only with all of their blocks
  int units = 1;                  ///< with the same instruction, that threads are dealt to in turn
  int64_t ky = 0, kx = 0;         ///< rows and columns of weights on chip at a time; 0: all of the window's
  friend bool operator==(const Tile&, const Tile&) = default;
};
std::string ToString(const Tile& tile);

}  // namespace cosim::kernels
