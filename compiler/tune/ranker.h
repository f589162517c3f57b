// SPDX-License-Identifier: Apache-2.0
// Learns to put schedules in order from those that were measured: gradient-boosted trees (XGBoost), trained
// on pairs.
#pragma once

#include <memory>
#include <vector>

namespace cosim::tune {

class Ranker {
 public:
  Ranker();
  ~Ranker();

  /// Learns anew from what was measured: a row of features and its cycles each. At least two rows.
  void Train(const std::vector<std::vector<float>>& rows, const std::vector<double>& cycles);
  /// A score each, higher for fewer cycles; only after Train.
  std::vector<float> Score(const std::vector<std::vector<float>>& rows) const;

 private:
  struct Booster;
  std::unique_ptr<Booster> booster_;
};

}  // namespace cosim::tune
