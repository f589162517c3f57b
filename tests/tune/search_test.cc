// SPDX-License-Identifier: Apache-2.0
// Spaces of schedules and the searches through them, on costs that are known in closed form.
#include "compiler/tune/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "compiler/tune/schedule_space.h"
#include "compiler/tune/tile_text.h"

namespace cosim::tune {
namespace {

using kernels::Tile;
using kernels::TileCost;
using runtime::Cycle;

/// 8 x 8 x 12 x 12 x 4 tiles, of which the model thinks that larger ones are better.
kernels::AllLegal Tiles() {
  kernels::AllLegal all;
  for (int64_t co = 1; co <= 8; ++co)
    for (int64_t ci = 1; ci <= 8; ++ci)
      for (int64_t y = 1; y <= 12; ++y)
        for (int64_t x = 1; x <= 12; ++x)
          for (int threads = 1; threads <= 4; ++threads)
            all.tiles.push_back({{.co = co, .ci = ci, .y = y, .x = x, .threads = threads},
                                 1e6 / static_cast<double>(co * ci * y * x),
                                 1});
  all.legal = std::ssize(all.tiles);
  return all;
}

/// Fewest, 1000, at co 5, ci 3, y 7, x 2 and 3 threads; schedules of one thread and many channels make no
/// program.
std::optional<Cycle> CyclesOf(const Tile& t) {
  if (t.threads == 1 && t.co > 6) return std::nullopt;
  const auto off = [](int64_t a, int64_t b) {
    return std::abs(std::log2(static_cast<double>(a) / static_cast<double>(b)));
  };
  return 1000 + static_cast<Cycle>(400 * (off(t.co, 5) + off(t.ci, 3) + off(t.y, 7) + off(t.x, 2)) +
                                   150 * std::abs(t.threads - 3));
}

struct Count {
  std::set<size_t> points;
  int repeated = 0;
};

std::optional<Found> Try(const ScheduleSpace& space, Method method, int trials, uint64_t seed,
                         Count* count = nullptr) {
  return Search(space, {0}, method, trials, seed, [&](std::span<const size_t> points) {
    std::vector<std::optional<Cycle>> cycles;
    for (const size_t point : points) {
      if (count != nullptr) count->repeated += !count->points.insert(point).second;
      cycles.push_back(CyclesOf(space.tile(point)));
    }
    return cycles;
  });
}

TEST(ScheduleSpace, IsInTheOrderOfTheModel) {
  const ScheduleSpace space(Tiles());
  EXPECT_EQ(space.size(), 8U * 8 * 12 * 12 * 4);
  EXPECT_EQ(space.legal(), 8 * 8 * 12 * 12 * 4);
  EXPECT_EQ(space.tile(0).x, 12);
  for (const size_t point : {size_t{0}, size_t{1000}, space.size() - 1})
    EXPECT_EQ(space.Find(space.tile(point)), point);
  EXPECT_EQ(space.Find({.co = 9}), std::nullopt);
}

TEST(ScheduleSpace, NeighboursDifferInOneKnob) {
  const ScheduleSpace space(Tiles());
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    const size_t a = random.Below(space.size()), b = space.Mutate(a, random);
    const Tile &s = space.tile(a), &t = space.tile(b);
    EXPECT_EQ((s.co != t.co) + (s.ci != t.ci) + (s.y != t.y) + (s.x != t.x) + (s.threads != t.threads), 1);
  }
}

TEST(ScheduleSpace, MixturesHaveTheKnobsOfTheirParents) {
  const ScheduleSpace space(Tiles());
  const size_t a = *space.Find({.co = 1, .ci = 2, .y = 3, .x = 4, .threads = 1});
  const size_t b = *space.Find({.co = 8, .ci = 7, .y = 9, .x = 10, .threads = 4});
  Random random(5);
  int from_b = 0;
  for (int i = 0; i < 100; ++i) {
    const Tile& t = space.tile(space.Cross(a, b, random));
    if (t.co == 1 || t.co == 8) from_b += t.co == 8;
  }
  EXPECT_GT(from_b, 20);
  EXPECT_LT(from_b, 80);
}

TEST(ScheduleSpace, DescribesEachPoint) {
  const ScheduleSpace space(Tiles());
  for (const size_t point : {size_t{0}, size_t{5}, space.size() - 1}) {
    const auto features = space.Features(point);
    EXPECT_EQ(features.size(), ScheduleSpace::kFeatures);
    EXPECT_TRUE(std::ranges::all_of(features, [](float f) { return std::isfinite(f); }));
  }
}

TEST(TileText, ReadsBackWhatIsWritten) {
  for (const Tile& tile :
       {Tile{}, Tile{.threads = 2, .thread_axis = Tile::ThreadAxis::kX},
        Tile{.co = 3, .ci = 4, .y = 7, .x = 14, .threads = 2, .weights_resident = true},
        Tile{.threads = 4, .thread_axis = Tile::ThreadAxis::kCo, .g = 8, .units = 2, .ky = 1, .kx = 2},
        Tile{.co = 2, .y = 3, .threads = 2, .rows_first = true},
        Tile{.threads = 2, .weights_resident = true, .rows_first = true}})
    EXPECT_EQ(ParseTile(ToString(tile)), tile) << ToString(tile);
  for (const char* text : {"", "co=1", "co=1 ci=1 y=1 x=1 threads=0 by y", "co=1 ci=1 y=1 x=1 threads=2 by z",
                           "co=1 ci=1 y=1 x=1 threads=99999999999999999999 by y"})
    EXPECT_EQ(ParseTile(text), std::nullopt) << text;
}

/// Tiles of 1 to 6 rows and 1 to 5 columns of two layers; the pairs of as many rows do not fit.
network::TurnCandidates Turns() {
  network::TurnCandidates found;
  for (auto* tiles : {&found.first, &found.second})
    for (int64_t y = 1; y <= 6; ++y)
      for (int64_t x = 1; x <= 5; ++x)
        tiles->push_back({.tile = {.y = y, .x = x, .threads = 2, .rows_first = true},
                          .load = static_cast<double>(y),
                          .compute = static_cast<double>(x)});
  for (uint32_t a = 0; a < found.first.size(); ++a)
    for (uint32_t b = 0; b < found.second.size(); ++b)
      if (found.first[a].tile.y != found.second[b].tile.y) found.pairs.emplace_back(a, b);
  return found;
}

TEST(TurnSpace, IsTheLegalPairsOfTilesAndStaysAmongThem) {
  const TurnSpace space(Turns());
  EXPECT_EQ(space.size(), 750U);  // 5 of 6 of 30 x 30
  Random random(3);
  for (size_t point = 0; point < space.size(); ++point) {
    EXPECT_EQ(space.Features(point).size(), TurnSpace::kFeatures);
    const size_t mutated = space.Mutate(point, random);
    for (const size_t child : {mutated, space.Cross(point, mutated, random)}) {
      ASSERT_LT(child, space.size());
      EXPECT_NE(space.tiles(child).first.y, space.tiles(child).second.y);
    }
  }
}

TEST(TurnSpace, IsSearchedAsOneOfSingleKernels) {
  const TurnSpace space(Turns());
  const auto cost = [](const network::TurnTiles& t) {
    return Cycle{100} + 7 * std::abs(t.first.y - 5) + 11 * std::abs(t.second.x - 2) +
           3 * std::abs(t.first.x - 4);
  };
  const auto found = Search(space, {0}, Method::kRanker, 120, 1, [&](std::span<const size_t> points) {
    std::vector<std::optional<Cycle>> cycles;
    for (const size_t point : points) cycles.push_back(cost(space.tiles(point)));
    return cycles;
  });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->cycles, 100);
}

