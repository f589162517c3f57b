// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions by rows: lanes are neighbouring pixels, sums of several rows stay in registers. The
// same values as the plain definition's, integers to the bit.
#pragma once

#include <optional>

#include "compiler/ops/definition.h"
#include "compiler/schedules/cpu/blocked.h"
#include "compiler/schedules/cpu/target.h"

namespace cosim::schedules {

/// What tiles of `plain` are for, which convolves. Nothing for other convolutions, for columns more than 1
/// (integers: 2) apart, and on an unknown processor.
std::optional<TileProblem> DepthwiseProblem(const ops::Computation& plain, const CpuTarget& target);

/// A tile's pixels are a row's, its rows those that are summed at a time: as many as keep the processor busy.
Tile ChooseRowTile(const TileProblem& problem, const CpuTarget& target);
/// Whether it is such a tile, of rows that divide the problem's.
bool IsRowTile(const TileProblem& problem, const Tile& tile, const CpuTarget& target);
/// All whose sums fit the registers.
std::vector<Tile> RowTiles(const TileProblem& problem, const CpuTarget& target);

/// The computations: x in its frame; the sums (Pattern::kRows), rows rounded up to whole vectors; and these
/// in the plain layout.
Blocked BlockDepthwise(const ops::Computation& plain, const Tile& tile);

}  // namespace cosim::schedules
