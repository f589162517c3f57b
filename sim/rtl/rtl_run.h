// SPDX-License-Identifier: Apache-2.0
// Runs a program on a Verilated accelerator as a driver does, through its registers, and notes when each
// instruction issues and retires.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "isa/program/program.h"
#include "isa/spec/spec.h"
#include "runtime/profile.h"
#include "sim/dram/memory_timing.h"
#include "sim/rtl/rtl_bench.h"
#include "sim/rtl/rtl_model.h"

namespace cosim::sim {

/// Waves of a part of a run, into an FST file. Cycle c of the run stands at c clock periods. Cycle 0 only
/// starts, so waves begin with cycle 1.
struct RtlTrace {
  std::filesystem::path file;  ///< empty: none
  Cycle from = 0, cycles = 0;  ///< the first one, and how many
};

struct RtlRunOptions {
  Cycle max_cycles = 200000;
  std::function<bool()> stall;  ///< RtlBench::stall
  bool reset = true;            ///< first; what is on chip stays
  Cycle reset_at = -1;          ///< >= 0: stop in that cycle, as a reset in mid-program does
  RtlTrace trace;
};

struct RtlRun {
  bool done = false;                                    ///< the run ended, well or not
  Cycle cycles = 0;                                     ///< the cycle in which done is first seen
  std::vector<runtime::InstructionTimes> instructions;  ///< of the program; -1 for what did not happen
  runtime::Counters counters;  ///< as the registers hold them, when done; `error` says what Error means
  bool traced = false;         ///< the trace that was wanted is in its file
  std::vector<uint8_t> dram;   ///< afterwards, if it was the run's
};

/// Starts, runs until done, lets the last writes on chip happen, and reads the counters.
RtlRun RunRtl(RtlBench& bench, const isa::Spec& spec, const isa::Program& program,
              const RtlRunOptions& options = {});

/// Likewise with a memory for this run alone.
RtlRun RunRtl(RtlModel& model, const isa::Spec& spec, const isa::Program& program, std::vector<uint8_t> dram,
              MemoryTiming& timing, const RtlRunOptions& options = {});

}  // namespace cosim::sim
