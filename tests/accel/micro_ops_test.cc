// SPDX-License-Identifier: Apache-2.0
#include "compiler/accel/micro_ops.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "tests/accel/testing.h"

namespace cosim::accel {
namespace {

using Points = std::multiset<std::vector<int64_t>>;

void Walk(const IndexSpace& space, size_t depth, std::vector<int64_t> at, Points& out) {
  if (depth == space.extents.size()) {
    out.insert(at);
    return;
  }
  for (int64_t v = 0; v < space.extents[depth]; ++v) {
    Walk(space, depth + 1, at, out);
    for (size_t i = 0; i < at.size(); ++i) at[i] += space.strides[i][depth];
  }
}

Points StepsOf(const HardwareNest& nest, int64_t begin, int64_t end) {
  Points steps;
  const size_t fields = nest.bases.size();
  for (int64_t i = 0; i < nest.iter_out; ++i)
    for (int64_t j = 0; j < nest.iter_in; ++j)
      for (int64_t u = begin; u < end; ++u) {
        std::vector<int64_t> at;
        for (size_t f = 0; f < fields; ++f)
          at.push_back(nest.bases[f] + nest.micro_ops[u * fields + f] + i * nest.outer[f] +
                       j * nest.inner[f]);
        steps.insert(at);
      }
  return steps;
}

TEST(PlanNest, UsesTheTwoLongestDimsAsHardwareLoops) {
  const HardwareNest nest =
      PlanNest({{4, 14, 14, 2, 3}, {0, 0}, {{196, 14, 1, 0, 0}, {0, 16, 1, 256, 1}}}, 1000, false);
  EXPECT_EQ(nest.iter_out, 14);
  EXPECT_EQ(nest.iter_in, 14);
  EXPECT_EQ(nest.micro_op_count, 4 * 2 * 3);
  EXPECT_EQ(nest.first_count, 4);
}

TEST(PlanNest, ReductionsAreWhatTheWrittenIndexDoesNotMoveAlong) {
  const HardwareNest nest = PlanNest({{3, 4}, {0, 0}, {{1, 0}, {0, 1}}, 1}, 1000, false);
  EXPECT_EQ(nest.micro_op_count, 3);
  EXPECT_EQ(nest.iter_in, 4);
  EXPECT_EQ(nest.first_count, 1);
}

TEST(PlanNest, MergesDimsThatWalkAsOne) {
  const HardwareNest nest = PlanNest({{7, 7}, {5, 6}, {{7, 1}, {14, 2}}}, 1000, false);
  EXPECT_EQ(nest.iter_out, 1);
  EXPECT_EQ(nest.iter_in, 49);
  EXPECT_EQ(nest.micro_op_count, 1);
}

TEST(PlanNest, GoesAlongTheRowThatTakesFewestCycles) {
  // Channel blocks, rows, columns, and rows of the window; dst, src, wgt.
  const IndexSpace space{{2, 5, 7, 3}, {0, 0, 0}, {{35, 7, 1, 0}, {200, 18, 2, 9}, {3, 0, 0, 1}}};
  const HardwareNest nest = PlanNest(space, 1000, false, RowRead{1, 3});
  EXPECT_EQ(nest.iter_in, 7);
  EXPECT_EQ(nest.inner, (std::vector<int64_t>{1, 2, 0}));
  EXPECT_EQ(nest.iter_out, 5);
  EXPECT_EQ(nest.micro_op_count, 2 * 3);
  EXPECT_EQ(nest.first_count, 2);
  // Columns that lie further apart than there are taps, or beside each other, are no row.
  for (const int64_t apart : {4, 0}) {
    IndexSpace other = space;
    other.strides[1][2] = apart;
    EXPECT_EQ(PlanNest(other, 1000, false, RowRead{1, 3}).iter_in, 1) << apart;
  }
  EXPECT_EQ(PlanNest(space, 6, false, RowRead{1, 3}).iter_in, 1) << "a row longer than the loop counts";
}

TEST(PlanNest, VisitsEveryPointOnceForRandomSpaces) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    IndexSpace space;
    const size_t dims = 1 + random() % 5, indices = 1 + random() % 3;
    for (size_t d = 0; d < dims; ++d) space.extents.push_back(1 + random() % 4);
    for (size_t i = 0; i < indices; ++i) {
      space.bases.push_back(random() % 10);
      space.strides.emplace_back();
      for (size_t d = 0; d < dims; ++d) space.strides[i].push_back(random() % 5);
    }
    const int64_t limit = 1 + random() % 5;
    const std::optional<RowRead> rows = random() % 2 == 0
                                            ? std::nullopt
                                            : std::optional(RowRead{static_cast<int>(random() % indices),
                                                                    1 + static_cast<int64_t>(random() % 4)});
    const HardwareNest nest = PlanNest(space, limit, random() % 2, rows);
    if (rows && nest.iter_in > 1) {
      EXPECT_GE(nest.inner[rows->index], 1);
      EXPECT_LE(nest.inner[rows->index], rows->taps);
    }
    Points want;
    Walk(space, 0, space.bases, want);
    EXPECT_EQ(StepsOf(nest, 0, nest.micro_op_count), want);
    EXPECT_LE(nest.iter_out, limit);
    EXPECT_LE(nest.iter_in, limit);
    // The first micro-ops reach every destination once.
    std::set<int64_t> all, first;
    for (const auto& step : want) all.insert(step[0]);
    for (const auto& step : StepsOf(nest, 0, nest.first_count)) first.insert(step[0]);
    EXPECT_EQ(first, all);
  }
}

