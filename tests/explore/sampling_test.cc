// SPDX-License-Identifier: Apache-2.0
// Which values a plan takes: counted and looked at here, not by the code that makes them.
#include "compiler/explore/sampling.h"

#include <gmock/gmock.h>

#include <set>

namespace cosim::explore {
namespace {

using ::testing::ElementsAre;

const std::vector<Axis> kThree = {{"a", {"1", "2"}, {}}, {"b", {"x", "y", "z"}, {}}, {"c", {"0"}, {}}};

TEST(Sampling, GridHasAllCombinationsWithTheLastAxisFastest) {
  const auto samples = SamplesOf(kThree, Sampling::kGrid, 0, 1);
  EXPECT_THAT(samples, ElementsAre(ElementsAre("1", "x", "0"), ElementsAre("1", "y", "0"),
                                   ElementsAre("1", "z", "0"), ElementsAre("2", "x", "0"),
                                   ElementsAre("2", "y", "0"), ElementsAre("2", "z", "0")));
  EXPECT_EQ(GridSize(kThree, 100), 6);
}

TEST(Sampling, GridSizeStopsAtItsLimitWithoutOverflow) {
  const Axis axis{"k", std::vector<std::string>(10'000, "v"), {}};
  EXPECT_EQ(GridSize(std::vector<Axis>(20, axis), 1'000'000), 1'000'001);
}

TEST(Sampling, NoAxesAreOneSampleWithoutValues) {
  EXPECT_THAT(SamplesOf({}, Sampling::kGrid, 0, 1), ElementsAre(ElementsAre()));
}

TEST(Sampling, LatinHypercubeHasOnePointInEachPartOfEachAxis) {
  const int64_t points = 40;
  const std::vector<Axis> axes = {{"real", {}, Range{2.0, 10.0, false}},
                                  {"whole", {}, Range{100, 139, true}}};
  for (const uint64_t seed : {1, 2, 3, 77}) {
    std::set<int64_t> parts;
    std::set<std::string> whole;
    for (const Sample& sample : SamplesOf(axes, Sampling::kLatin, points, seed)) {
      const double value = std::stod(sample[0]);
      EXPECT_GE(value, 2.0);
      EXPECT_LE(value, 10.0);
      parts.insert(static_cast<int64_t>((value - 2.0) / 8.0 * points));
      whole.insert(sample[1]);
    }
    EXPECT_EQ(parts.size(), 40u) << seed;
    EXPECT_EQ(whole.size(), 40u) << seed;  // 40 numbers, 40 parts: each once
    EXPECT_TRUE(whole.count("100") && whole.count("139"));
  }
}

TEST(Sampling, LatinHypercubeTakesEachValueOfAListEquallyOften) {
  const std::vector<Axis> axes = {{"k", {"a", "b", "c"}, {}}};
  std::multiset<std::string> taken;
  for (const Sample& sample : SamplesOf(axes, Sampling::kLatin, 30, 5)) taken.insert(sample[0]);
  for (const char* value : {"a", "b", "c"}) EXPECT_EQ(taken.count(value), 10u) << value;
}

TEST(Sampling, RandomStaysWithinItsRangeAndReachesBothEnds) {
  const std::vector<Axis> axes = {{"k", {}, Range{-2, 2, true}}};
  std::set<std::string> taken;
  for (const Sample& sample : SamplesOf(axes, Sampling::kRandom, 500, 9)) taken.insert(sample[0]);
  EXPECT_THAT(taken, ElementsAre("-1", "-2", "0", "1", "2"));
}

TEST(Sampling, SameSeedGivesTheSameSamplesAndAnotherSeedOthers) {
  const std::vector<Axis> axes = {{"k", {}, Range{0, 1e6, true}}, {"l", {}, Range{0, 1, false}}};
  for (const Sampling how : {Sampling::kRandom, Sampling::kLatin}) {
    const auto samples = SamplesOf(axes, how, 20, 7);
    EXPECT_EQ(samples, SamplesOf(axes, how, 20, 7));
    EXPECT_NE(samples, SamplesOf(axes, how, 20, 8));
  }
}

TEST(Sampling, AnotherAxisBehindLeavesTheValuesOfThoseBefore) {
  const Axis first{"k", {}, Range{0, 1e6, true}}, second{"l", {"a", "b"}, {}};
  const auto one = SamplesOf({first}, Sampling::kLatin, 12, 3),
             two = SamplesOf({first, second}, Sampling::kLatin, 12, 3);
  for (size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i][0], two[i][0]);
}

}  // namespace
}  // namespace cosim::explore
