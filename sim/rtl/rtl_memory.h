// SPDX-License-Identifier: Apache-2.0
// The on-chip memories of a model, from outside.
#pragma once

#include <cstdint>

#include "isa/spec/spec.h"
#include "sim/rtl/rtl_model.h"

namespace cosim::sim {

/// Fills all on-chip memories, between runs, with the pattern that Memories::Poison makes of `seed`.
void PoisonOnChip(RtlModel& model, const isa::Spec& spec, uint64_t seed);

}  // namespace cosim::sim
