// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/schedule_space.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace cosim::tune {

using kernels::Tile;
using kernels::TileCost;

// `units` follows from the others.
ScheduleSpace::Knobs ScheduleSpace::KnobsOf(const Tile& t) {
  return {t.g,
          t.co,
          t.ci,
          t.y,
          t.x,
          t.ky,
          t.kx,
          t.threads,
          static_cast<int64_t>(t.thread_axis),
          t.weights_resident};
}

ScheduleSpace::ScheduleSpace(std::vector<TileCost> tiles) : tiles_(std::move(tiles)) {
  std::ranges::stable_sort(tiles_, {}, &TileCost::cycles);
  std::array<std::set<int64_t>, kKnobs> values;
  for (size_t i = 0; i < tiles_.size(); ++i) {
    const Knobs knobs = KnobsOf(tiles_[i].tile);
    point_of_.emplace(knobs, i);
    for (size_t k = 0; k < kKnobs; ++k) values[k].insert(knobs[k]);
  }
  for (size_t k = 0; k < kKnobs; ++k) values_[k].assign(values[k].begin(), values[k].end());
}

std::optional<size_t> ScheduleSpace::Find(const Tile& tile) const {
  const auto found = point_of_.find(KnobsOf(tile));
  if (found == point_of_.end()) return std::nullopt;
  return found->second;
}

size_t ScheduleSpace::Mutate(size_t point, Random& random) const {
  constexpr int kTries = 40;
  const Knobs knobs = KnobsOf(tiles_[point].tile);
  for (int t = 0; t < kTries; ++t) {
    Knobs changed = knobs;
    const size_t k = random.Below(kKnobs);
    const auto& values = values_[k];
    if (values.size() < 2) continue;
    const auto at = static_cast<size_t>(std::ranges::find(values, knobs[k]) - values.begin());
    const size_t step = random.Below(3);  // down, up, anywhere
    const size_t to = step == 0   ? (at == 0 ? at + 1 : at - 1)
                      : step == 1 ? std::min(at + 1, values.size() - 1)
                                  : random.Below(values.size());
    changed[k] = values[to];
    const auto found = point_of_.find(changed);
    if (found != point_of_.end() && found->second != point) return found->second;
  }
  return random.Below(size());
}

size_t ScheduleSpace::Cross(size_t a, size_t b, Random& random) const {
  const Knobs first = KnobsOf(tiles_[a].tile), second = KnobsOf(tiles_[b].tile);
  Knobs mixed = first;
  for (size_t k = 0; k < kKnobs; ++k)
    if (random.Below(2) == 0) mixed[k] = second[k];
  const auto found = point_of_.find(mixed);
  return found != point_of_.end() && found->second != a ? found->second : Mutate(a, random);
}

std::vector<float> ScheduleSpace::Features(size_t point) const {
  const TileCost& cost = tiles_[point];
  std::vector<float> features;
  for (const int64_t knob : KnobsOf(cost.tile)) features.push_back(static_cast<float>(knob));
  const Tile& t = cost.tile;
  const auto log = [](double x) { return static_cast<float>(std::log2(x + 1)); };
  features.push_back(log(cost.cycles));
  features.push_back(log(cost.steps));
  features.push_back(log(static_cast<double>(t.g * t.co * t.y * t.x)));
  features.push_back(log(static_cast<double>(t.g * t.ci * t.y * t.x)));
  features.push_back(log(static_cast<double>(t.co * t.ci)));
  features.push_back(
      static_cast<float>(values_[3].back() % t.y));  // of rows and columns, what the last tile has
  features.push_back(static_cast<float>(values_[4].back() % t.x));
  return features;
}

}  // namespace cosim::tune
