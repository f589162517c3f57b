// SPDX-License-Identifier: Apache-2.0
// The accelerator of a board as a device: memory that both sides share, registers to start it, an interrupt
// when it is done. Knows no kernel interface; driver/open_board.h finds those of a board.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "driver/accelerator_registers.h"
#include "driver/dma_memory.h"
#include "driver/work_meter.h"
#include "isa/diagnostics.h"
#include "isa/spec/spec.h"
#include "runtime/device.h"

namespace cosim::driver {

/// What the register Base takes multiples of.
inline constexpr uint64_t kBaseAlignment = 4096;

struct BoardOptions {
  std::chrono::milliseconds timeout{10'000};  ///< for one program
  /// For what is left of a run that was aborted. Longer than the accelerator's own watchdog.
  std::chrono::milliseconds rest_timeout{1'000};
  std::optional<double> clock_mhz;  ///< that the processor gives the logic, where it is known
};

class BoardDevice final : public runtime::Device {
 public:
  /// All arguments must outlive the device. `meter`: of these registers, if several devices share them.
  BoardDevice(const isa::Spec& spec, AcceleratorRegisters& registers, DmaMemory& memory,
              BoardOptions options = {}, WorkMeter* meter = nullptr);

  /// Whether programs of the spec that take `dram_bytes` of memory (or frames in flight, together) can run
  /// here. Reports hardware of another map or spec (E0808), another clock (E0813), and memory that is too
  /// small or where the bus does not reach (E0807). To be asked before Reserve.
  bool Check(uint64_t dram_bytes, Diagnostics& diags);

  std::string Name() const override { return "board"; }
  /// Not beyond the memory's size.
  void Reserve(uint64_t bytes) override;
  void Write(uint64_t address, std::span<const uint8_t> bytes) override;
  void Read(uint64_t address, std::span<uint8_t> bytes) override;
  /// Counters as the registers hold them; `instructions` stays empty, whoever asks: hardware does not keep
  /// those times. Counters::error says when the hardware is another, when the run does not end in time (and
  /// what each unit was waiting for), when its interrupt is lost, and what the accelerator reports. After any
  /// of these the next run is clean, unless `error` says that the hardware has to be loaded anew. Refuses
  /// timing_only and watch_hazards.
  runtime::Counters Execute(const isa::Program& program, const runtime::ExecuteOptions& options) override;
  /// Nobody reaches a board's on-chip memories: calling it is a bug.
  void PoisonOnChip(uint64_t seed) override;
  /// What the meter says, if there is one.
  std::optional<runtime::Progress> AcceleratorProgress() override;

 private:
  std::string Start(const isa::Program& program);
  std::string Wait();
  bool ComesToRest();

  const isa::Spec& spec_;
  AcceleratorRegisters& registers_;
  DmaMemory& memory_;
  BoardOptions options_;
  WorkMeter* meter_;
  uint64_t reserved_ = 0;
};

}  // namespace cosim::driver
