// SPDX-License-Identifier: Apache-2.0
// What the accelerator's kernels are about: the extents of a window that slides over blocked values, and the
// knobs of a schedule.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cosim::kernels {

/// Windows that slide over sums along one dimension: `taps` of them, every `step`, the first one `before` the
/// first sum. Some of each window are sums.
struct PoolAxis {
  int64_t taps = 1, step = 1, before = 0, out = 1;
  int64_t For(int64_t outputs) const { return (outputs - 1) * step + taps; }
  friend bool operator==(const PoolAxis&, const PoolAxis&) = default;
};
struct Pooling {
  PoolAxis rows, cols;
  friend bool operator==(const Pooling&, const Pooling&) = default;
};

/// Results that stand in DRAM so many rows and columns apart. The places between hold other blocks of
/// channels, those of one place behind those of the place before (`phases`, as graph::DepthToSpace), or the
/// same again (as graph::ResizeNearest).
struct Spread {
  int64_t rows = 1, cols = 1;
  bool phases = false;
  friend bool operator==(const Spread&, const Spread&) = default;
};

/// A sliding window over blocked values; channels counted in layout blocks (of `si` elements where they are
/// read, `so` where they are written), extents in pixels. Pools leave ci at 1. A convolution may have groups,
/// each with ci and co blocks of its own.
struct Window {
  int64_t n = 1, ci = 1, h = 1, w = 1, co = 1, oh = 1, ow = 1;
  int64_t g = 1, si = 1, so = 1;
  int64_t kh = 1, kw = 1, sh = 1, sw = 1, dh = 1, dw = 1;
  int64_t top = 0, left = 0, bottom = 0, right = 0;
  int64_t pad_value = 0;
  bool edge = false;  ///< outside stands the nearest element, not pad_value
  int64_t parts = 1;  ///< of which each weight is the sum: of two where it is wider than the array's
  double gather = 0;  ///< cycles of the load unit for an element gathered in pieces; 0: elements come whole
  /// Weights stand as blocks of pixels do, their inputs outside: [g][ci][si][co][so]….
  bool weights_in_blocks = false;
  int64_t rows_stored = 0;       ///< rows of the output's blocks in DRAM, where it fills fewer; 0: as it has
  bool fed = false;              ///< what it slides over is computed on chip, by a feeder (kernel.h)
  std::optional<Pooling> pool;   ///< of the sums, the largest of each of these windows go on
  std::optional<Spread> spread;  ///< none: one behind the other
  /// Blocks of channels of a place of the output.
  int64_t PlaceBlocks() const { return spread && spread->phases ? co / (spread->rows * spread->cols) : co; }
  int64_t OutRows() const { return pool ? pool->rows.out : oh; }
  int64_t OutCols() const { return pool ? pool->cols.out : ow; }
  /// Sums for so many rows and columns of the output; where these are pooled, neighbours share some.
  int64_t SumRows(int64_t y) const { return pool ? std::min(oh, pool->rows.For(y)) : y; }
  int64_t SumCols(int64_t x) const { return pool ? std::min(ow, pool->cols.For(x)) : x; }
  int64_t RowsFor(int64_t y) const { return (y - 1) * sh + (kh - 1) * dh + 1; }
  int64_t ColsFor(int64_t x) const { return (x - 1) * sw + (kw - 1) * dw + 1; }
  bool Padded() const { return top || left || bottom || right; }
  friend bool operator==(const Window&, const Window&) = default;
};

/// The schedule's knobs. Tiles in groups, blocks and pixels of the output; `ci` input blocks are on chip at a
/// time.
struct Tile {
  int64_t co = 1, ci = 1, y = 1, x = 1;
  int threads = 1;  ///< virtual threads
  /// kCo: groups where there are several. kX: of a pool; each thread then goes down its columns, and keeps
  /// the sums that the next tile needs too.
  enum class ThreadAxis { kCo, kY, kX } thread_axis = ThreadAxis::kY;
  bool weights_resident = false;  ///< all of the layer's weights are loaded once and stay
  int64_t g = 1;                  ///< groups; more than one only with all of their blocks
  int units = 1;                  ///< with the same instruction, that threads are dealt to in turn
  int64_t ky = 0, kx = 0;         ///< rows and columns of weights on chip at a time; 0: all of the window's
  bool rows_first = false;        ///< all channels of some rows before other rows; else the other way round
  friend bool operator==(const Tile&, const Tile&) = default;
};
std::string_view ToString(Tile::ThreadAxis axis);
std::string ToString(const Tile& tile);

}  // namespace cosim::kernels
