// SPDX-License-Identifier: Apache-2.0
// The generated accelerator under Verilator as a device: a board in simulation. Every run is held against the
// timing engine: each instruction's issue and retirement and all counters have to be equal.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/device.h"
#include "sim/cycle/timing_engine.h"
#include "sim/dram/flat_memory.h"
#include "sim/dram/memory_timing.h"
#include "sim/rtl/rtl_bench.h"
#include "sim/rtl/rtl_model.h"
#include "sim/rtl/rtl_run.h"

namespace cosim::sim {

class RtlDevice final : public runtime::Device {
 public:
  /// `library` is BuildRtl's for `spec`. `spec` must outlive the device, and so must `memory`, the timing of
  /// DRAM; null takes the built-in model.
  RtlDevice(const isa::Spec& spec, const std::filesystem::path& library, MemoryTiming* memory = nullptr);

  /// Writes waves, if the library was built to. Cycles count from here on, over all programs; the waves end
  /// with the program that they begin in.
  void Trace(RtlTrace trace);
  /// They are in their file.
  bool traced() const { return traced_; }

  std::string Name() const override { return "rtl"; }
  void Reserve(uint64_t bytes) override;
  void Write(uint64_t address, std::span<const uint8_t> bytes) override;
  void Read(uint64_t address, std::span<uint8_t> bytes) override;
  /// Counters::error tells of a program that gets stuck, of an error that the accelerator reports, of what
  /// differs from the timing engine. Refuses timing_only and
  /// watch_hazards.
  runtime::Counters Execute(const isa::Program& program, const runtime::ExecuteOptions& options) override;
  void PoisonOnChip(uint64_t seed) override;

 private:
  RtlTrace TraceOf(Cycle cycles) const;

  const isa::Spec& spec_;
  BuiltInMemory built_in_;
  MemoryTiming& timing_;
  TimingEngine engine_;
  std::vector<uint8_t> dram_;  ///< whole beats
  FlatMemory memory_;
  std::unique_ptr<RtlModel> model_;
  RtlBench bench_;
  RtlTrace trace_;
  bool traced_ = false;
};

}  // namespace cosim::sim
