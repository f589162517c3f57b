// SPDX-License-Identifier: Apache-2.0
// The clock loop: bus, start, and the record of issues and retirements.
#include "tests/hw/rtl_run.h"

#include <deque>

#include "isa/check.h"
#include "tests/isa/program/random_program.h"

namespace cosim::testing {
namespace {

using runtime::Cycle;

/// Cycles after done until the last element is written on chip, and more than enough.
constexpr int kSettleCycles = 16;
constexpr int kResetCycles = 8;
/// The address is on the bus one cycle after the read port accepted it.
constexpr Cycle kAcceptToBus = 1;

/// The far end of the read channels: takes addresses, gives data in order when the timing says so.
class ReadBus {
 public:
  ReadBus(const isa::Spec& spec, std::span<const uint8_t> dram, sim::MemoryTiming& timing)
      : beat_bytes_(spec.dram.beat_bytes()), dram_(dram), timing_(timing) {}

  /// Puts on the pins what comes in cycle `now`; nothing if `stalled`.
  void Drive(Cycle now, bool stalled, RtlInputs& inputs) {
    inputs.r_data = nullptr;
    if (stalled || bursts_.empty() || now < bursts_.front().next_beat) return;
    Pending& burst = bursts_.front();
    COSIM_CHECK(burst.address + beat_bytes_ <= dram_.size(), "a read of byte {} of {}", burst.address,
                dram_.size());
    inputs.r_data = dram_.data() + burst.address;
    inputs.r_last = burst.beats == 1;
    burst.address += beat_bytes_;
    ++burst.next_beat;
    if (--burst.beats == 0) bursts_.pop_front();
  }

  void Accept(Cycle now, const RtlOutputs& outputs) {
    const sim::Burst burst{outputs.ar_address, outputs.ar_beats};
    bursts_.push_back({timing_.ReadFirstBeat(now - kAcceptToBus, burst), burst.address, burst.beats});
    COSIM_CHECK(bursts_.back().next_beat > now, "data before their address");
  }

 private:
  struct Pending {
    Cycle next_beat;
    uint64_t address;
    int beats;
  };

  uint64_t beat_bytes_;
  std::span<const uint8_t> dram_;
  sim::MemoryTiming& timing_;
  std::deque<Pending> bursts_;
};

/// Gives the k-th issue and retirement of a unit to its k-th instruction.
class Recorder {
 public:
  Recorder(const isa::Spec& spec, const isa::Program& program)
      : of_unit_(spec.units.size()), issued_(spec.units.size(), 0), retired_(spec.units.size(), 0) {
    for (size_t i = 0; i < program.instructions.size(); ++i) {
      of_unit_[spec.formats[program.instructions[i].format].unit].push_back(i);
    }
  }

  void Record(Cycle now, const RtlOutputs& outputs, std::vector<runtime::InstructionTimes>& times) {
    for (size_t unit = 0; unit < of_unit_.size(); ++unit) {
      if (outputs.issue >> unit & 1) times[Next(unit, issued_)].issue = now;
      if (outputs.retire >> unit & 1) times[Next(unit, retired_)].retire = now;
    }
  }

 private:
  size_t Next(size_t unit, std::vector<size_t>& count) {
    COSIM_CHECK(count[unit] < of_unit_[unit].size(), "unit {} does more than its instructions", unit);
    return of_unit_[unit][count[unit]++];
  }

  std::vector<std::vector<size_t>> of_unit_;  // by unit: positions in the program
  std::vector<size_t> issued_, retired_;      // by unit
};

}  // namespace

void Reset(RtlModel& model) {
  const RtlInputs inputs{.reset = true};
  for (int i = 0; i < kResetCycles; ++i) model.Cycle(inputs);
}

RtlRun RunRtl(RtlModel& model, const isa::Spec& spec, const isa::Program& program,
              std::span<const uint8_t> dram, sim::MemoryTiming& timing, const RtlRunOptions& options) {
  timing.Reset();
  ReadBus bus(spec, dram, timing);
  Recorder recorder(spec, program);
  isa::testing::Random stall(options.stall_seed);
  RtlRun run;
  run.instructions.assign(program.instructions.size(), {-1, -1});
  RtlInputs inputs{.code_address = static_cast<uint32_t>(program.code_address),
                   .code_words = static_cast<uint32_t>(program.instructions.size())};
  Reset(model);
  for (Cycle now = 0; now < options.max_cycles && now != options.reset_at; ++now) {
    inputs.start = now == 0;
    inputs.ar_ready = !stall.Percent(options.stall_percent);
    bus.Drive(now, stall.Percent(options.stall_percent), inputs);
    const RtlOutputs outputs = model.Cycle(inputs);
    if (now == 0) continue;
    recorder.Record(now, outputs, run.instructions);
    if (outputs.ar_valid && inputs.ar_ready) bus.Accept(now, outputs);
    if (!outputs.done) continue;
    run.done = true;
    run.cycles = now;
    break;
  }
  inputs.start = false;
  inputs.r_data = nullptr;
  if (run.done) {
    for (int i = 0; i < kSettleCycles; ++i) model.Cycle(inputs);
  }
  return run;
}

}  // namespace cosim::testing
