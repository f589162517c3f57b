// SPDX-License-Identifier: Apache-2.0
// CPU schedules of a group of computations: which are stored, which are computed a row at a time next to
// their consumer, which loops become vectors.
#pragma once

#include <vector>

#include "compiler/ops/definition.h"
#include "compiler/schedules/cpu/tile.h"
#include "compiler/te/schedule.h"

namespace cosim::schedules {

struct TensorTile {
  te::Tensor tensor;
  Tile tile;
};

/// Schedules `computations`, listed producers first, the last being the only output of `schedule`. The last
/// reduction is computed row by row inside the output's loops when only element-wise computations follow it;
/// element-wise ones are inlined, unless a window or a dot product would compute them again and again.
/// `tiles` has that of each computation of Pattern::kTiles.
void ScheduleForCpu(te::Schedule& schedule, const std::vector<ops::Computation>& computations,
                    const std::vector<TensorTile>& tiles = {});

}  // namespace cosim::schedules
