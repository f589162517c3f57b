// SPDX-License-Identifier: Apache-2.0
// The order of NSGA-II against its definitions, written down here once more and slowly.
#include "compiler/explore/search/nsga2.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace cosim::explore {
namespace {

using ::testing::ElementsAre;

constexpr double kUnknown = Fitness::kUnknown;

Fitness Meets(std::vector<double> costs) { return {.violation = 0, .costs = std::move(costs)}; }
Fitness Breaks(double by) { return {.violation = by, .costs = {}}; }

/// Some meet the limits, some do not; small numbers, so that many are equal.
std::vector<Fitness> RandomFitness(size_t count, std::mt19937& random) {
  std::vector<Fitness> all;
  for (size_t i = 0; i < count; ++i) {
    if (random() % 4 == 0)
      all.push_back(Breaks(random() % 5 == 0 ? kUnknown : 0.5 * (1 + random() % 3)));
    else
      all.push_back(Meets({1.0 * (random() % 9), 1.0 * (random() % 9), 1.0 * (random() % 9)}));
  }
  return all;
}

bool DominatesByDefinition(const Fitness& a, const Fitness& b) {
  if (a.violation == 0 && b.violation > 0) return true;
  if (a.violation > 0) return a.violation < b.violation;
  bool nowhere_worse = true, somewhere_better = false;
  for (size_t i = 0; i < a.costs.size(); ++i) {
    nowhere_worse = nowhere_worse && a.costs[i] <= b.costs[i];
    somewhere_better = somewhere_better || a.costs[i] < b.costs[i];
  }
  return nowhere_worse && somewhere_better;
}

TEST(Nsga2, FrontsAreThoseOfPeelingOffWhatNothingDominates) {
  std::mt19937 random(11);
  for (int round = 0; round < 40; ++round) {
    const std::vector<Fitness> all = RandomFitness(70, random);
    std::vector<size_t> left;
    for (size_t i = 0; i < all.size(); ++i) left.push_back(i);
    std::vector<std::vector<size_t>> peeled;
    while (!left.empty()) {
      std::vector<size_t> front, rest;
      for (const size_t i : left) {
        const bool beaten = std::ranges::any_of(
            left, [&](size_t other) { return DominatesByDefinition(all[other], all[i]); });
        (beaten ? rest : front).push_back(i);
      }
      peeled.push_back(front);
      left = rest;
    }
    ASSERT_GE(peeled.size(), 4u);
    EXPECT_EQ(SortedFronts(all), peeled);
  }
}

TEST(Nsga2, WhatMeetsTheLimitsIsAheadAndThenWhatBreaksThemLess) {
  const std::vector<Fitness> all = {Breaks(kUnknown), Breaks(0.5),      Meets({9, 9}),
                                    Breaks(0.1),      Breaks(kUnknown), Meets({1, 1})};
  EXPECT_THAT(SortedFronts(all),
              ElementsAre(ElementsAre(5), ElementsAre(2), ElementsAre(3), ElementsAre(1), ElementsAre(0, 4)));
}

TEST(Nsga2, CrowdingIsTheGapBetweenNeighboursOfEachCost) {
  std::mt19937 random(12);
  for (int round = 0; round < 40; ++round) {
    std::vector<Fitness> all;
    std::vector<size_t> front;
    for (size_t i = 0; i < 20; ++i) {  // a front: what is better in one is worse in the other; none equal
      const double at = static_cast<double>(i) + 0.9 * static_cast<double>(random() % 1000) / 1000;
      all.push_back(Meets({at, -at * at}));
      front.push_back(i);
    }
    std::ranges::shuffle(front, random);
    const std::vector<double> crowding = CrowdingOf(all, front);
    for (size_t i = 0; i < front.size(); ++i) {
      double expected = 0;
      for (size_t cost = 0; cost < 2; ++cost) {
        const double own = all[front[i]].costs[cost];
        double below = -INFINITY, above = INFINITY, least = INFINITY, most = -INFINITY;
        for (const Fitness& other : all) {
          const double value = other.costs[cost];
          if (value < own) below = std::max(below, value);
          if (value > own) above = std::min(above, value);
          least = std::min(least, value);
          most = std::max(most, value);
        }
        expected += (above - below) / (most - least);
      }
      if (std::isinf(expected))
        EXPECT_TRUE(std::isinf(crowding[i]));
      else
        EXPECT_NEAR(crowding[i], expected, 1e-12);
    }
  }
}

TEST(Nsga2, AFrontOfEqualsHasNoWidthAndNoNan) {
  const std::vector<Fitness> all(4, Meets({2, 2}));
  for (const double each : CrowdingOf(all, {0, 1, 2, 3})) EXPECT_FALSE(std::isnan(each));
  EXPECT_THAT(CrowdingOf({Breaks(1), Breaks(1)}, {0, 1}), ElementsAre(0, 0));
  EXPECT_TRUE(CrowdingOf({}, {}).empty());
}

TEST(Nsga2, SurvivorsAreWholeFrontsAndOfTheLastThoseWithMostRoom) {
  // A front of five, of which the third has its neighbours nearest; then one behind it.
  const std::vector<Fitness> all = {Meets({0, 10}),  Meets({4, 5.5}), Meets({5, 5}),
                                    Meets({5.5, 4}), Meets({10, 0}),  Meets({10, 10})};
  const auto indices = [&](size_t count) {
    std::vector<size_t> list;
    for (const Ranked& survivor : Survivors(all, count)) list.push_back(survivor.index);
    std::ranges::sort(list);
    return list;
  };
  EXPECT_THAT(indices(6), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(indices(5), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(indices(4), ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(indices(2), ElementsAre(0, 4));
  EXPECT_EQ(Survivors(all, 99).size(), 6u);
  EXPECT_EQ(Survivors(all, 6).back().front, 1u);
}

TEST(Nsga2, OfDesignsThatCostTheSameOneLivesOnBeforeTheOthers) {
  const std::vector<Fitness> all = {Meets({1, 1}), Meets({1, 1}), Breaks(2), Meets({3, 3}), Meets({1, 1})};
  std::vector<size_t> indices, fronts;
  for (const Ranked& survivor : Survivors(all, 5)) {
    indices.push_back(survivor.index);
    fronts.push_back(survivor.front);
  }
  EXPECT_THAT(indices, ElementsAre(0, 3, 2, 1, 4));
  EXPECT_THAT(fronts, ElementsAre(0, 1, 2, 3, 3));
}

TEST(Nsga2, ATournamentGoesToTheEarlierFrontAndThenToMoreRoom) {
  const Ranked first{0, 0, 0.1}, roomy{1, 1, 9}, narrow{2, 1, 2};
  EXPECT_TRUE(Beats(first, roomy));
  EXPECT_FALSE(Beats(roomy, first));
  EXPECT_TRUE(Beats(roomy, narrow));
  EXPECT_FALSE(Beats(narrow, narrow));
}

}  // namespace
}  // namespace cosim::explore
