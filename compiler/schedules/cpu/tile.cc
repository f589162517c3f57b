// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedules/cpu/tile.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "isa/check.h"

namespace cosim::schedules {
namespace {

constexpr int64_t kLatency = 8;  // multiply-adds that are under way at a time
constexpr int64_t kLeast = 4;    // lanes that are worth a vector
constexpr int64_t kMostVectors = 8, kMostPixels = 28;
constexpr int64_t kMostChunks = 8;             // that a search divides channels into
constexpr int64_t kUnrolls[] = {1, 2, 4};      // channels of a step
constexpr int64_t kLoop = 2;                   // cycles of a step beside its vectors
constexpr int64_t kEntry = 20;                 // and of a tile's first and last one
constexpr int64_t kCachedWeights = 32 * 1024;  // bytes that stay in the first cache while x passes

int64_t LanesFor(const TileProblem& problem, const CpuTarget& target) {
  int64_t lanes = target.lanes();
  while (problem.grouped && lanes > 1 && problem.channels % lanes != 0) lanes /= 2;
  return lanes;
}

bool IsUnroll(const TileProblem& problem, const Tile& tile) {
  if (tile.unroll == 1) return true;
  if (problem.taps > 1) return tile.unroll == problem.columns;
  return std::ranges::find(kUnrolls, tile.unroll) != std::end(kUnrolls) && tile.chunk % tile.unroll == 0 &&
         problem.depth % tile.chunk == 0;
}

}  // namespace

std::string ToString(const Tile& tile) {
  std::string text = fmt::format("lanes={} vectors={} pixels={} rows={} chunk={}", tile.lanes, tile.vectors,
                                 tile.pixels, tile.rows, tile.chunk);
  return tile.unroll > 1 ? text + fmt::format(" unroll={}", tile.unroll) : text;
}

bool IsTileable(const TileProblem& problem, const CpuTarget& target) {
  return target.is_known() && LanesFor(problem, target) >= kLeast;
}

Tile ChooseTile(const TileProblem& problem, const CpuTarget& target) {
  COSIM_CHECK(IsTileable(problem, target));
  Tile tile{.lanes = LanesFor(problem, target)}, best;
  int64_t least = std::numeric_limits<int64_t>::max();
  for (tile.vectors = 1; tile.vectors <= kMostVectors; ++tile.vectors) {
    if (problem.grouped && problem.channels % tile.block() != 0) continue;
    for (tile.pixels = 1; tile.pixels <= std::min(problem.pixels, kMostPixels); ++tile.pixels) {
      if (tile.pixels * tile.vectors + tile.vectors + 1 > target.vector_registers) continue;
      if (const int64_t cycles = CyclesOf(problem, tile); cycles < least) {
        least = cycles;
        best = tile;
      }
    }
  }
  const int64_t of_channel = problem.taps * best.block() * problem.element_bytes;
  const int64_t most = std::clamp<int64_t>(kCachedWeights / of_channel, 1, problem.depth);
  best.chunk = CeilDiv(problem.depth, CeilDiv(problem.depth, most));  // all alike
  best.rows = best.chunk < problem.depth ? problem.rows : 1;
  return best;
}

bool IsLanes(int64_t lanes, const CpuTarget& target) {
  return lanes >= kLeast && lanes <= target.lanes() && (lanes & (lanes - 1)) == 0;
}

bool IsTile(const TileProblem& problem, const Tile& tile, const CpuTarget& target) {
  if (!IsLanes(tile.lanes, target) || tile.vectors < 1 || tile.vectors > kMostVectors) return false;
  if (tile.pixels < 1 || tile.pixels > std::min(problem.pixels, kMostPixels)) return false;
  if (problem.grouped && problem.channels % tile.block() != 0) return false;
  return tile.pixels * tile.vectors + tile.vectors + 1 <= target.vector_registers && tile.chunk >= 1 &&
         tile.chunk <= problem.depth && tile.rows >= 1 && tile.rows <= problem.rows &&
         IsUnroll(problem, tile);
}

std::vector<Tile> TilesOf(const TileProblem& problem, const CpuTarget& target) {
  std::vector<int64_t> chunks, rows, unrolls(std::begin(kUnrolls), std::end(kUnrolls));
  if (problem.taps > 1) unrolls = {1, problem.columns};
  if (unrolls.back() == 1) unrolls.pop_back();
  for (int64_t parts = 1; parts <= std::min<int64_t>(problem.depth, kMostChunks); ++parts)
    chunks.push_back(CeilDiv(problem.depth, parts));
  for (int64_t count = 1; count < problem.rows; count *= 2) rows.push_back(count);
  rows.push_back(problem.rows);
  std::vector<Tile> tiles;
  for (int64_t lanes = target.lanes(); IsLanes(lanes, target); lanes /= 2)
    for (int64_t vectors = 1; vectors <= kMostVectors; ++vectors)
      for (int64_t pixels = 1; pixels <= kMostPixels; ++pixels)
        for (const int64_t chunk : chunks)
          for (const int64_t count : rows)
            for (const int64_t unroll : unrolls) {
              const Tile tile{lanes, vectors, pixels, count, chunk, unroll};
              if (IsTile(problem, tile, target)) tiles.push_back(tile);
            }
  return tiles;
}

int64_t CyclesOf(const TileProblem& problem, const Tile& tile) {
  const int64_t step = std::max({tile.pixels * tile.vectors, tile.pixels + tile.vectors, kLatency}) + kLoop;
  const int64_t tiles = CeilDiv(problem.pixels, tile.pixels) * CeilDiv(problem.channels, tile.block());
  return problem.rows * tiles * (problem.depth * problem.taps * step + kEntry);
}

int64_t RowLanes(int64_t pixels, const CpuTarget& target) {
  int64_t lanes = target.lanes();
  while (lanes / 2 >= kLeast && CeilDiv(pixels, lanes / 2) == CeilDiv(pixels, lanes)) lanes /= 2;
  return lanes;
}

}  // namespace cosim::schedules
