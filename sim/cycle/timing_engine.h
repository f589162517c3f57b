// SPDX-License-Identifier: Apache-2.0
// The cycle-exact timing of a program, without data: docs/rationale/microarchitecture.md as an event-driven
// engine. Its cost goes with the number of instructions and bursts, not with cycles. Data are
// sim/functional's.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "isa/program/decode.h"
#include "isa/program/program.h"
#include "isa/spec/spec.h"
#include "runtime/profile.h"
#include "sim/cycle/activity.h"
#include "sim/cycle/time.h"
#include "sim/dram/memory_timing.h"

namespace cosim::sim {

struct TimingOptions {
  bool record_instructions = false;
  bool ledger = true;  ///< and steps; without it only cycles and bytes are known, nor why max_cycles was met
  ActivityRecord* record = nullptr;  ///< filled by a run that completes
  Cycle max_cycles = kNever;         ///< watchdog: a run that is not done by then is reported, not continued
  /// The layer an instruction (by its index) came from, for messages; may be empty, and may return "".
  std::function<std::string(size_t)> layer_of;
};

class TimingEngine {
 public:
  /// Uses the built-in memory model of `spec.dram` unless `memory` is given. Both must outlive the engine.
  explicit TimingEngine(const isa::Spec& spec, MemoryTiming* memory = nullptr);

  /// Times a program whose words stand at `code_address`, a multiple of 4096. Control flow does not depend on
  /// data, so only the decoded instructions matter. Counters::completed is false after a deadlock (or
  /// max_cycles): then `error` names every stuck unit, its head, the queue and the instruction it waits for,
  /// the ledger is empty, `cycles` is the cycle after the last known retirement, and instructions that did
  /// not issue or retire have -1.
  runtime::Counters Run(std::span<const isa::Decoded> program, uint64_t code_address,
                        const TimingOptions& options = {});

 private:
  const isa::Spec* spec_;
  BuiltInMemory built_in_;
  MemoryTiming* memory_;
};

/// All instructions of a program in decoded form.
std::vector<isa::Decoded> DecodeAll(const isa::Spec& spec, const isa::Program& program);

}  // namespace cosim::sim