class EachMethod : public ::testing::TestWithParam<Method> {};

TEST_P(EachMethod, MeasuresSoManyPointsEachOnce) {
  const ScheduleSpace space(Tiles());
  Count count;
  const auto found = Try(space, GetParam(), 150, 7, &count);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->trials, 150);
  EXPECT_EQ(count.points.size(), 150U);
  EXPECT_EQ(count.repeated, 0);
  EXPECT_EQ(found->cycles, CyclesOf(space.tile(found->point)));
  EXPECT_EQ(found->curve.back().second, found->cycles);
  EXPECT_TRUE(std::ranges::is_sorted(found->curve, std::greater<>(), &std::pair<int, Cycle>::second));
}

TEST_P(EachMethod, IsTheSameForTheSameSeed) {
  const ScheduleSpace space(Tiles());
  EXPECT_EQ(Try(space, GetParam(), 100, 11)->curve, Try(space, GetParam(), 100, 11)->curve);
}

TEST_P(EachMethod, FindsTheBestOfASmallSpace) {
  kernels::AllLegal some = Tiles();
  some.tiles.resize(120);
  const ScheduleSpace space(some);
  Cycle best = 1'000'000;
  for (const TileCost& each : some.tiles) best = std::min(best, CyclesOf(each.tile).value_or(best));
  EXPECT_EQ(Try(space, GetParam(), 1000, 1)->cycles, best);
}

INSTANTIATE_TEST_SUITE_P(All, EachMethod,
                         ::testing::Values(Method::kRanker, Method::kGenetic, Method::kAnalytic,
                                           Method::kRandom));

TEST(Search, TreesComeNearInAThirdOfTheTrialsOfChance) {
  const ScheduleSpace space(Tiles());
  for (const uint64_t seed : {1, 2, 3}) {
    const Cycle by_trees = Try(space, Method::kRanker, 200, seed)->cycles;
    const Cycle by_chance = Try(space, Method::kRandom, 600, seed)->cycles;
    EXPECT_LT(by_trees, by_chance) << seed;
    EXPECT_LE(by_trees, 1200) << seed;  // of 1000
  }
}

TEST(Search, FindsNothingWhereNothingMakesAProgram) {
  const ScheduleSpace space(Tiles());
  const auto nothing = [](std::span<const size_t> points) {
    return std::vector<std::optional<Cycle>>(points.size());
  };
  EXPECT_FALSE(Search(space, {0}, Method::kRanker, 64, 1, nothing));
}

TEST(Search, KnowsItsMethodsByName) {
  EXPECT_EQ(ParseMethod("genetic"), Method::kGenetic);
  EXPECT_EQ(ParseMethod("guess"), std::nullopt);
  EXPECT_EQ(MethodNames(), "ranker, genetic, analytic, random");
}

}  // namespace
}  // namespace cosim::tune
