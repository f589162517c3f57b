// SPDX-License-Identifier: Apache-2.0
// Register tiles: the knobs of a blocked convolution's or product's schedule, and the model that chooses
// them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/schedules/cpu/target.h"
#include "compiler/tir/rounding.h"

namespace cosim::schedules {

using tir::CeilDiv;

/// What a tile is chosen for: a sum over `depth` channels of `taps` each, for every one of `rows` x `pixels`
/// x `channels`.
struct TileProblem {
  int64_t rows = 1, pixels = 1, channels = 1;
  int64_t depth = 1, taps = 1;
  int64_t columns = 1;        ///< of the taps, side by side in x
  int64_t element_bytes = 4;  ///< of a weight
  bool grouped = false;       ///< blocks of channels must divide `channels`: each belongs to one group
};

/// `pixels` x `vectors` vectors of `lanes` channels are summed in registers at a time.
struct Tile {
  int64_t lanes = 1, vectors = 1, pixels = 1;
  int64_t rows = 1;   ///< rows of pixels whose sums are kept until they are complete
  int64_t chunk = 1;  ///< channels that are summed before the next tile's: their weights stay in the cache
  /// Steps of the innermost sum that are written out one behind the other: of a window all of its columns,
  /// else 2 or 4 channels; 1: it is a loop.
  int64_t unroll = 1;

  int64_t block() const { return lanes * vectors; }
  friend bool operator==(const Tile&, const Tile&) = default;
};

/// "lanes=16 vectors=2 pixels=14 rows=1 chunk=64", with " unroll=4" behind it where that is not 1.
std::string ToString(const Tile& tile);

/// Whether tiles in registers are worth while at all.
bool IsTileable(const TileProblem& problem, const CpuTarget& target);

/// The tile with the least estimated cycles. The model: vectors of sums and of factors fit the registers; a
/// step of a tile takes its multiply-adds, its loads, or the time until a sum can be added to again,
/// whichever is most; pixels and channels are rounded up to whole tiles. Weights that exceed the cache are
/// chunked.
Tile ChooseTile(const TileProblem& problem, const CpuTarget& target);

/// Whether a tile may have so many: a power of two, that is worth a vector.
bool IsLanes(int64_t lanes, const CpuTarget& target);
/// Whether the sums and factors of `tile` fit the registers, and its blocks the problem.
bool IsTile(const TileProblem& problem, const Tile& tile, const CpuTarget& target);
/// Such tiles, all but those that differ in chunks or rows by little.
std::vector<Tile> TilesOf(const TileProblem& problem, const CpuTarget& target);

/// What the model says of `problem` in that tile.
int64_t CyclesOf(const TileProblem& problem, const Tile& tile);

/// The lanes that cover a row with the fewest vectors, and of these the fewest; at least 4.
int64_t RowLanes(int64_t pixels, const CpuTarget& target);

}  // namespace cosim::schedules