TEST(PlanRepeatedNest, KeepsTheUpdatesOfAnElementApart) {
  std::mt19937 random(4);
  int planned = 0;
  for (int round = 0; round < 300; ++round) {
    // Rows and columns of a window, which may be one, and blocks of channels, in any order; dst, src.
    const int64_t rows = 1 + random() % 3, cols = 1 + random() % 4, blocks = 1 + random() % 9;
    const bool whole_rows = random() % 2, blocks_first = random() % 2;
    IndexSpace space{{rows, cols, blocks}, {5, 7}, {{0, 0, 1}, {whole_rows ? cols : cols + 1, 1, 20}}};
    if (blocks_first) {
      space.extents = {blocks, rows, cols};
      for (auto& s : space.strides) s = {s[2], s[0], s[1]};
    }
    const int64_t limit = 4 + random() % 8, apart = 1 + random() % 6;
    const auto nest = PlanRepeatedNest(space, limit, random() % 2, apart);
    const bool one_reduction = whole_rows || rows == 1 || cols == 1;
    const bool fits = rows * cols <= limit && blocks <= limit && rows * cols > 1 && blocks > 1;
    ASSERT_EQ(nest.has_value(), one_reduction && fits && blocks >= apart) << round;
    if (!nest) continue;
    ++planned;
    Points want;
    Walk(space, 0, space.bases, want);
    EXPECT_EQ(StepsOf(*nest, 0, nest->micro_op_count), want);
    EXPECT_EQ(nest->outer[0], 0);
    EXPECT_NE(nest->inner[0], 0);
    EXPECT_GE(nest->iter_in, apart);
  }
  EXPECT_GT(planned, 30);
}

TEST(MicroOpStore, LoadsAListOnceAndAgainAfterItWasOverwritten) {
  const isa::Spec spec = Load("tiny.yaml", "cosim");
  const isa::Memory& memory = spec.memories[spec.MemoryIndex("gemm_uop")];
  MicroOpStore store(memory, spec.dram.beat_bytes());
  const auto list = [](int64_t value) { return std::vector<int64_t>{value, 0, 0}; };
  const MicroOpStore::List* const one = store.Store(list(1), 1);
  EXPECT_TRUE(store.Get(one, 1).load);
  EXPECT_EQ(store.Store(list(1), 1), one);
  EXPECT_FALSE(store.Get(one, 1).load);
  const std::vector<int64_t> big(static_cast<size_t>(memory.depth) * 3, 7);
  EXPECT_TRUE(store.Get(store.Store(big, memory.depth), memory.depth).load);
  const auto again = store.Get(one, 1);
  EXPECT_TRUE(again.load);
  EXPECT_EQ(again.dram_begin, 0);
}

}  // namespace
}  // namespace cosim::accel
