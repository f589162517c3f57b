// SPDX-License-Identifier: Apache-2.0
#include "compiler/accel/take_turns.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

namespace cosim::accel {
namespace {

using ::testing::ElementsAre;

LeafTraffic Reads(uint64_t begin, uint64_t end) { return {false, {{begin, end}}}; }
LeafTraffic Writes(uint64_t begin, uint64_t end) { return {true, {{begin, end}}}; }
const LeafTraffic kCompute = {};

/// "A0-3 B0-3 …": whose leaves, from where to where.
std::vector<std::string> Text(const std::vector<Turn>& turns) {
  std::vector<std::string> text;
  for (const Turn& turn : turns)
    text.push_back(std::string(turn.kernel == 0 ? "A" : "B") + std::to_string(turn.begin) + "-" +
                   std::to_string(turn.end));
  return text;
}

TEST(TakeTurns, ARoundFollowsTheOneBehindItsData) {
  std::vector<LeafTraffic> first, second;
  for (uint64_t r = 0; r < 4; ++r) {
    first.insert(first.end(), {Reads(1000, 1010), kCompute, Writes(10 * r, 10 * r + 10)});
    second.insert(second.end(), {Reads(10 * r, 10 * r + 10), Writes(2000 + r, 2001 + r)});
  }
  EXPECT_THAT(Text(TakeTurns(first, second, TurnSize::kRound)),
              ElementsAre("A0-3", "A3-6", "A6-9", "B0-2", "B2-4", "A9-12", "B4-6", "B6-8"));
}

TEST(TakeTurns, LeavesOfARoundAreSpreadOverThoseOfTheOther) {
  std::vector<LeafTraffic> first, second;
  for (uint64_t r = 0; r < 4; ++r) {
    first.insert(first.end(),
                 {Reads(1000, 1010), kCompute, Reads(1010, 1020), kCompute, Writes(10 * r, 10 * r + 10)});
    second.insert(second.end(), {Reads(10 * r, 10 * r + 10), kCompute, Writes(2000 + r, 2001 + r)});
  }
  EXPECT_THAT(Text(TakeTurns(first, second, TurnSize::kLeaf)),
              ElementsAre("A0-5", "A5-10", "A10-15", "A15-16", "B0-1", "A16-17", "B1-2", "A17-18", "B2-3",
                          "A18-19", "B3-4", "A19-20", "B4-6", "B6-9", "B9-12"));
}

TEST(TakeTurns, WhatReadsAllComesBehindAll) {
  const std::vector<LeafTraffic> first = {Writes(0, 8), kCompute, Writes(8, 16), kCompute, Writes(16, 24)};
  const std::vector<LeafTraffic> second = {Reads(0, 24), kCompute, Writes(100, 108)};
  EXPECT_THAT(Text(TakeTurns(first, second, TurnSize::kRound)), ElementsAre("A0-1", "A1-3", "A3-5", "B0-3"));
}

TEST(TakeTurns, StoresOfOneRoundStayTogetherAndNothingIsLeftOut) {
  const std::vector<LeafTraffic> first = {Reads(0, 1), Writes(50, 60), Writes(60, 70), kCompute};
  EXPECT_THAT(Text(TakeTurns(first, {}, TurnSize::kRound)), ElementsAre("A0-3", "A3-4"));
  EXPECT_THAT(Text(TakeTurns({}, first, TurnSize::kRound)), ElementsAre("B0-3", "B3-4"));
}

/// Whether every leaf is there, each kernel's in order, and no load stands before a store it reads, by
/// looking at every byte.
void ExpectLegal(const std::vector<LeafTraffic>& first, const std::vector<LeafTraffic>& second,
                 TurnSize size) {
  std::vector<int64_t> left(64, 0);  // stores of each byte that are still to come
  for (const LeafTraffic& leaf : first)
    for (const auto& range : leaf.ranges)
      for (uint64_t i = range.begin; leaf.is_store && i < range.end; ++i) ++left[i];
  size_t next[2] = {0, 0};
  for (const Turn& turn : TakeTurns(first, second, size)) {
    ASSERT_EQ(turn.begin, next[turn.kernel]);
    next[turn.kernel] = turn.end;
    const auto& leaves = turn.kernel == 0 ? first : second;
    for (size_t l = turn.begin; l < turn.end; ++l)
      for (const auto& range : leaves[l].ranges)
        for (uint64_t i = range.begin; i < range.end; ++i) {
          if (turn.kernel == 0 && leaves[l].is_store) --left[i];
          if (turn.kernel == 1 && !leaves[l].is_store) ASSERT_EQ(left[i], 0) << "byte " << i;
        }
  }
  EXPECT_EQ(next[0], first.size());
  EXPECT_EQ(next[1], second.size());
}

TEST(TakeTurns, NothingIsReadBeforeItIsStored) {
  std::mt19937 random(5);
  const auto some = [&](bool stores) {
    std::vector<LeafTraffic> leaves(random() % 30);
    for (LeafTraffic& leaf : leaves) {
      leaf.is_store = random() % 3 == 0;
      if (leaf.is_store != stores && random() % 2) continue;
      for (size_t r = random() % 3; r-- > 0;) {
        const uint64_t begin = random() % 60;
        leaf.ranges.push_back({begin, begin + 1 + random() % 4});
      }
    }
    return leaves;
  };
  for (int trial = 0; trial < 500 && !testing::Test::HasFatalFailure(); ++trial)
    ExpectLegal(some(true), some(false), trial % 2 == 0 ? TurnSize::kRound : TurnSize::kLeaf);
}

}  // namespace
}  // namespace cosim::accel
