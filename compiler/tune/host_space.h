// SPDX-License-Identifier: Apache-2.0
// The legal schedules of a convolution or product on a processor as points of a space.
#pragma once

#include <optional>
#include <vector>

#include "compiler/schedules/cpu/contraction.h"
#include "compiler/tune/space.h"

namespace cosim::tune {

class HostSpace : public KnobSpace<7> {
 public:
  /// `first`, which may be none of `schedules`, is point 0.
  HostSpace(const schedules::ContractionSchedule& first,
            std::vector<schedules::ContractionSchedule> schedules);

  size_t size() const override { return schedules_.size(); }
  const schedules::ContractionSchedule& schedule(size_t point) const { return schedules_[point]; }
  std::optional<size_t> Find(const schedules::ContractionSchedule& schedule) const {
    return PointWith(KnobsOf(schedule));
  }

  /// The knobs, and how many sums are kept in registers.
  static constexpr size_t kFeatures = 9;
  std::vector<float> Features(size_t point) const override;

 private:
  static Knobs KnobsOf(const schedules::ContractionSchedule& schedule);
  Knobs KnobsAt(size_t point) const override { return KnobsOf(schedules_[point]); }

  std::vector<schedules::ContractionSchedule> schedules_;
};

}  // namespace cosim::tune
