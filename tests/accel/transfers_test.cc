// SPDX-License-Identifier: Apache-2.0
#include "compiler/accel/transfers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace cosim::accel {
namespace {

constexpr TransferLimits kWide = {1 << 20, 1 << 20, 1 << 20, 63, 63, 63, 63};

std::vector<Copy2d> Cut(std::vector<CopyDim> dims, const TransferLimits& limits = kWide) {
  std::string why;
  const auto copies = CutCopy(std::move(dims), limits, why);
  EXPECT_TRUE(copies) << why;
  return copies.value_or(std::vector<Copy2d>{});
}

std::string WhyNot(std::vector<CopyDim> dims, const TransferLimits& limits = kWide) {
  std::string why;
  EXPECT_FALSE(CutCopy(std::move(dims), limits, why));
  return why;
}

// Element by element, what the transfers move: on-chip position to DRAM position, -1 for padding.
std::map<int64_t, int64_t> Moved(const std::vector<Copy2d>& copies) {
  std::map<int64_t, int64_t> moved;
  for (const Copy2d& c : copies) {
    int64_t at = c.sram;
    for (int64_t y = -c.pad_top; y < c.rows + c.pad_bottom; ++y)
      for (int64_t x = -c.pad_left; x < c.cols + c.pad_right; ++x) {
        const bool inside = y >= 0 && y < c.rows && x >= 0 && x < c.cols;
        EXPECT_TRUE(moved.emplace(at++, inside ? c.dram + y * c.stride + x : -1).second);
      }
  }
  return moved;
}

TEST(CutCopy, MergesWhatIsContiguousOnBothSides) {
  const auto copies = Cut({{2, 0, 0, 56, 3136}, {4, 0, 0, 14, 14}, {14, 0, 0, 1, 1}});
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(copies[0].rows, 2);
  EXPECT_EQ(copies[0].cols, 56);
  EXPECT_EQ(copies[0].stride, 3136);
}

TEST(CutCopy, KeepsPaddedRowsApart) {
  const auto copies = Cut({{3, 0, 0, 4 * 16, 14 * 14}, {3, 1, 0, 16, 14}, {14, 1, 1, 1, 1}});
  ASSERT_EQ(copies.size(), 3u);
  EXPECT_EQ(copies[2].sram, 2 * 64);
  EXPECT_EQ(copies[2].dram, 2 * 196);
  EXPECT_EQ(copies[2].pad_top, 1);
  EXPECT_EQ(copies[2].pad_left, 1);
  EXPECT_EQ(copies[2].pad_right, 1);
}

TEST(CutCopy, MovesStridedColumnsOneByOne) {
  const auto copies = Cut({{5, 0, 0, 1, 2}});
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(copies[0].rows, 5);
  EXPECT_EQ(copies[0].cols, 1);
  EXPECT_EQ(copies[0].stride, 2);
}

TEST(CutCopy, RepeatsTheSameElementsRowByRow) {
  const auto copies = Cut({{2, 0, 0, 0, 10}, {3, 0, 0, 1, 2}});
  ASSERT_EQ(copies.size(), 2u);
  EXPECT_EQ(copies[1].sram, 0);
  EXPECT_EQ(copies[1].dram, 10);
  EXPECT_EQ(copies[1].rows, 3);
  EXPECT_EQ(copies[1].stride, 2);
}

TEST(CutCopy, FillsTheGapOfRowsItOwnsWithPadding) {
  const auto copies = Cut({{2, 1, 0, 5, 10, true}, {3, 0, 0, 1, 1, true}});
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(copies[0].pad_top, 1);
  EXPECT_EQ(copies[0].pad_right, 2);
  EXPECT_EQ(WhyNot({{2, 1, 0, 5, 10}, {3, 0, 0, 1, 1}}), "padding in more than two dimensions of a transfer");
}

TEST(CutCopy, SplitsRowsThatTheFieldCannotCount) {
  const auto copies = Cut({{5, 1, 1, 4, 9}, {4, 0, 0, 1, 1}}, {2, 4, 9, 1, 1, 0, 0});
  ASSERT_EQ(copies.size(), 3u);
  EXPECT_EQ(copies[1].sram, 3 * 4);
  EXPECT_EQ(copies[1].dram, 2 * 9);
  EXPECT_EQ(copies[0].pad_top, 1);
  EXPECT_EQ(copies[0].pad_bottom, 0);
  EXPECT_EQ(copies[2].pad_top, 0);
  EXPECT_EQ(copies[2].pad_bottom, 1);
}

TEST(CutCopy, MovesRowsOneByOneWhenTheStrideIsTooLong) {
  const auto copies = Cut({{3, 0, 0, 4, 100}, {4, 0, 0, 1, 1}}, {63, 63, 63, 0, 0, 0, 0});
  ASSERT_EQ(copies.size(), 3u);
  EXPECT_EQ(copies[2].dram, 200);
  EXPECT_EQ(copies[2].stride, 4);
}

TEST(CutCopy, CutsRowsLongerThanTheField) {
  const auto copies = Cut({{7, 0, 0, 1, 1}}, {3, 3, 3, 0, 0, 0, 0});
  ASSERT_EQ(copies.size(), 3u);
  EXPECT_EQ(copies[2].sram, 6);
  EXPECT_EQ(copies[2].cols, 1);
}

TEST(CutCopy, RefusesPaddingThatTheFieldsCannotHold) {
  const TransferLimits narrow = {63, 6, 63, 1, 1, 1, 1};
  EXPECT_EQ(WhyNot({{4, 2, 0, 4, 4}, {4, 0, 0, 1, 1}}, narrow),
            "padding of 2 at the top: a load pads at most 1");
  EXPECT_EQ(WhyNot({{4, 0, 3, 1, 1}}, narrow), "padding of 3 at the right: a load pads at most 1");
  EXPECT_EQ(WhyNot({{7, 1, 0, 1, 1}}, narrow), "a padded row of 7 elements: a load moves at most 6");
}

// Two rows of three elements with the first row once more before them and the last column twice behind.
TEST(CutCopy, RepeatsTheElementsAtTheEdge) {
  const auto copies = Cut({{2, 1, 0, 5, 10, false, true}, {3, 0, 2, 1, 1, false, true}});
  EXPECT_EQ(Moved(copies), (std::map<int64_t, int64_t>{{0, 0},
                                                       {1, 1},
                                                       {2, 2},
                                                       {3, 2},
                                                       {4, 2},
                                                       {5, 0},
                                                       {6, 1},
                                                       {7, 2},
                                                       {8, 2},
                                                       {9, 2},
                                                       {10, 10},
                                                       {11, 11},
                                                       {12, 12},
                                                       {13, 12},
                                                       {14, 12}}));
  for (const Copy2d& copy : copies)
    EXPECT_EQ(copy.pad_top + copy.pad_bottom + copy.pad_left + copy.pad_right, 0);
}

TEST(CutCopy, RefusesPaddingAlone) {
  EXPECT_EQ(WhyNot({{0, 1, 0, 4, 4}, {4, 0, 0, 1, 1}}),
            "in tiles that fit, some see padding alone, which no load makes");
  EXPECT_EQ(WhyNot({{-1, 2, 0, 1, 1}}), "in tiles that fit, some see padding alone, which no load makes");
}

TEST(CutCopy, MovesEveryElementOnceForRandomShapes) {
  std::mt19937 random(7);
  const auto pick = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % (high - low + 1));
  };
  for (int round = 0; round < 500; ++round) {
    std::vector<CopyDim> dims(pick(1, 4));
    int64_t sram = 1, dram = 1;
    for (size_t d = dims.size(); d-- > 0;) {  // dense on chip, with gaps in DRAM
      CopyDim& dim = dims[d];
      dim.valid = pick(1, 4);
      dim.repeats = round % 3 == 0;
      if (dim.repeats) {
        dim.pad_low = pick(0, 3);
        dim.pad_high = pick(0, 3);
      } else if (d + 2 >= dims.size()) {
        dim.pad_low = pick(0, 1);
        dim.pad_high = pick(0, 1);
      }
      dim.sram_stride = sram;
      dim.dram_stride = dram;
      sram *= dim.total();
      dram = dram * dim.valid + pick(0, 1);
    }
    std::map<int64_t, int64_t> want;
    for (int64_t at = 0; at < sram; ++at) {
      int64_t rest = at, from = 0;
      bool inside = true;
      for (const CopyDim& dim : dims) {
        int64_t i = rest / dim.sram_stride - dim.pad_low;
        if (dim.repeats) i = std::clamp<int64_t>(i, 0, dim.valid - 1);
        rest %= dim.sram_stride;
        inside = inside && i >= 0 && i < dim.valid;
        from += i * dim.dram_stride;
      }
      want[at] = inside ? from : -1;
    }
    const TransferLimits limits = {pick(1, 6), 32, pick(1, 40), 1, 1, 1, 1};
    EXPECT_EQ(Moved(Cut(dims, limits)), want);
  }
}

}  // namespace
}  // namespace cosim::accel
