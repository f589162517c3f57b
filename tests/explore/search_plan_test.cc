// SPDX-License-Identifier: Apache-2.0
#include "compiler/explore/search/search_plan.h"

#include <gmock/gmock.h>

namespace cosim::explore {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kRest = "objectives: cycles\ntrials: 9\n";

std::optional<SearchPlan> Read(const std::string& text) {
  Diagnostics diags;
  auto plan = ReadSearchPlan({"plan.yaml", text}, diags);
  EXPECT_TRUE(plan) << diags.Render();
  return plan;
}

std::string SearchErrorOf(const std::string& text) {
  Diagnostics diags;
  EXPECT_FALSE(ReadSearchPlan({"plan.yaml", text}, diags)) << text;
  return diags.Render();
}

TEST(SearchPlan, HasTheKeysOfASweepAndItsOwn) {
  const auto search = Read(
      "networks: [mlp, small_cnn]\nconfigs: [tiny, pynq]\nvirtual_threads: [1, 2]\nset: {clock_mhz: 90}\n"
      "list: [{name: a}, {name: b, x: 7}]\nkeys: {k: [1, 2, 4]}\nwhere: [fits(board), clock_mhz > 9]\n"
      "objectives: [frame_ms, max:utilization]\ntrials: 40\npopulation: 8\nsearch_seed: 5\nseed: 3\n");
  ASSERT_TRUE(search);
  EXPECT_EQ(search->objectives[0].Text(), "frame_ms");
  EXPECT_EQ(search->objectives[1].Text(), "max:utilization");
  EXPECT_TRUE(search->objectives[1].larger);
  EXPECT_EQ(search->trials, 40);
  EXPECT_EQ(search->population, 8);
  EXPECT_EQ(search->search_seed, 5u);
  EXPECT_EQ(search->plan.constraints.size(), 2u);
  EXPECT_EQ(search->space.Size(1000), 2 * 2 * 2 * 3);
  EXPECT_EQ(search->space.Size(20), 21);
  const Point point = search->space.PointOf({1, 1, 0, 2}, "small_cnn");
  EXPECT_EQ(point.config, "pynq");
  EXPECT_EQ(point.virtual_threads, 1);
  EXPECT_EQ(point.seed, 3u);
  EXPECT_EQ(DescribePoint(point), "b clock_mhz=90 x=7 k=4");
}

TEST(SearchPlan, NumbersArePutInOrderAndEqualValuesCountOnce) {
  const auto search =
      Read(std::string("networks: mlp\nkeys: {k: [64, 8, 8.0, 16], l: [on, off, on], m: 5..9}\n") + kRest);
  ASSERT_TRUE(search);
  const auto& genes = search->space.genes();
  ASSERT_EQ(genes.size(), SearchSpace::kFirstKey + 3);
  EXPECT_TRUE(genes[3].ordered);
  EXPECT_FALSE(genes[4].ordered);
  EXPECT_TRUE(genes[5].ordered);
  EXPECT_EQ(search->space.Size(1000), 3 * 2 * 5);
  const auto value = [&](const Genome& genome) {
    return DescribePoint(search->space.PointOf(genome, "mlp"));
  };
  EXPECT_EQ(value({0, 0, 0, 0, 0, 0}), "k=8 l=on m=5");
  EXPECT_EQ(value({0, 0, 0, 2, 1, 4}), "k=64 l=off m=9");
}

TEST(SearchPlan, ARangeOfNumbersThatAreNotWholeHasBothItsEnds) {
  const auto search = Read(std::string("networks: mlp\nkeys: {k: 0.5..2.5}\n") + kRest);
  ASSERT_TRUE(search);
  EXPECT_EQ(search->space.Size(1'000'000), 1001);
  const auto value = [&](int64_t n) { return DescribePoint(search->space.PointOf({0, 0, 0, n}, "mlp")); };
  EXPECT_EQ(value(0), "k=0.5");
  EXPECT_EQ(value(500), "k=1.5");
  EXPECT_EQ(value(1000), "k=2.5");
}

TEST(SearchPlan, DesignsToStartFromNameValuesOfTheKeys) {
  const auto search = Read(
      std::string("networks: mlp\nkeys: {k: [8, 16], l: [a, b]}\nstart: [{l: b}, {k: 16, l: a}]\n") + kRest);
  ASSERT_TRUE(search);
  EXPECT_THAT(search->start, ElementsAre(Genome{-1, -1, -1, -1, 1}, Genome{-1, -1, -1, 1, 0}));
}

TEST(SearchPlan, MistakesAreReportedWithTheirPlaces) {
  const std::string good = "networks: mlp\nkeys: {k: [8, 16]}\n";
  EXPECT_THAT(SearchErrorOf(good + "trials: 9\n"), HasSubstr("the plan lacks the key 'objectives'"));
  EXPECT_THAT(SearchErrorOf(good + "objectives: cycles\n"), HasSubstr("the plan lacks the key 'trials'"));
  EXPECT_THAT(SearchErrorOf(good + "objectives: [cycles, 'max:']\ntrials: 9\n"),
              HasSubstr("plan.yaml:3:22: error[E1007]: an objective has to be the name of a figure"));
  EXPECT_THAT(SearchErrorOf(good + "objectives: [cycles, max:cycles]\ntrials: 9\n"),
              HasSubstr("plan.yaml:3:22: error[E1007]: 'cycles' is an objective twice"));
  EXPECT_THAT(SearchErrorOf(good + "objectives: []\ntrials: 9\n"), HasSubstr("plan.yaml:3:13: error[E1007]"));
  EXPECT_THAT(SearchErrorOf(good + "objectives: cycles\ntrials: 0\n"),
              HasSubstr("plan.yaml:4:9: error[E0010]"));
  EXPECT_THAT(SearchErrorOf(good + kRest + "population: 1\n"), HasSubstr("plan.yaml:5:13: error[E0010]"));
  EXPECT_THAT(SearchErrorOf(good + kRest + "method: nsga3\n"), HasSubstr("did you mean 'nsga2'?"));
  EXPECT_THAT(SearchErrorOf(good + kRest + "sample: latin\n"), HasSubstr("plan.yaml:5:1: error[E0005]"));
  EXPECT_THAT(SearchErrorOf(good + kRest + "start: [{j: 8}]\n"),
              HasSubstr("plan.yaml:5:10: error[E1008]: 'j' is no key of the search"));
  EXPECT_THAT(SearchErrorOf(good + kRest + "start: [{k: 9}]\n"),
              HasSubstr("plan.yaml:5:13: error[E1008]: 'k' has no value '9' under 'keys'"));
  EXPECT_THAT(SearchErrorOf(good + kRest + "start: [{k: [8]}]\n"), HasSubstr("plan.yaml:5:10: error[E1008]"));
  EXPECT_THAT(SearchErrorOf(good + kRest + "population: 2\nstart: [{}, {}, {}]\n"),
              HasSubstr("plan.yaml:6:8: error[E1008]: 3 designs to start from are more than"));
  EXPECT_THAT(SearchErrorOf(good + kRest + "method: random\nstart: [{k: 8}]\n"),
              HasSubstr("plan.yaml:6:8: error[E1008]: a random search starts from no design"));
  EXPECT_THAT(SearchErrorOf(std::string("networks: mlp\nkeys: {k: [8, 8]}\n") + kRest),
              HasSubstr("error[E1003]: the plan has one design"));
  EXPECT_THAT(SearchErrorOf(good + "objectives: cycles\ntrials: 1000001\n"), HasSubstr("error[E0010]"));
  EXPECT_THAT(
      SearchErrorOf("networks: [mlp, small_cnn]\nkeys: {k: [8, 16]}\nobjectives: cycles\ntrials: 600000\n"),
      HasSubstr("error[E1003]: the plan may run more than 1000000 points"));
  EXPECT_THAT(SearchErrorOf(std::string("networks: mlp\nisa: vta\nkeys: {isa: [cosim, vta]}\n") + kRest),
              HasSubstr("'isa' is 'vta' for all points, and a key of some"));
  EXPECT_THAT(SearchErrorOf(good + kRest + "where: macs_per_cycl < 3\n"),
              HasSubstr("plan.yaml:5:8: error[E1005]"));
}

}  // namespace
}  // namespace cosim::explore
