// SPDX-License-Identifier: Apache-2.0
// The legal schedules of one kernel as points with neighbours: what a search walks over, and what a ranker is
// told of each of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "compiler/schedules/accel/rank_tiles.h"

namespace cosim::tune {

/// The same numbers on every machine, unlike the standard library's distributions.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  /// Below `count`, which is at least 1.
  size_t Below(size_t count) { return static_cast<size_t>(engine_() % count); }

 private:
  std::mt19937_64 engine_;
};

class ScheduleSpace {
 public:
  /// `tiles` are all different.
  explicit ScheduleSpace(std::vector<kernels::TileCost> tiles);

  /// Points are numbers below that, in the order of the tile model: 0 is its favourite.
  size_t size() const { return tiles_.size(); }
  const kernels::Tile& tile(size_t point) const { return tiles_[point].tile; }
  std::optional<size_t> Find(const kernels::Tile& tile) const;

  /// A point that differs in one knob, which goes to a neighbouring value or any other.
  size_t Mutate(size_t point, Random& random) const;
  /// A point whose knobs are each those of one of two, if such a mixture is legal; else the first, mutated.
  size_t Cross(size_t a, size_t b, Random& random) const;

  /// What a ranker sees of a point: its knobs, what the tile model counts, how evenly it cuts the output.
  static constexpr size_t kFeatures = 17;
  std::vector<float> Features(size_t point) const;

 private:
  static constexpr size_t kKnobs = 10;
  using Knobs = std::array<int64_t, kKnobs>;
  static Knobs KnobsOf(const kernels::Tile& tile);

  std::vector<kernels::TileCost> tiles_;
  std::map<Knobs, size_t> point_of_;
  std::array<std::vector<int64_t>, kKnobs> values_;  ///< that each knob takes, ascending
};

}  // namespace cosim::tune
