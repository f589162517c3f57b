// SPDX-License-Identifier: Apache-2.0
// Reads back what kernels::ToString writes of a tile.
#pragma once

#include <optional>
#include <string>

#include "compiler/schedules/accel/tile.h"

namespace cosim::tune {

/// Nothing unless `text` is what ToString says of some tile.
std::optional<kernels::Tile> ParseTile(const std::string& text);

}  // namespace cosim::tune
