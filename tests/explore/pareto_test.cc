// SPDX-License-Identifier: Apache-2.0
#include "compiler/explore/pareto.h"

#include <gtest/gtest.h>

#include <random>

namespace cosim::explore {
namespace {

std::vector<int64_t> DominatorsOf(const std::vector<Candidate>& candidates) {
  std::vector<int64_t> ids;
  for (const Standing& standing : StandingsOf(candidates)) ids.push_back(standing.dominated_by);
  return ids;
}

TEST(Pareto, NamesWhatDominatesEachPoint) {
  EXPECT_EQ(DominatorsOf({{1, {4, 4}}, {2, {1, 3}}, {3, {3, 1}}, {4, {2, 3}}, {5, {3, 3}}}),
            (std::vector<int64_t>{2, 0, 0, 2, 2}));
}

TEST(Pareto, EqualPointsAreOnTheFrontTogether) {
  EXPECT_EQ(DominatorsOf({{1, {2, 2}}, {2, {2, 2}}, {3, {2, 3}}}), (std::vector<int64_t>{0, 0, 1}));
}

TEST(Pareto, OneObjectiveLeavesTheSmallest) {
  EXPECT_EQ(DominatorsOf({{7, {5}}, {8, {4}}, {9, {6}}}), (std::vector<int64_t>{8, 0, 8}));
}

TEST(Pareto, NoPointsHaveNoFront) { EXPECT_TRUE(StandingsOf({}).empty()); }

TEST(Pareto, AgreesWithTheDefinitionOnRandomPoints) {
  std::mt19937 random(5);
  for (int round = 0; round < 50; ++round) {
    std::vector<Candidate> points;
    for (int64_t id = 1; id <= 60; ++id)
      points.push_back({id, {1.0 * (random() % 9), 1.0 * (random() % 9), 1.0 * (random() % 9)}});
    const auto beats = [](const Candidate& a, const Candidate& b) {
      const auto& x = a.costs;
      const auto& y = b.costs;
      return x != y && x[0] <= y[0] && x[1] <= y[1] && x[2] <= y[2];
    };
    const auto standings = StandingsOf(points);
    for (size_t i = 0; i < points.size(); ++i) {
      bool beaten = false;
      for (const Candidate& other : points) beaten = beaten || beats(other, points[i]);
      EXPECT_EQ(standings[i].dominated_by != 0, beaten);
      if (!beaten) continue;
      const auto by = static_cast<size_t>(standings[i].dominated_by - 1);
      EXPECT_TRUE(beats(points[by], points[i]));
      EXPECT_EQ(standings[by].dominated_by, 0);
    }
  }
}

}  // namespace
}  // namespace cosim::explore
