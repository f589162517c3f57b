// SPDX-License-Identifier: Apache-2.0
// Windows of an image as elements: where a convolution of few channels reads rows of pixels as they stand, a
// load gathers the elements of its unrolled windows in pieces (isa::Transfer::gathers).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/accel/transfers.h"
#include "compiler/tir/rounding.h"

namespace cosim::accel {

/// How a kernel's param stands in DRAM that is no array of elements but an image. Its shape is that of the
/// elements, [images][blocks][rows][cols][…]: one of each block for each position of the window.
struct Gathered {
  /// Bytes [first, first + bytes) of an element are the image's from `offset` behind the position's first
  /// byte on.
  struct Piece {
    int64_t first = 0, bytes = 0, offset = 0;
    friend bool operator==(const Piece&, const Piece&) = default;
  };
  int param = 0;  ///< of the kernel
  int64_t rows = 1, cols = 1;
  int64_t image_bytes = 0, row_bytes = 0,
          col_bytes = 0;                   ///< from image to image, and from position to position
  std::vector<std::vector<Piece>> blocks;  ///< the pieces of a block's elements
};

/// A window over rows of pixels, each with its channels side by side.
struct ImageWindow {
  int64_t channels = 1, kh = 1, kw = 1, sh = 1, sw = 1, dh = 1, dw = 1;
  int64_t oh = 1, ow = 1;                     ///< positions
  int64_t value_bytes = 1;                    ///< of a channel's value
  int64_t least_height = 1, least_width = 1;  ///< of rows and columns to stand there, reached or not
  /// What the windows reach: the border is part of the image.
  int64_t Height() const { return std::max(least_height, (oh - 1) * sh + (kh - 1) * dh + 1); }
  int64_t Width() const { return std::max(least_width, (ow - 1) * sw + (kw - 1) * dw + 1); }
  int64_t RowBytes() const { return Width() * channels * value_bytes; }
  /// In whole rows, with what the last pieces of the last block read behind it, into lanes whose weights are
  /// 0.
  int64_t ImageBytes(int64_t element_bytes) const {
    return (Height() + tir::CeilDiv(element_bytes, RowBytes())) * RowBytes();
  }
};

/// The window's values, row by row, pixel by pixel, channel by channel, in elements of `element_bytes` and in
/// pieces of at most `longest`.
Gathered GatherOf(const ImageWindow& window, int64_t element_bytes, int64_t longest);

/// Cycles that the load unit takes for an element, on average over blocks and positions of whole rows: a
/// piece one for each beat not taken before, and at least one (docs/rationale/microarchitecture.md, rule U4).
double CyclesOfElement(const Gathered& gathered, int64_t beat_bytes);

/// One load: rows x cols pieces. Offsets, `stride` and `step` in bytes of DRAM; `sram` in elements.
struct PieceLoad {
  Gathered::Piece piece;
  int64_t sram = 0, dram = 0, rows = 1, cols = 1, stride = 0, step = 0;
};

/// The most that an instruction's fields hold.
struct PieceLimits {
  int64_t rows = 1, cols = 1, stride = 1, row_bytes = 1;
};

/// The loads of the elements that `dims` copy from element `first` of the param on. Nothing, and `why` set,
/// where their order on chip is none that a load makes.
std::optional<std::vector<PieceLoad>> CutGather(const Gathered& gathered, std::vector<CopyDim> dims,
                                                int64_t first, const PieceLimits& limits, std::string& why);

}  // namespace cosim::accel
