// SPDX-License-Identifier: Apache-2.0
// The clock loop: bus, start, and the record of issues and retirements.
#include "sim/rtl/rtl_run.h"

#include <deque>
#include <span>
#include <utility>

#include "isa/check.h"

namespace cosim::sim {
namespace {

using runtime::Cycle;

/// Cycles after done until the last element is written on chip, and more than enough.
constexpr int kSettleCycles = 16;
constexpr int kResetCycles = 8;
/// The address is on the bus one cycle after the read port accepted it.
constexpr Cycle kAcceptToBus = 1;
/// A beat is on the bus two cycles after it leaves, in the timing page's words.
constexpr Cycle kLeaveToBus = 2;

/// The far end of the read channels: takes addresses, gives data in order when the timing says so.
class ReadBus {
 public:
  ReadBus(const isa::Spec& spec, std::span<const uint8_t> dram, MemoryTiming& timing)
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
    const Burst burst{outputs.ar_address, outputs.ar_beats};
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
  MemoryTiming& timing_;
  std::deque<Pending> bursts_;
};

/// The far end of the write channels: takes bursts and their data, writes what the strobes say, and responds
/// in order.
class WriteBus {
 public:
  WriteBus(const isa::Spec& spec, std::span<uint8_t> dram, MemoryTiming& timing)
      : beat_bytes_(spec.dram.beat_bytes()), dram_(dram), timing_(timing) {}

  void Drive(Cycle now, bool stalled, RtlInputs& inputs) {
    inputs.b_valid = !stalled && !responses_.empty() && now >= responses_.front();
    if (inputs.b_valid) responses_.pop_front();
  }

  void AcceptAddress(const RtlOutputs& outputs) {
    bursts_.push_back({outputs.aw_address, outputs.aw_beats, outputs.aw_address, outputs.aw_beats});
    Match();
  }

  /// Data may come before their address.
  void AcceptBeat(Cycle now, const RtlOutputs& outputs) {
    beats_.push_back({now, {outputs.w_data, outputs.w_data + beat_bytes_}, outputs.w_strobe, outputs.w_last});
    Match();
  }

 private:
  struct Pending {
    uint64_t address;
    int beats;
    uint64_t next;
    int left;
  };
  struct Beat {
    Cycle at;
    std::vector<uint8_t> bytes;
    uint64_t strobe;
    bool last;
  };

  void Match() {
    for (; !bursts_.empty() && !beats_.empty(); beats_.pop_front()) {
      Pending& burst = bursts_.front();
      const Beat& beat = beats_.front();
      COSIM_CHECK(burst.next + beat_bytes_ <= dram_.size(), "a write of byte {} of {}", burst.next,
                  dram_.size());
      COSIM_CHECK(beat.last == (burst.left == 1), "the last beat is marked wrongly");
      for (uint64_t i = 0; i < beat_bytes_; ++i) {
        if (beat.strobe >> i & 1) dram_[burst.next + i] = beat.bytes[i];
      }
      burst.next += beat_bytes_;
      if (--burst.left > 0) continue;
      responses_.push_back(timing_.WriteResponse(beat.at - kLeaveToBus, {burst.address, burst.beats}));
      COSIM_CHECK(responses_.back() > beat.at, "a response before its data");
      bursts_.pop_front();
    }
  }

  uint64_t beat_bytes_;
  std::span<uint8_t> dram_;
  MemoryTiming& timing_;
  std::deque<Pending> bursts_;
  std::deque<Beat> beats_;
  std::deque<Cycle> responses_;
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

RtlRun RunRtl(RtlModel& model, const isa::Spec& spec, const isa::Program& program, std::vector<uint8_t> dram,
              MemoryTiming& timing, const RtlRunOptions& options) {
  timing.Reset();
  RtlRun run;
  run.dram = std::move(dram);
  run.instructions.assign(program.instructions.size(), {-1, -1});
  ReadBus reads(spec, run.dram, timing);
  WriteBus writes(spec, run.dram, timing);
  Recorder recorder(spec, program);
  const auto stall = [&] { return options.stall && options.stall(); };
  RtlInputs inputs{.code_address = static_cast<uint32_t>(program.code_address),
                   .code_words = static_cast<uint32_t>(program.instructions.size())};
  Reset(model);
  for (Cycle now = 0; now < options.max_cycles && now != options.reset_at; ++now) {
    inputs.start = now == 0;
    inputs.ar_ready = !stall();
    inputs.aw_ready = !stall();
    inputs.w_ready = !stall();
    reads.Drive(now, stall(), inputs);
    writes.Drive(now, stall(), inputs);
    const RtlOutputs outputs = model.Cycle(inputs);
    if (now == 0) continue;
    recorder.Record(now, outputs, run.instructions);
    if (outputs.ar_valid && inputs.ar_ready) reads.Accept(now, outputs);
    if (outputs.aw_valid && inputs.aw_ready) writes.AcceptAddress(outputs);
    if (outputs.w_valid && inputs.w_ready) writes.AcceptBeat(now, outputs);
    if (!outputs.done) continue;
    run.done = true;
    run.cycles = now;
    break;
  }
  inputs = {};
  if (run.done) {
    for (int i = 0; i < kSettleCycles; ++i) model.Cycle(inputs);
  }
  return run;
}

}  // namespace cosim::sim
