// SPDX-License-Identifier: Apache-2.0
// Runs a program on a Verilated accelerator with a DRAM behind its bus, and notes when each instruction
// issues and retires.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "isa/program.h"
#include "isa/spec.h"
#include "runtime/profile.h"
#include "sim/dram/memory_timing.h"
#include "sim/rtl/rtl_model.h"

namespace cosim::sim {

struct RtlRunOptions {
  runtime::Cycle max_cycles = 200000;
  /// Asked once a channel and cycle: does it stand still? Empty: never, as on the timing page.
  std::function<bool()> stall;
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
              MemoryTiming& timing, const RtlRunOptions& options = {});

}  // namespace cosim::sim
