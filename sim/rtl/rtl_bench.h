// SPDX-License-Identifier: Apache-2.0
// A Verilated accelerator as it sits on a board: a processor at its registers, memory behind its ports. All
// buses keep AXI's rules and may stall; that the accelerator keeps them is CHECKed (sim/rtl/axi_checker.h).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "isa/spec/spec.h"
#include "sim/dram/memory_port.h"
#include "sim/dram/memory_timing.h"
#include "sim/rtl/axi_checker.h"
#include "sim/rtl/memory_bus.h"
#include "sim/rtl/rtl_model.h"

namespace cosim::sim {

class RtlBench {
 public:
  /// All arguments must outlive the bench. Before the first run the accelerator wants a Reset.
  RtlBench(RtlModel& model, const isa::Spec& spec, MemoryPort& memory, MemoryTiming& timing);

  /// Asked once a channel and cycle: does it stand still? Empty: never, as on the timing page.
  std::function<bool()> stall;
  /// Called with the pins of every cycle from cycle 0 of a run on; may be empty.
  std::function<void(Cycle now, const RtlOutputs&)> observe;

  /// Holds the reset. The clock edge that begins it may still write on chip.
  void Reset();
  /// One cycle. The accelerator's pins during it.
  const RtlOutputs& Clock();
  const RtlOutputs& outputs() const { return outputs_; }
  /// The cycle before this one, counted from the start of the last run; negative before the first.
  Cycle now() const { return cycle_ - 1 - zero_; }
  /// All cycles so far but the reset's.
  Cycle clocks() const { return cycle_; }

  /// As the processor does: takes as many cycles as it takes.
  uint32_t ReadRegister(uint32_t offset);
  void WriteRegister(uint32_t offset, uint32_t value, uint32_t strobe = 0xF);
  /// Writes program address, length and start; cycle 0 is some cycles later.
  void Start(uint64_t code_address, size_t code_words);
  /// Reads the status until no run is busy; false when one still is after `cycles`.
  bool WaitUntilIdle(Cycle cycles);

  MemoryBus& bus(int port = 0) { return buses_[port]; }
  int ports() const { return static_cast<int>(buses_.size()); }
  RtlModel& model() { return model_; }

 private:
  bool Stalls() const { return stall && stall(); }
  void DrivePorts(Cycle now);
  void TakePorts(Cycle now);
  /// Aborts when the pins of this cycle break a rule of AXI.
  void CheckBuses();

  RtlModel& model_;
  MemoryTiming& timing_;
  std::vector<MemoryBus> buses_;               ///< of each memory port
  std::vector<AxiPortChecker> port_checkers_;  ///< likewise
  AxiLiteChecker register_checker_;
  RtlInputs inputs_;
  RtlOutputs outputs_;
  Cycle cycle_ = 0, zero_ = kNotStarted;
  bool started_ = false;

  static constexpr Cycle kNotStarted = Cycle{1} << 60;
};

}  // namespace cosim::sim
