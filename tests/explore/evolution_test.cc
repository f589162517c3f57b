// SPDX-License-Identifier: Apache-2.0
// Searches of functions whose fronts are known, in memory.
#include "compiler/explore/search/evolution.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>

namespace cosim::explore {
namespace {

using ::testing::Each;
using ::testing::SizeIs;

using Function = std::function<Fitness(const Genome&)>;

struct Found {
  std::vector<Proposal> proposals;
  std::vector<Fitness> fitness;
};

Found SearchFor(const std::vector<Gene>& genes, SearchMethod method, const Function& function, size_t trials,
                uint64_t seed, int64_t population = 20, std::vector<Genome> start = {}) {
  Evolution evolution(genes, method, std::move(start), population, seed);
  Found found;
  while (found.proposals.size() < trials) {
    std::vector<Proposal> proposals = evolution.Next();
    if (proposals.empty()) break;
    proposals.resize(std::min(proposals.size(), trials - found.proposals.size()));
    std::vector<Fitness> fitness;
    for (const Proposal& proposal : proposals) fitness.push_back(function(proposal.genome));
    evolution.Tell(fitness);
    found.proposals.insert(found.proposals.end(), proposals.begin(), proposals.end());
    found.fitness.insert(found.fitness.end(), fitness.begin(), fitness.end());
  }
  return found;
}

/// Eight keys of eight values. The first trades one cost for the other, all others should be 0: of 16,777,216
/// designs the eight with zeros are the front.
const std::vector<Gene> kTrade(8, Gene{8, true});
Fitness Trade(const Genome& genome) {
  const auto behind = static_cast<double>(std::accumulate(genome.begin() + 1, genome.end(), int64_t{0}));
  const auto first = static_cast<double>(genome[0]);
  return {.violation = 0, .costs = {first + behind, 7 - first + behind}};
}

int64_t OfTheFront(const Found& found) {
  return std::ranges::count_if(found.proposals, [](const Proposal& proposal) {
    return std::all_of(proposal.genome.begin() + 1, proposal.genome.end(), [](int64_t v) { return v == 0; });
  });
}

TEST(Evolution, FindsAWholeFrontOfWhichRandomDesignsFindNothing) {
  for (const uint64_t seed : {1, 2, 3}) {
    EXPECT_EQ(OfTheFront(SearchFor(kTrade, SearchMethod::kNsga2, Trade, 1500, seed)), 8) << seed;
    EXPECT_EQ(OfTheFront(SearchFor(kTrade, SearchMethod::kRandom, Trade, 1500, seed)), 0) << seed;
  }
}

TEST(Evolution, FindsItsWayByHowFarLimitsAreBroken) {
  // One design in 262,144 meets the limits; the others say by how much they do not.
  const std::vector<Gene> genes(6, Gene{8, true});
  const auto limits = [](const Genome& genome) -> Fitness {
    double violation = 0;
    for (const int64_t value : genome) violation += 0.1 * static_cast<double>(std::abs(value - 5));
    if (violation > 0) return {.violation = violation, .costs = {}};
    return {.violation = 0, .costs = {1, 1}};
  };
  const auto met = [](const Found& found) {
    return std::ranges::count(found.fitness, 0.0, &Fitness::violation);
  };
  for (const uint64_t seed : {1, 2, 3}) {
    EXPECT_EQ(met(SearchFor(genes, SearchMethod::kNsga2, limits, 600, seed)), 1) << seed;
    EXPECT_EQ(met(SearchFor(genes, SearchMethod::kRandom, limits, 600, seed)), 0) << seed;
  }
}

TEST(Evolution, DesignsThatFailAreLeftBehind) {
  // Half of all designs fail and nobody knows how badly: few of the later ones do.
  const auto half = [](const Genome& genome) -> Fitness {
    if (genome[1] % 2 == 1) return {.violation = Fitness::kUnknown, .costs = {}};
    return Trade(genome);
  };
  const Found found = SearchFor(kTrade, SearchMethod::kNsga2, half, 400, 4);
  const auto failed = std::count_if(found.fitness.end() - 200, found.fitness.end(),
                                    [](const Fitness& fitness) { return fitness.violation > 0; });
  EXPECT_LT(failed, 50);
}

TEST(Evolution, WhatIsKnownToBreakConditionsIsNotProposedWhileThereIsBetter) {
  // One design in four meets them, and it is known beforehand.
  const auto violation = [](const Genome& genome) { return genome[1] < 2 ? 0.0 : 0.5; };
  for (const SearchMethod method : {SearchMethod::kNsga2, SearchMethod::kRandom}) {
    Evolution evolution(kTrade, method, {{0, 7, 0, 0, 0, 0, 0, 0}}, 20, 3, violation);
    int64_t breaking = 0;
    for (int generation = 0; generation < 5; ++generation) {
      const auto proposals = evolution.Next();
      std::vector<Fitness> fitness;
      for (const Proposal& proposal : proposals) {
        const double broken = violation(proposal.genome);
        breaking += broken > 0;
        fitness.push_back(broken > 0 ? Fitness{broken, {}} : Trade(proposal.genome));
      }
      evolution.Tell(fitness);
    }
    // The one to start from is taken as it is. Twenty draws that are all bad are one case in 300.
    EXPECT_LE(breaking, method == SearchMethod::kNsga2 ? 2 : 1);
  }
  const std::vector<Gene> small = {{2, true}, {4, true}};
  Evolution all(small, SearchMethod::kNsga2, {}, 8, 3, violation);
  EXPECT_EQ(all.Next().size(), 8u);
}

TEST(Evolution, NoDesignIsProposedTwiceAndASmallSpaceEndsWhenAllWereSeen) {
  const std::vector<Gene> genes = {{3, true}, {1, false}, {4, false}, {2, true}};
  const auto sum = [](const Genome& genome) -> Fitness {
    return {.violation = 0, .costs = {static_cast<double>(genome[0] + genome[2] + genome[3])}};
  };
  for (const SearchMethod method : {SearchMethod::kNsga2, SearchMethod::kTrees, SearchMethod::kRandom}) {
    const Found found = SearchFor(genes, method, sum, 1000, 5, 7);
    std::set<Genome> genomes;
    for (const Proposal& proposal : found.proposals) genomes.insert(proposal.genome);
    EXPECT_EQ(found.proposals.size(), 24u);
    EXPECT_EQ(genomes.size(), 24u);
  }
}

TEST(Evolution, ASeedMeansTheSameDesignsAndMoreTrialsTheSameOnesFirst) {
  for (const auto& [method, trials] :
       {std::pair(SearchMethod::kNsga2, size_t{130}), {SearchMethod::kTrees, size_t{33}}}) {
    const auto genomes = [&, method = method](uint64_t seed, size_t count) {
      std::vector<Genome> list;
      for (const Proposal& proposal : SearchFor(kTrade, method, Trade, count, seed).proposals)
        list.push_back(proposal.genome);
      return list;
    };
    const auto some = genomes(7, trials);
    auto more = genomes(7, trials + 19);
    EXPECT_NE(genomes(8, trials), some);
    more.resize(trials);
    EXPECT_EQ(more, some);
  }
}

/// The least sum of both costs.
double LeastOf(const Found& found) {
  double least = found.fitness.front().costs[0] + found.fitness.front().costs[1];
  for (const Fitness& each : found.fitness) least = std::min(least, each.costs[0] + each.costs[1]);
  return least;
}

TEST(Evolution, WhatTreesGuessLeadsSoonerToTheFront) {
  for (const uint64_t seed : {1, 2, 3}) {
    const double by_trees = LeastOf(SearchFor(kTrade, SearchMethod::kTrees, Trade, 80, seed));
    EXPECT_LT(by_trees, LeastOf(SearchFor(kTrade, SearchMethod::kNsga2, Trade, 80, seed))) << seed;
  }
}

TEST(Evolution, WithoutCostsThereIsNothingToGuessFrom) {
  const auto never = [](const Genome&) { return Fitness{.violation = 1, .costs = {}}; };
  EXPECT_THAT(SearchFor(kTrade, SearchMethod::kTrees, never, 60, 1).proposals, SizeIs(60));
}

TEST(Evolution, TheFirstGenerationTakesEachValueEquallyOften) {
  Evolution evolution({{4, true}, {5, false}, {100, true}}, SearchMethod::kNsga2, {}, 20, 3);
  const auto first = evolution.Next();
  ASSERT_THAT(first, SizeIs(20));
  std::map<int64_t, int> fours, fives;
  for (const Proposal& proposal : first) ++fours[proposal.genome[0]], ++fives[proposal.genome[1]];
  for (int64_t value = 0; value < 4; ++value) EXPECT_EQ(fours[value], 5) << value;
  for (int64_t value = 0; value < 5; ++value) EXPECT_EQ(fives[value], 4) << value;
}

TEST(Evolution, DesignsToStartFromAreInTheFirstGeneration) {
  Evolution evolution(kTrade, SearchMethod::kNsga2,
                      {{1, 2, 3, 4, 5, 6, 7, 0}, {-1, 3, -1, -1, -1, -1, -1, -1}}, 5, 1);
  const auto first = evolution.Next();
  EXPECT_EQ(first[0].genome, (Genome{1, 2, 3, 4, 5, 6, 7, 0}));
  EXPECT_EQ(first[1].genome[1], 3);
  EXPECT_THAT(first, Each(::testing::Field(&Proposal::genome, Each(::testing::Ge(0)))));
}

TEST(Evolution, ParentsAreEarlierDesignsThatTheChildTookItsValuesFrom) {
  const Found found = SearchFor(
      std::vector<Gene>(12, Gene{50, true}), SearchMethod::kNsga2,
      [](const Genome& genome) -> Fitness {
        return {.violation = 0, .costs = {static_cast<double>(genome[0]), static_cast<double>(genome[1])}};
      },
      200, 6);
  int64_t inherited = 0, values = 0;
  for (size_t i = 0; i < found.proposals.size(); ++i) {
    const Proposal& proposal = found.proposals[i];
    EXPECT_EQ(proposal.generation, static_cast<int64_t>(i / 20 + 1));
    EXPECT_EQ(proposal.parents.empty(), proposal.generation == 1);
    for (const int64_t parent : proposal.parents) EXPECT_LE(parent, (proposal.generation - 1) * 20);
    for (size_t gene = 0; gene < 12 && !proposal.parents.empty(); ++gene) {
      ++values;
      inherited += std::ranges::any_of(proposal.parents, [&](int64_t parent) {
        return found.proposals[static_cast<size_t>(parent - 1)].genome[gene] == proposal.genome[gene];
      });
    }
  }
  EXPECT_GT(inherited, values * 8 / 10);
  EXPECT_LT(inherited, values);
}

TEST(Evolution, NeighboursOfAnOrderedValueAreTriedMoreOftenThanFarOnes) {
  int near = 0, far = 0, all = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    Evolution evolution({{1000, true}}, SearchMethod::kNsga2, {{500}, {500}}, 1, seed);
    ASSERT_EQ(evolution.Next().front().genome, (Genome{500}));
    evolution.Tell({{.violation = 0, .costs = {0}}});
    const int64_t value = evolution.Next().front().genome[0], distance = std::abs(value - 500);
    ASSERT_GT(distance, 0);
    near += distance <= 3;
    far += distance > 250;
    ++all;
  }
  EXPECT_GT(near, all / 4);
  EXPECT_LT(far, all / 8);
  EXPECT_GT(far, 0);
}

}  // namespace
}  // namespace cosim::explore
