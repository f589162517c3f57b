// SPDX-License-Identifier: Apache-2.0
// The cycle-exact simulator as a device: the timing engine says when, the functional engine says what. Tokens
// of a verified program make its own order a valid order for the data, so the two run one after the other.
#pragma once

#include "runtime/device.h"
#include "sim/cycle/timing_engine.h"
#include "sim/functional/functional_engine.h"

namespace cosim::sim {

class CycleDevice final : public runtime::Device {
 public:
  /// `spec` must outlive the device, and so must `memory`, the timing of DRAM; null takes the built-in model.
  /// `level` must be supported by this machine.
  explicit CycleDevice(const isa::Spec& spec, SimdLevel level = BestSimdLevel(),
                       MemoryTiming* memory = nullptr)
      : spec_(spec), data_(spec, level), timing_(spec, memory) {}

  std::string Name() const override { return "cycle"; }
  void Reserve(uint64_t bytes) override { data_.Reserve(bytes); }
  void Write(uint64_t address, std::span<const uint8_t> bytes) override { data_.WriteDram(address, bytes); }
  void Read(uint64_t address, std::span<uint8_t> bytes) override { data_.ReadDram(address, bytes); }
  /// Times the program, then executes it unless only timing is asked for. A program that gets stuck changes
  /// no data; one that cannot be executed (it was not verified) stops at that instruction. Counters::error
  /// names either.
  runtime::Counters Execute(const isa::Program& program, const runtime::ExecuteOptions& options) override;
  void PoisonOnChip(uint64_t seed) override { data_.PoisonOnChip(seed); }

 private:
  std::string ExecuteData(const isa::Program& program, std::span<const isa::Decoded> decoded,
                          std::span<const runtime::InstructionTimes> times,
                          const runtime::ExecuteOptions& options);

  const isa::Spec& spec_;
  FunctionalEngine data_;
  TimingEngine timing_;
};

}  // namespace cosim::sim
