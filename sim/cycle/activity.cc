// SPDX-License-Identifier: Apache-2.0
#include "sim/cycle/activity.h"

#include <algorithm>
#include <array>

namespace cosim::sim {

std::vector<Activity> ActivitiesOf(const UnitTrail& trail) {
  std::array<std::span<const Activity>, 4> lists = {trail.busy, trail.head_waits, trail.lost_turns,
                                                    trail.flights};
  std::vector<Activity> activities;
  for (Cycle now = 0; now < kNever;) {
    // Until `next` nothing begins that comes before what is there.
    Cycle next = kNever;
    const Activity* there = nullptr;
    for (auto& list : lists) {
      while (!list.empty() && list.front().end <= now) list = list.subspan(1);
      if (list.empty()) continue;
      if (list.front().begin <= now) {
        there = &list.front();
        next = std::min(next, there->end);
        break;
      }
      next = std::min(next, list.front().begin);
    }
    if (there != nullptr) activities.push_back({there->kind, there->queue, now, next});
    now = next;
  }
  return activities;
}

}  // namespace cosim::sim
