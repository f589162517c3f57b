// SPDX-License-Identifier: Apache-2.0
// Which points nothing beats in everything at once. What is compared is the caller's.
#pragma once

#include <cstdint>
#include <vector>

namespace cosim::explore {

/// A point with one number an objective, all of them the better the smaller.
struct Candidate {
  int64_t id = 0;
  std::vector<double> costs;
};

struct Standing {
  int64_t id = 0;
  /// The point of the front that is nowhere worse and somewhere better, the first of several; 0: none, and
  /// this one is on the front.
  int64_t dominated_by = 0;
};

/// In the order of `candidates`, which have equally many costs. Equal points are on the front together.
std::vector<Standing> StandingsOf(const std::vector<Candidate>& candidates);

}  // namespace cosim::explore
