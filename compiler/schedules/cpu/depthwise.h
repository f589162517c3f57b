// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions by rows: lanes are neighbouring pixels, sums of several rows stay in registers. The
// same values as the plain definition's, integers to the bit.
#pragma once

#include <optional>

#include "compiler/ops/definition.h"
#include "compiler/schedules/cpu/blocked.h"
#include "compiler/schedules/cpu/target.h"

namespace cosim::schedules {

/// The computations: x in its frame; the sums (Pattern::kRows), rows rounded up to whole vectors; and these
/// in the plain layout. The tile's pixels are a row's, its rows those that are summed at a time. Nothing for
/// other convolutions, for columns more than 1 (integers: 2) apart, and on an unknown processor.
std::optional<Blocked> BlockDepthwise(const ops::Definition& plain, const CpuTarget& target);

}  // namespace cosim::schedules
