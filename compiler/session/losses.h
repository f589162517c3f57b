// SPDX-License-Identifier: Apache-2.0
// The ledger of a whole network: where the cycles went that its multiply-accumulates do not need.
#pragma once

#include <vector>

#include "compiler/session/explain.h"

namespace cosim::session {

/// What each layer's unit waited for, the multipliers that its steps left unused, and the time of layers
/// without multiply-accumulates, each cause with its layers, both largest first. They add up to the layers'
/// cycles less their ideal ones.
std::vector<Loss> LossesOf(const std::vector<LayerExplanation>& layers);

}  // namespace cosim::session
