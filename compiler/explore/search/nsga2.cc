// SPDX-License-Identifier: Apache-2.0
#include "compiler/explore/search/nsga2.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

namespace cosim::explore {

bool Dominates(const Fitness& a, const Fitness& b) {
  if (a.violation > 0 || b.violation > 0) return a.violation < b.violation;
  bool better = false;
  for (size_t i = 0; i < a.costs.size(); ++i) {
    if (a.costs[i] > b.costs[i]) return false;
    better = better || a.costs[i] < b.costs[i];
  }
  return better;
}

std::vector<std::vector<size_t>> SortedFronts(const std::vector<Fitness>& all) {
  std::vector<int64_t> dominators(all.size());
  std::vector<std::vector<size_t>> dominated(all.size());
  for (size_t a = 0; a < all.size(); ++a)
    for (size_t b = 0; b < all.size(); ++b) {
      if (!Dominates(all[a], all[b])) continue;
      dominated[a].push_back(b);
      ++dominators[b];
    }
  std::vector<std::vector<size_t>> fronts;
  std::vector<size_t> front;
  for (size_t i = 0; i < all.size(); ++i)
    if (dominators[i] == 0) front.push_back(i);
  while (!front.empty()) {
    std::vector<size_t> next;
    for (const size_t i : front)
      for (const size_t beaten : dominated[i])
        if (--dominators[beaten] == 0) next.push_back(beaten);
    std::ranges::sort(next);
    fronts.push_back(std::move(front));
    front = std::move(next);
  }
  return fronts;
}

std::vector<double> CrowdingOf(const std::vector<Fitness>& all, const std::vector<size_t>& front) {
  std::vector<double> crowding(front.size(), 0);
  if (front.empty()) return crowding;
  constexpr double kEnd = std::numeric_limits<double>::infinity();
  std::vector<size_t> order(front.size());
  for (size_t objective = 0; objective < all[front.front()].costs.size(); ++objective) {
    const auto cost = [&](size_t member) { return all[front[member]].costs[objective]; };
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, cost);
    const double width = cost(order.back()) - cost(order.front());
    crowding[order.front()] = crowding[order.back()] = kEnd;
    if (width <= 0) continue;
    for (size_t i = 1; i + 1 < order.size(); ++i)
      crowding[order[i]] += (cost(order[i + 1]) - cost(order[i - 1])) / width;
  }
  return crowding;
}

bool Beats(const Ranked& a, const Ranked& b) {
  return a.front != b.front ? a.front < b.front : a.crowding > b.crowding;
}

std::vector<Ranked> Survivors(const std::vector<Fitness>& all, size_t count) {
  std::vector<Fitness> once;
  std::vector<size_t> first, again;  // indices
  std::set<std::vector<double>> seen;
  for (size_t i = 0; i < all.size(); ++i) {
    const bool is_new = all[i].violation > 0 || seen.insert(all[i].costs).second;
    (is_new ? first : again).push_back(i);
    if (is_new) once.push_back(all[i]);
  }
  std::vector<Ranked> survivors;
  const auto fronts = SortedFronts(once);
  for (size_t f = 0; f < fronts.size() && survivors.size() < count; ++f) {
    const std::vector<double> crowding = CrowdingOf(once, fronts[f]);
    std::vector<Ranked> members;
    for (size_t i = 0; i < fronts[f].size(); ++i) members.push_back({first[fronts[f][i]], f, crowding[i]});
    if (survivors.size() + members.size() > count) {
      std::ranges::stable_sort(members, Beats);
      members.resize(count - survivors.size());
    }
    survivors.insert(survivors.end(), members.begin(), members.end());
  }
  for (size_t i = 0; i < again.size() && survivors.size() < count; ++i)
    survivors.push_back({again[i], fronts.size(), 0});
  return survivors;
}

}  // namespace cosim::explore
