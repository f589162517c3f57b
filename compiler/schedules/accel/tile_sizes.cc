// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedules/accel/tile_sizes.h"

#include <set>

#include "compiler/tir/rounding.h"

namespace cosim::kernels {

std::vector<int64_t> PartSizes(int64_t extent) {
  std::set<int64_t> sizes;
  for (int64_t parts = 1; parts <= extent; ++parts) sizes.insert(tir::CeilDiv(extent, parts));
  return {sizes.rbegin(), sizes.rend()};
}

std::vector<int64_t> AllSizes(int64_t extent) {
  constexpr int64_t kMost = 64;
  if (extent > kMost) return PartSizes(extent);
  std::vector<int64_t> sizes;
  for (int64_t size = extent; size > 0; --size) sizes.push_back(size);
  return sizes;
}

std::vector<Tile> ChannelTiles(const Window& window, bool sums_channels,
                               std::vector<int64_t> (*sizes)(int64_t extent)) {
  std::vector<Tile> tiles;
  for (int64_t co : sizes(window.PlaceBlocks()))
    for (int64_t ci : sums_channels ? sizes(window.ci) : std::vector<int64_t>{1})
      tiles.push_back({.co = co, .ci = ci});
  for (int64_t g : sizes(window.g))
    if (g > 1) tiles.push_back({.co = window.co, .ci = sums_channels ? window.ci : 1, .g = g});
  return tiles;
}

bool ComesInRows(const KernelTemplate& kind, const Window& window) {
  return kind.TakesRowsByTurns() && window.oh * window.ow == 1;
}

std::vector<std::pair<int64_t, int64_t>> TapParts(const KernelTemplate& kind, const Window& window) {
  std::vector<std::pair<int64_t, int64_t>> parts = {{0, 0}};
  const bool sums_channels = kind.SumsChannels();
  if (!sums_channels && !ComesInRows(kind, window)) return parts;
  for (int64_t ky : PartSizes(window.kh))
    if (ky < window.kh) parts.emplace_back(ky, 0);
  if (!sums_channels) return parts;
  for (int64_t kx : PartSizes(window.kw))
    if (kx < window.kw) parts.emplace_back(window.kh > 1 ? 1 : 0, kx);
  return parts;
}

}  // namespace cosim::kernels
