// SPDX-License-Identifier: Apache-2.0
// The inner loop of the float executor's convolutions, for the vectors that a processor has. All give the
// same bits: each sum is of its own, goes by k, and rounds once for a product and its addition, as fused
// multiply-adds do.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace cosim::graph {

inline constexpr int64_t kTileRows = 6;      ///< most rows of sums at a time
inline constexpr int64_t kTileColumns = 32;  ///< sums a row

/// sums[r * sums_stride + c] += weights[r * weights_stride + k] * panel[k * kTileColumns + c], k from 0 to
/// `depth`.
using FloatTile = void (*)(const float* weights, int64_t weights_stride, const float* panel, int64_t depth,
                           float* sums, int64_t sums_stride);

/// One k of a panel. (Of known length, so that it is a few moves and no call.)
inline void CopyTileRow(const float* from, float* to) { std::memcpy(to, from, kTileColumns * sizeof(float)); }

/// By the number of rows, from 1.
using FloatTiles = std::array<FloatTile, kTileRows>;

/// Those that this processor can run, the fastest last.
const std::vector<FloatTiles>& SupportedFloatTiles();

}  // namespace cosim::graph
