// SPDX-License-Identifier: Apache-2.0
// Gradient-boosted trees (XGBoost), for those who search: what has been measured says which of what has not
// is worth it. The same rows make the same trees on every machine.
#pragma once

#include <memory>
#include <vector>

namespace cosim::trees {

enum class Goal {
  kOrder,  ///< of all rows, by pairs: a higher label, a higher guess
  kValue,  ///< the labels themselves
};

class BoostedTrees {
 public:
  explicit BoostedTrees(Goal goal);
  BoostedTrees(BoostedTrees&&) noexcept;
  ~BoostedTrees();

  /// Learns anew: a row of features and its label each. At least two rows, all equally long.
  void Train(const std::vector<std::vector<float>>& rows, const std::vector<float>& labels);
  /// A number each; only after Train.
  std::vector<float> Guess(const std::vector<std::vector<float>>& rows) const;

 private:
  struct Booster;
  Goal goal_;
  std::unique_ptr<Booster> booster_;
};

}  // namespace cosim::trees
