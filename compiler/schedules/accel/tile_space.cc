// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedules/accel/tile_space.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace cosim::kernels {

TileCost TileTerms::CostWith(const isa::MemorySystem& memory) const {
  const double end = last + memory.write_latency;
  const double cycles = tile.threads > 1 ? most + (first + memory.latency) + end + exposed + overhead
                                         : most + rounds * (end - half_store) + exposed;
  return {tile, cycles, steps};
}

Ranking Rank(const TileSpace& space, const isa::MemorySystem& memory, size_t most) {
  using Place = std::pair<double, uint32_t>;  // cycles, and where in the space: equals stay in its order
  std::vector<Place> order;
  order.reserve(space.tiles.size());
  std::optional<Place> single;
  for (const TileTerms& terms : space.tiles) {
    const Place place{terms.CostWith(memory).cycles, static_cast<uint32_t>(order.size())};
    order.push_back(place);
    if (terms.tile.threads == 1) single = std::min(single.value_or(place), place);
  }
  const auto end = order.begin() + static_cast<ptrdiff_t>(std::min(most, order.size()));
  std::partial_sort(order.begin(), end, order.end());
  Ranking ranking;
  for (auto place = order.begin(); place != end; ++place)
    ranking.cheapest.push_back(space.tiles[place->second].CostWith(memory));
  if (single) ranking.single = space.tiles[single->second].CostWith(memory);
  return ranking;
}

std::vector<TileCost> RankTiles(const isa::Spec& spec, const Array& array, const KernelTemplate& kind,
                                const Window& window, const Epilogue& epilogue, int threads,
                                std::string& why) {
  const TileSpace space = LegalTiles(spec, array, kind, window, epilogue, threads);
  if (!space.misfit.empty()) why = space.misfit;
  return Rank(space, spec.dram).cheapest;
}

}  // namespace cosim::kernels
