// SPDX-License-Identifier: Apache-2.0
// The sizes of a kernel's tiles that are worth trying. Which of them fit, and what they cost, rank_tiles.cc
// says.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "compiler/schedules/accel/kernel_template.h"
#include "compiler/schedules/accel/tile.h"

namespace cosim::kernels {

/// Those that cut `extent` into 1, 2, 3, … nearly equal parts, the largest first.
std::vector<int64_t> PartSizes(int64_t extent);

/// All from `extent` to 1, also those that leave a last part much smaller than the others. Of more than 64,
/// PartSizes.
std::vector<int64_t> AllSizes(int64_t extent);

/// The channel part of a tile, in all sizes of `sizes`: blocks of one group, or several whole groups.
std::vector<Tile> ChannelTiles(const Window& window, bool sums_channels,
                               std::vector<int64_t> (*sizes)(int64_t extent));

/// Whether a window without weights may come in rows: one that nothing else overlaps.
bool ComesInRows(const KernelTemplate& kind, const Window& window);

/// {ky, kx} in the order to try them: all taps, then fewer rows, then fewer columns of one row.
std::vector<std::pair<int64_t, int64_t>> TapParts(const KernelTemplate& kind, const Window& window);

}  // namespace cosim::kernels
