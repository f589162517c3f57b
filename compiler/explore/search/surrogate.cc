// SPDX-License-Identifier: Apache-2.0
#include "compiler/explore/search/surrogate.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "isa/check.h"

namespace cosim::explore {
namespace {

constexpr size_t kFewest = 8;  // designs that there is something to learn from

std::vector<std::vector<float>> RowsOf(const std::vector<std::vector<int64_t>>& genomes) {
  std::vector<std::vector<float>> rows;
  for (const auto& genome : genomes) rows.emplace_back(genome.begin(), genome.end());
  return rows;
}

}  // namespace

Surrogate::Surrogate(const std::vector<std::vector<int64_t>>& genomes, const std::vector<Fitness>& fitness) {
  COSIM_CHECK(genomes.size() == fitness.size());
  std::vector<std::vector<int64_t>> known;
  std::vector<const Fitness*> costs;
  for (size_t i = 0; i < genomes.size(); ++i) {
    if (fitness[i].costs.empty()) continue;
    known.push_back(genomes[i]);
    costs.push_back(&fitness[i]);
  }
  if (known.size() < kFewest) return;
  const auto rows = RowsOf(known);
  for (size_t o = 0; o < costs.front()->costs.size(); ++o) {
    std::vector<double> values;
    for (const Fitness* each : costs) values.push_back(each->costs[o]);
    Objective objective;
    objective.is_log = *std::ranges::min_element(values) > 0;
    double sum = 0, squares = 0;
    for (double& value : values) {
      if (objective.is_log) value = std::log(value);
      sum += value;
      squares += value * value;
    }
    const auto count = static_cast<double>(values.size());
    objective.mean = sum / count;
    const double variance = squares / count - objective.mean * objective.mean;
    if (variance > 0) objective.deviation = std::sqrt(variance);
    std::vector<float> labels;
    for (const double value : values)
      labels.push_back(static_cast<float>((value - objective.mean) / objective.deviation));
    objective.trees.Train(rows, labels);
    objectives_.push_back(std::move(objective));
  }
}

std::vector<Fitness> Surrogate::Guess(const std::vector<std::vector<int64_t>>& genomes) const {
  const auto rows = RowsOf(genomes);
  std::vector<Fitness> guesses(genomes.size());
  for (const Objective& objective : objectives_) {
    const std::vector<float> labels = objective.trees.Guess(rows);
    for (size_t i = 0; i < labels.size(); ++i) {
      const double value = labels[i] * objective.deviation + objective.mean;
      guesses[i].costs.push_back(objective.is_log ? std::exp(value) : value);
    }
  }
  return guesses;
}

}  // namespace cosim::explore
