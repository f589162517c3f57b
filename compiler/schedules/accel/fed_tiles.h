// SPDX-License-Identifier: Apache-2.0
// Tiles of kernels of two convolutions, of which the first, the feeder, leaves its results on chip
// (kernel.h).
#pragma once

#include <vector>

#include "compiler/schedules/accel/kernel.h"
#include "compiler/schedules/accel/tile_space.h"

namespace cosim::kernels {

/// What the tile model says of both together: units add up the work of the two, and the value between them is
/// neither stored nor loaded. Tiles of all channels of `what`, by rows, of `threads` virtual threads or one.
TileSpace FedTiles(const isa::Spec& spec, const Array& array, const Computation& feeder,
                   const Computation& what, int threads);

/// The tile among those of FedTiles; nothing when it is none.
std::optional<TileCost> FedCostOf(const isa::Spec& spec, const Array& array, const Computation& feeder,
                                  const Computation& what, const Tile& tile);

}  // namespace cosim::kernels
