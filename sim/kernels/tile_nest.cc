// SPDX-License-Identifier: Apache-2.0
// Sums may be formed in any order, as they wrap; where a step overwrites, the last one of a destination must
// stay the last.
#include "sim/kernels/tile_nest.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace cosim::sim {
namespace {

struct Loop {
  int64_t count;
  TileStep step;
};

bool SharesWeights(const Loop& loop) { return loop.step.wgt == 0 && loop.step.dst != 0; }

/// Cuts micro-ops where the destination changes.
std::vector<std::span<const TileStep>> RunsOf(std::span<const TileStep> uops) {
  std::vector<std::span<const TileStep>> runs;
  for (size_t begin = 0, end = 0; begin < uops.size(); begin = end) {
    while (end < uops.size() && uops[end].dst == uops[begin].dst) ++end;
    runs.push_back(uops.subspan(begin, end - begin));
  }
  return runs;
}

/// The least distance between the destinations of two runs.
int64_t LeastDistance(const std::vector<std::span<const TileStep>>& runs) {
  std::vector<int64_t> dsts;
  for (const auto& run : runs) dsts.push_back(run[0].dst);
  std::ranges::sort(dsts);
  int64_t least = INT64_MAX;
  for (size_t n = 1; n < dsts.size(); ++n) least = std::min(least, dsts[n] - dsts[n - 1]);
  return least;
}

}  // namespace

void BlockedTileGemm::Reset(int32_t* acc, const TileNest& nest) const {
  const size_t bytes = sizeof(int32_t) * shape_.batch * shape_.block_out;
  for (int64_t i = 0; i < nest.iter_out; ++i) {
    for (int64_t j = 0; j < nest.iter_in; ++j) {
      for (const TileStep& uop : nest.uops)
        std::memset(acc + uop.dst + i * nest.outer.dst + j * nest.inner.dst, 0, bytes);
    }
  }
}

void BlockedTileGemm::Run(int32_t* acc, const TileNest& nest, TileMode mode) const {
  if (mode == TileMode::kReset) return Reset(acc, nest);
  const bool overwrite = mode == TileMode::kOverwrite;
  std::vector<std::span<const TileStep>> runs = RunsOf(nest.uops);
  Loop outer{nest.iter_out, nest.outer}, inner{nest.iter_in, nest.inner};
  if (!overwrite && !SharesWeights(inner) && SharesWeights(outer)) std::swap(outer, inner);
  int64_t width = SharesWeights(inner) ? most_positions_ : 1;
  if (overwrite) {
    if (LeastDistance(runs) < width * std::abs(inner.step.dst)) width = 1;
    for (auto& run : runs) run = run.last(1);
  }
  const int64_t blocks = (inner.count + width - 1) / width;
  width = (inner.count + blocks - 1) / blocks;  // no block much narrower than the others
  TileBlock block{.acc_stride = inner.step.dst, .src_stride = inner.step.src, .overwrite = overwrite};
  for (int64_t i = 0; i < outer.count; ++i) {
    for (int64_t j = 0; j < inner.count; j += width) {
      block.positions = static_cast<int>(std::min(width, inner.count - j));
      block.src = i * outer.step.src + j * inner.step.src;
      block.wgt = i * outer.step.wgt + j * inner.step.wgt;
      for (const auto& run : runs) {
        block.acc = acc + run[0].dst + i * outer.step.dst + j * inner.step.dst;
        block.uops = run;
        RunBlock(block);
      }
    }
  }
}

}  // namespace cosim::sim
