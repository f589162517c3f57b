// SPDX-License-Identifier: Apache-2.0
// The legal schedules of one kernel, and of two by turns, as points of a space.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/network/lower_group.h"
#include "compiler/schedules/accel/rank_tiles.h"
#include "compiler/tune/space.h"

namespace cosim::tune {

class ScheduleSpace : public KnobSpace<10> {
 public:
  static constexpr size_t kMost = 250'000;  ///< points that are worth their memory
  explicit ScheduleSpace(kernels::AllLegal all);

  size_t size() const override { return tiles_.size(); }
  /// With those that are no points, since the model thinks least of them.
  int64_t legal() const { return legal_; }
  const kernels::Tile& tile(size_t point) const { return tiles_[point].tile; }
  std::optional<size_t> Find(const kernels::Tile& tile) const { return PointWith(KnobsOf(tile)); }

  /// Its knobs, what the tile model counts, how evenly it cuts the output.
  static constexpr size_t kFeatures = 17;
  std::vector<float> Features(size_t point) const override;

 private:
  static Knobs KnobsOf(const kernels::Tile& tile);
  Knobs KnobsAt(size_t point) const override { return KnobsOf(tiles_[point].tile); }

  std::vector<kernels::TileCost> tiles_;
  int64_t legal_;
};

/// Two kernels by turns: a tile of each.
class TurnSpace : public KnobSpace<18> {
 public:
  static constexpr size_t kMost = 100'000;
  explicit TurnSpace(network::TurnCandidates candidates);

  size_t size() const override { return candidates_.pairs.size(); }
  network::TurnTiles tiles(size_t point) const;
  std::optional<size_t> Find(const kernels::Tile& first, const kernels::Tile& second) const {
    return PointWith(KnobsOf(first, second));
  }

  /// The knobs of both, and the work of both for each unit.
  static constexpr size_t kFeatures = 30;
  std::vector<float> Features(size_t point) const override;

 private:
  const kernels::TileWork& first(size_t point) const;
  const kernels::TileWork& second(size_t point) const;
  static Knobs KnobsOf(const kernels::Tile& first, const kernels::Tile& second);
  Knobs KnobsAt(size_t point) const override { return KnobsOf(first(point).tile, second(point).tile); }

  network::TurnCandidates candidates_;
};

}  // namespace cosim::tune
