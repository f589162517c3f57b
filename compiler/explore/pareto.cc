// SPDX-License-Identifier: Apache-2.0
#include "compiler/explore/pareto.h"

#include <algorithm>
#include <numeric>

namespace cosim::explore {
namespace {

bool Dominates(const Candidate& a, const Candidate& b) {
  bool better = false;
  for (size_t i = 0; i < a.costs.size(); ++i) {
    if (a.costs[i] > b.costs[i]) return false;
    better = better || a.costs[i] < b.costs[i];
  }
  return better;
}

}  // namespace

std::vector<Standing> StandingsOf(const std::vector<Candidate>& candidates) {
  // In ascending order of costs nothing is dominated by what comes later, and what dominates a point is
  // dominated, if at all, by something of the front that dominates the point too.
  std::vector<size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) -> const auto& { return candidates[i].costs; });
  std::vector<size_t> front;
  std::vector<Standing> standings(candidates.size());
  for (const size_t i : order) {
    standings[i].id = candidates[i].id;
    for (const size_t f : front)
      if (Dominates(candidates[f], candidates[i]) &&
          (standings[i].dominated_by == 0 || candidates[f].id < standings[i].dominated_by))
        standings[i].dominated_by = candidates[f].id;
    if (standings[i].dominated_by == 0) front.push_back(i);
  }
  return standings;
}

}  // namespace cosim::explore
