// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/host_space.h"

#include <algorithm>

namespace cosim::tune {

using schedules::ContractionSchedule;

HostSpace::HostSpace(const ContractionSchedule& first, std::vector<ContractionSchedule> schedules)
    : schedules_(std::move(schedules)) {
  std::erase(schedules_, first);
  schedules_.insert(schedules_.begin(), first);
  Index();
}

HostSpace::Knobs HostSpace::KnobsOf(const ContractionSchedule& s) {
  const schedules::Tile& tile = s.tile;
  return {s.transform, tile.lanes, tile.vectors, tile.pixels, tile.rows, tile.chunk, tile.unroll};
}

std::vector<float> HostSpace::Features(size_t point) const {
  std::vector<float> features;
  for (const int64_t knob : KnobsAt(point)) features.push_back(static_cast<float>(knob));
  const schedules::Tile& tile = schedules_[point].tile;
  features.push_back(static_cast<float>(tile.vectors * tile.pixels));
  features.push_back(static_cast<float>(tile.block()));
  return features;
}

}  // namespace cosim::tune
