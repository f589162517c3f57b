// SPDX-License-Identifier: Apache-2.0
#include "compiler/accel/gather.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace cosim::accel {
namespace {

using testing::ElementsAre;

constexpr PieceLimits kAnyPieces = {1 << 20, 1 << 20, 1 << 20, 1 << 20};

TEST(Gather, CutsTheWindowOfResNetsFirstLayer) {
  const ImageWindow window{.channels = 3, .kh = 7, .kw = 7, .sh = 2, .sw = 2, .oh = 112, .ow = 112};
  const Gathered gathered = GatherOf(window, 16, 16);
  EXPECT_EQ(gathered.row_bytes, 2 * 229 * 3);
  EXPECT_EQ(gathered.col_bytes, 6);
  ASSERT_EQ(gathered.blocks.size(), 10u);
  const int64_t row = 229 * 3;
  EXPECT_THAT(gathered.blocks[0], ElementsAre(Gathered::Piece{0, 16, 0}));
  EXPECT_THAT(gathered.blocks[1], ElementsAre(Gathered::Piece{0, 5, 16}, Gathered::Piece{5, 11, row}));
  // 147 values fill three lanes of the last block; the others hold what stands behind them.
  EXPECT_THAT(gathered.blocks[9], ElementsAre(Gathered::Piece{0, 16, 6 * row + 18}));
}

TEST(Gather, APieceTakesACycleForEachBeatNotYetTakenAndAtLeastOne) {
  Gathered gathered{
      .rows = 1, .cols = 4, .row_bytes = 100, .col_bytes = 4, .blocks = {{{0, 8, 0}}, {{0, 4, 0}}}};
  // Beats of 8 bytes: up to bytes 7, 11, 15, 19 three, one without any; up to bytes 3, 7, 11, 15 one every
  // second time.
  EXPECT_DOUBLE_EQ(CyclesOfElement(gathered, 8), (4 + 4) / 8.0);
  gathered.blocks[0][0].offset = 4;  // the first one lies in two beats
  EXPECT_DOUBLE_EQ(CyclesOfElement(gathered, 8), (5 + 4) / 8.0);
  gathered.col_bytes = 24;  // two beats between a piece and the next: beats 0 to 10, and to 9
  EXPECT_DOUBLE_EQ(CyclesOfElement(gathered, 8), (11 + 10) / 8.0);
}

/// Value `at` of the unrolled window: its first byte, from the position's on.
int64_t OffsetOf(const ImageWindow& w, int64_t at) {
  const int64_t pixel = w.channels * w.value_bytes, tap = at / pixel;
  return tap / w.kw * w.dh * w.RowBytes() + tap % w.kw * w.dw * pixel + at % pixel;
}

TEST(Gather, EveryByteOfEveryElementIsTheWindows) {
  std::mt19937 random(7);
  const auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int n = 0; n < 300; ++n) {
    const ImageWindow w{draw(1, 5), draw(1, 4), draw(1, 4), draw(1, 3), draw(1, 3),
                        draw(1, 2), draw(1, 2), draw(1, 6), draw(1, 6), draw(1, 2)};
    const int64_t element = 8 << draw(0, 2), longest = std::min<int64_t>(element, 4 << draw(0, 2));
    const Gathered gathered = GatherOf(w, element, longest);
    const int64_t blocks = std::ssize(gathered.blocks), bytes = w.kh * w.kw * w.channels * w.value_bytes;
    ASSERT_EQ(blocks, tir::CeilDiv(bytes, element));
    // A tile of some blocks, rows and columns, in the second of two images.
    const int64_t b0 = draw(0, blocks - 1), nb = draw(1, blocks - b0), y0 = draw(0, w.oh - 1);
    const int64_t ny = draw(1, w.oh - y0), x0 = draw(0, w.ow - 1), nx = draw(1, w.ow - x0);
    const int64_t plane = w.oh * w.ow, first = (blocks + b0) * plane + y0 * w.ow + x0;
    const std::vector<CopyDim> dims = {{nb, 0, 0, ny * nx, plane}, {ny, 0, 0, nx, w.ow}, {nx, 0, 0, 1, 1}};
    const PieceLimits limits = {draw(1, 4), draw(1, 4), draw(0, 1) ? 1 << 20 : w.RowBytes(),
                                longest + draw(0, 40)};
    std::string why;
    const auto loads = CutGather(gathered, dims, first, limits, why);
    ASSERT_TRUE(loads) << why;
    // By byte of the tile on chip: where it comes from.
    std::vector<int64_t> from(nb * ny * nx * element, -1);
    for (const PieceLoad& load : *loads) {
      EXPECT_LE(load.rows, limits.rows);
      EXPECT_LE(load.cols, limits.cols);
      EXPECT_LE(load.stride, limits.stride);
      EXPECT_LE((load.cols - 1) * load.step + load.piece.bytes, limits.row_bytes);
      EXPECT_LE(load.piece.bytes, longest);
      for (int64_t e = 0; e < load.rows * load.cols; ++e)
        for (int64_t byte = 0; byte < load.piece.bytes; ++byte)
          from.at((load.sram + e) * element + load.piece.first + byte) =
              load.dram + e / load.cols * load.stride + e % load.cols * load.step + byte;
    }
    for (int64_t e = 0; e < nb * ny * nx; ++e)
      for (int64_t byte = 0; byte < element; ++byte) {
        const int64_t y = y0 + e / nx % ny, x = x0 + e % nx, at = (b0 + e / (nx * ny)) * element + byte;
        const int64_t origin = gathered.image_bytes + y * w.sh * w.RowBytes() + x * gathered.col_bytes;
        const int64_t found = from[e * element + byte];
        if (at < bytes) {
          ASSERT_EQ(found, origin + OffsetOf(w, at)) << "case " << n << ", element " << e;
        } else {  // anything of the image
          ASSERT_GE(found, gathered.image_bytes) << "case " << n;
          ASSERT_LT(found, 2 * gathered.image_bytes) << "case " << n;
        }
      }
  }
}

TEST(Gather, RefusesWhatALoadDoesNotWrite) {
  const Gathered gathered = GatherOf({.channels = 3, .kh = 3, .kw = 3, .oh = 4, .ow = 5}, 16, 16);
  std::string why;
  EXPECT_FALSE(CutGather(gathered, {{4, 1, 0, 5, 5}, {5, 0, 0, 1, 1}}, 0, kAnyPieces, why));
  EXPECT_EQ(why, "padding of windows that are gathered from an image");
  EXPECT_FALSE(CutGather(gathered, {{4, 0, 0, 1, 1}}, 3, kAnyPieces, why));
  EXPECT_EQ(why, "a tile that goes on in the next row of an image");
}

}  // namespace
}  // namespace cosim::accel
