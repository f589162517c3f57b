// SPDX-License-Identifier: Apache-2.0
// A device that computes and does not time: the program's instructions in their order, which is an order that
// tokens of a verified program allow.
#pragma once

#include "runtime/device.h"
#include "sim/functional/functional_engine.h"

namespace cosim::sim {

class FunctionalDevice final : public runtime::Device {
 public:
  /// `spec` must outlive the device; `level` must be supported by this machine.
  explicit FunctionalDevice(const isa::Spec& spec, SimdLevel level = BestSimdLevel())
      : spec_(spec), engine_(spec, level) {}

  std::string Name() const override { return "functional"; }
  void Reserve(uint64_t bytes) override { engine_.Reserve(bytes); }
  void Write(uint64_t address, std::span<const uint8_t> bytes) override { engine_.WriteDram(address, bytes); }
  void Read(uint64_t address, std::span<uint8_t> bytes) override { engine_.ReadDram(address, bytes); }
  /// Stops at the first instruction that cannot be executed; Counters::error then names it and says why.
  /// There are no cycles to count: `timed` is false, and so is `completed` when only timing is asked for.
  runtime::Counters Execute(const isa::Program& program, const runtime::ExecuteOptions& options) override;
  void PoisonOnChip(uint64_t seed) override { engine_.PoisonOnChip(seed); }

 private:
  const isa::Spec& spec_;
  FunctionalEngine engine_;
};

}  // namespace cosim::sim
