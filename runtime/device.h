// SPDX-License-Identifier: Apache-2.0
// What runs a program: functional simulator, cycle simulator, later RTL, TLM platform or a board. Memory is
// one flat DRAM, addressed from 0 in bytes; the program image says how much of it there has to be.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "isa/program/program.h"
#include "isa/spec/spec.h"
#include "runtime/profile.h"

namespace cosim::runtime {

struct ExecuteOptions {
  bool timing_only = false;          ///< no data is touched; a device without timing refuses it
  bool record_instructions = false;  ///< fill Counters::instructions
  /// For programs that nobody verified: a device that times fails on the first two instructions that were in
  /// flight together and touched the same data, one of them writing. Slow.
  bool watch_hazards = false;
  /// The layer an instruction came from, for error messages; may be empty.
  std::function<std::string(size_t)> layer_of;
};

/// Why a run ended without completing: a deadlock, a hazard, a watchdog. `message` names queue, instructions,
/// units.
struct RunError {
  std::string message;
};

/// How far an accelerator has come, by its own counters.
struct Progress {
  Cycle cycles = 0;   ///< of all its runs so far, with those of the one that goes on
  int runs = 0;       ///< begun
  bool busy = false;  ///< one goes on
};

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string Name() const = 0;
  /// Grows DRAM to at least `bytes`; new bytes are zero.
  virtual void Reserve(uint64_t bytes) = 0;
  virtual void Write(uint64_t address, std::span<const uint8_t> bytes) = 0;
  virtual void Read(uint64_t address, std::span<uint8_t> bytes) = 0;
  /// Runs a verified program to its end. Its segments must have been written (LoadSegments).
  virtual Counters Execute(const isa::Program& program, const ExecuteOptions& options) = 0;
  /// Fills all on-chip memories with a pattern, to show that programs do not depend on what was there.
  virtual void PoisonOnChip(uint64_t seed) = 0;
  /// Of the accelerator behind it, whichever device that shares it began the runs. Any thread may ask, also
  /// while one executes. Nothing where there are no counters to read meanwhile.
  virtual std::optional<Progress> AcceleratorProgress() { return std::nullopt; }
};

/// Reserves what the program needs and writes all its segments.
void LoadSegments(Device& device, const isa::Program& program);

}  // namespace cosim::runtime
