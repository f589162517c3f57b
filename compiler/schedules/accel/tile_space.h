// SPDX-License-Identifier: Apache-2.0
// The legal tiles of a kernel and what the model of rank_tiles.h says of each, but for the memory's
// latencies: what stays while only those change. In cycles.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "compiler/schedules/accel/rank_tiles.h"

namespace cosim::kernels {

/// Of what all units do, beside the longest: where tiles are alike in that, one that leaves the others least.
inline constexpr double kOfOthers = 0.001;

struct TileTerms {
  Tile tile;
  double steps = 0;            ///< TileCost::steps
  double most = 0;             ///< of what overlaps, the longest; of one thread, where nothing does, the sum
  double first = 0, last = 0;  ///< TileWork's, without the latencies
  double rounds = 0;           ///< of one thread: tiles, each of which ends in `last` less `half_store`
  double half_store = 0;
  double exposed = 0, overhead = 0;
  TileCost CostWith(const isa::MemorySystem& memory) const;
};

struct TileSpace {
  std::vector<TileTerms> tiles;  ///< in the order of RankTiles' equals
  std::string misfit;  ///< of the smallest tile that does not fit: which buffer is too small; empty: all fit
};
TileSpace LegalTiles(const isa::Spec& spec, const Array& array, const KernelTemplate& kind,
                     const Window& window, const Epilogue& epilogue, int threads);

/// The first of what RankTiles gives.
struct Ranking {
  std::vector<TileCost> cheapest;
  std::optional<TileCost> single;  ///< the first with one virtual thread
};
Ranking Rank(const TileSpace& space, const isa::MemorySystem& memory,
             size_t most = std::numeric_limits<size_t>::max());

}  // namespace cosim::kernels
