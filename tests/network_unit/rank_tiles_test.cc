// SPDX-License-Identifier: Apache-2.0
// Which schedules a kernel may have, and in which order.
#include "compiler/schedules/accel/rank_tiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/accel/passes.h"
#include "compiler/network/lower_group.h"
#include "compiler/schedules/accel/tile_space.h"
#include "tests/network_unit/testing.h"

namespace cosim::network {
namespace {

class RankTilesTest : public ::testing::Test {
 protected:
  RankTilesTest() {
    requantize_.op = graph::Requantize{{1 << 30}, {30}};
    requantize_.inputs = {0};
    requantize_.type.dtype = graph::DType::kInt8;
    epilogue_.steps = {{&requantize_, 0}};
  }

  const isa::Spec spec_ = Load("cosim");
  std::string why_;
  const Array array_ = kernels::FindArray(spec_, why_);
  const Window window_{.ci = 4,
                       .h = 14,
                       .w = 14,
                       .co = 4,
                       .oh = 14,
                       .ow = 14,
                       .kh = 3,
                       .kw = 3,
                       .top = 1,
                       .left = 1,
                       .bottom = 1,
                       .right = 1};
  graph::Node requantize_;
  Epilogue epilogue_;
};

TEST_F(RankTilesTest, ComesCheapestFirstAndFitsStorage) {
  const auto ranked = RankTiles(spec_, array_, kernels::Contraction(), window_, epilogue_, 1, why_);
  ASSERT_FALSE(ranked.empty());
  for (size_t i = 0; i < ranked.size(); ++i) {
    EXPECT_LE(ranked[i == 0 ? 0 : i - 1].cycles, ranked[i].cycles);
    const kernels::KernelTe te =
        BuildKernel(spec_, array_, "k", {&kernels::Contraction(), window_, epilogue_}, ranked[i].tile);
    accel::Kernel kernel;
    ASSERT_FALSE(accel::Tensorize(te.function, spec_, kernel));
    accel::InterleaveVirtualThreads(kernel);
    accel::StorageCursor cursor;
    const auto refusal = accel::AssignStorage(kernel, spec_, cursor);
    EXPECT_FALSE(refusal) << ToString(ranked[i].tile) << ": " << refusal.reason;
  }
}

// What a search walks over is all that the compiler chooses from, and more.
TEST_F(RankTilesTest, AllTilesHaveTheRankedOnesAmongThem) {
  const auto all = AllTiles(spec_, array_, kernels::Contraction(), window_, epilogue_, 2, 1'000'000).tiles;
  const auto ranked = RankTiles(spec_, array_, kernels::Contraction(), window_, epilogue_, 2, why_);
  EXPECT_GT(all.size(), 2 * ranked.size());
  for (const TileCost& each : ranked) {
    const auto same = std::ranges::find(all, each.tile, &TileCost::tile);
    ASSERT_NE(same, all.end()) << ToString(each.tile);
    EXPECT_EQ(same->cycles, each.cycles);
    const auto cost = CostOf(spec_, array_, kernels::Contraction(), window_, epilogue_, each.tile);
    ASSERT_TRUE(cost);
    EXPECT_EQ(cost->cycles, each.cycles);
  }
  EXPECT_FALSE(CostOf(spec_, array_, kernels::Contraction(), window_, epilogue_,
                      {.co = 4, .ci = 4, .y = 1000, .x = 1000}));
}

TEST_F(RankTilesTest, AllTilesHaveUnevenOnesToo) {
  const auto all = AllTiles(spec_, array_, kernels::Contraction(), window_, epilogue_, 2, 1'000'000);
  EXPECT_EQ(all.legal, std::ssize(all.tiles));
  const auto uneven = [](const TileCost& each) { return each.tile.y == 9 && each.tile.co == 3; };
  EXPECT_TRUE(std::ranges::any_of(all.tiles, uneven));
}

TEST_F(RankTilesTest, OfTooManyTilesTheCheapestAreKept) {
  auto all = AllTiles(spec_, array_, kernels::Contraction(), window_, epilogue_, 2, 1'000'000);
  const auto some = AllTiles(spec_, array_, kernels::Contraction(), window_, epilogue_, 2, 100);
  EXPECT_EQ(some.legal, all.legal);
  ASSERT_EQ(some.tiles.size(), 100u);
  std::ranges::stable_sort(all.tiles, {}, &TileCost::cycles);
  for (size_t i = 0; i < some.tiles.size(); ++i) EXPECT_EQ(some.tiles[i].tile, all.tiles[i].tile) << i;
}

// A sweep keeps the tiles and changes the memory.
TEST_F(RankTilesTest, TilesAreRankedAnewForOtherLatencies) {
  for (const int threads : {1, 2}) {
    const auto space = LegalTiles(spec_, array_, kernels::Contraction(), window_, epilogue_, threads);
    isa::Spec slow = spec_;
    slow.dram.latency = 4000;
    slow.dram.write_latency = 900;
    const auto near = RankTiles(spec_, array_, kernels::Contraction(), window_, epilogue_, threads, why_);
    const auto far = RankTiles(slow, array_, kernels::Contraction(), window_, epilogue_, threads, why_);
    const auto again = kernels::Rank(space, slow.dram, 5);
    ASSERT_EQ(again.cheapest.size(), 5u);
    for (size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(again.cheapest[i].tile, far[i].tile);
      EXPECT_EQ(again.cheapest[i].cycles, far[i].cycles);
      EXPECT_GT(far[i].cycles, near[i].cycles);
    }
    const auto single = std::ranges::find(far, 1, [](const TileCost& cost) { return cost.tile.threads; });
    ASSERT_TRUE(again.single && single != far.end());
    EXPECT_EQ(again.single->tile, single->tile);
  }
}

}  // namespace
}  // namespace cosim::network
