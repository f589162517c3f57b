// SPDX-License-Identifier: Apache-2.0
// Holds the RTL against the models, program by program: each instruction's issue and retirement, and all
// counters, read from the registers, against the timing engine; DRAM and all on-chip memories against the
// golden machine. Says where they first differ.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/program/program.h"
#include "isa/spec/spec.h"
#include "sim/dram/memory_timing.h"
#include "sim/rtl/rtl_model.h"
#include "sim/rtl/rtl_run.h"

namespace cosim::testing {

struct LockstepOptions {
  uint64_t seed = 1;  ///< of what memories hold before, and of the stalls
  /// Of cycles in which a channel of the bus stands still. Then contents, bytes and steps are compared, and
  /// no cycles: the timing page knows no stalls.
  int stall_percent = 0;
  bool reset = true;  ///< before; without, the start alone has to make a clean run
};

struct LockstepResult {
  std::string difference;     ///< empty: RTL and models agree
  runtime::Cycle cycles = 0;  ///< that the RTL took
};

/// Fills DRAM and all on-chip memories with a pattern and runs `program`, which must verify, with the memory
/// system of `spec`. A difference is a line for the first instruction that differs (in the order of the
/// cycles), one for each counter that differs, and one each for the first wrong byte of DRAM and the first
/// wrong element.
LockstepResult Compare(sim::RtlModel& model, const isa::Spec& spec, const isa::Program& program,
                       const LockstepOptions& options = {});

/// All segments in place, and a pattern around them.
std::vector<uint8_t> DramOf(const isa::Spec& spec, const isa::Program& program, uint64_t seed = 1);

}  // namespace cosim::testing
