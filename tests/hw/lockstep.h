// SPDX-License-Identifier: Apache-2.0
// Holds the RTL against the models: each instruction's issue and retirement against the timing engine, and
// the contents of all on-chip memories against the golden machine. Says where they first differ.
#pragma once

#include <cstdint>
#include <string>

#include "isa/program.h"
#include "isa/spec.h"
#include "sim/dram/memory_timing.h"
#include "sim/rtl/rtl_model.h"
#include "sim/rtl/rtl_run.h"

namespace cosim::testing {

/// Runs `program` on the RTL and on the timing engine, with the memory system of `spec`. Empty if every cycle
/// is equal; else the first instruction that differs (in the order of the cycles), with both cycles.
std::string CompareTiming(sim::RtlModel& model, const isa::Spec& spec, const isa::Program& program);

/// Fills all on-chip memories with a pattern of `seed`, runs `program` on the RTL and on the golden machine.
/// Empty if all contents are equal afterwards; else the first element that differs. The program must have no
/// races.
std::string CompareContents(sim::RtlModel& model, const isa::Spec& spec, const isa::Program& program,
                            uint64_t seed, const sim::RtlRunOptions& options = {});

/// All segments in place.
std::vector<uint8_t> DramOf(const isa::Spec& spec, const isa::Program& program);

}  // namespace cosim::testing
