// SPDX-License-Identifier: Apache-2.0
// Runs a program on a Verilated accelerator with a DRAM behind its bus, and notes when each instruction
// issues and retires. Comparing is lockstep.h's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isa/program.h"
#include "isa/spec.h"
#include "runtime/profile.h"
#include "sim/dram/memory_timing.h"
#include "tests/hw/rtl_model.h"

namespace cosim::testing {

struct RtlRunOptions {
  runtime::Cycle max_cycles = 200000;
  int stall_percent = 0;  ///< of cycles in which a channel of the bus stands still; the timing page has 0
  uint64_t stall_seed = 1;
  runtime::Cycle reset_at = -1;  ///< >= 0: stop in that cycle, as a reset in mid-program does
};

struct RtlRun {
  bool done = false;
  runtime::Cycle cycles = 0;                            ///< the cycle in which done is first seen
  std::vector<runtime::InstructionTimes> instructions;  ///< of the program; -1 for what did not happen
  std::vector<uint8_t> dram;                            ///< afterwards
};

/// Holds the reset until nothing of what was before is under way. Before the first one, and in mid-program,
/// the clock edge that begins it may still write on chip.
void Reset(RtlModel& model);

/// Resets, starts, runs until done, and lets the last writes on chip happen.
RtlRun RunRtl(RtlModel& model, const isa::Spec& spec, const isa::Program& program, std::vector<uint8_t> dram,
              sim::MemoryTiming& timing, const RtlRunOptions& options = {});

}  // namespace cosim::testing
