// SPDX-License-Identifier: Apache-2.0
// What trees guess of designs that have not run, from those that have.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/explore/search/nsga2.h"
#include "compiler/trees/boosted_trees.h"

namespace cosim::explore {

class Surrogate {
 public:
  /// Designs and what came of them; those that have no costs teach nothing.
  Surrogate(const std::vector<std::vector<int64_t>>& genomes, const std::vector<Fitness>& fitness);

  /// Whether there was enough to learn from.
  explicit operator bool() const { return !objectives_.empty(); }
  /// Costs as a run would have them; only if there was enough.
  std::vector<Fitness> Guess(const std::vector<std::vector<int64_t>>& genomes) const;

 private:
  /// What trees learn: the cost's logarithm, where all are positive, less its mean, in deviations.
  struct Objective {
    trees::BoostedTrees trees{trees::Goal::kValue};
    bool is_log = false;
    double mean = 0, deviation = 1;
  };
  std::vector<Objective> objectives_;
};

}  // namespace cosim::explore
