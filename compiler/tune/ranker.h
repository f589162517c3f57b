// SPDX-License-Identifier: Apache-2.0
// Learns to put schedules in order from those that were measured.
#pragma once

#include <vector>

#include "compiler/trees/boosted_trees.h"

namespace cosim::tune {

class Ranker {
 public:
  /// Learns anew from what was measured: a row of features and its cycles each. At least two rows.
  void Train(const std::vector<std::vector<float>>& rows, const std::vector<double>& cycles);
  /// A score each, higher for fewer cycles; only after Train.
  std::vector<float> Score(const std::vector<std::vector<float>>& rows) const { return trees_.Guess(rows); }

 private:
  trees::BoostedTrees trees_{trees::Goal::kOrder};
};

}  // namespace cosim::tune
