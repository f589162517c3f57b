// SPDX-License-Identifier: Apache-2.0
// The designs that a plan spans, and which of its values a genome of evolution.h stands for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/explore/plan.h"
#include "compiler/explore/search/evolution.h"

namespace cosim::explore {

class SearchSpace {
 public:
  SearchSpace() = default;
  /// Of the plan's configurations, list, virtual threads and keys. The values of a key that are all numbers
  /// are put in order, and equal ones count once; a range of whole numbers is all of them, another one 1,001
  /// numbers in equal steps.
  explicit SearchSpace(const Plan& plan);

  /// Configuration, variant, virtual threads, then the keys in the plan's order.
  const std::vector<Gene>& genes() const { return genes_; }
  /// How many designs there are, or `most` + 1 for all that are more.
  int64_t Size(int64_t most) const;
  /// The number of a key's value; nothing when it does not have that one.
  std::optional<int64_t> NumberOf(size_t key, const std::string& value) const;
  /// Where the keys' genes begin.
  static constexpr size_t kFirstKey = 3;

  /// A design under one of the plan's networks, `id` left out.
  Point PointOf(const Genome& genome, const std::string& network) const;

 private:
  std::string ValueOf(size_t key, int64_t number) const;

  Plan plan_;  ///< its axes put in order
  std::vector<Gene> genes_;
};

}  // namespace cosim::explore
