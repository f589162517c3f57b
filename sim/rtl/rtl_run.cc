// SPDX-License-Identifier: Apache-2.0
// One run, from the start to the counters.
#include "sim/rtl/rtl_run.h"

#include <algorithm>
#include <utility>

#include "isa/check.h"
#include "isa/registers.h"
#include "runtime/read_counters.h"
#include "sim/dram/flat_memory.h"

namespace cosim::sim {
namespace {

namespace registers = isa::registers;

/// Cycles from the start register's write to cycle 0, and more than enough.
constexpr Cycle kStartCycles = 1000;

/// Gives the k-th issue and retirement of a unit to its k-th instruction.
class Recorder {
 public:
  Recorder(const isa::Spec& spec, const isa::Program& program)
      : of_unit_(spec.units.size()),
        issued_(spec.units.size(), 0),
        retired_(spec.units.size(), 0),
        times_(program.instructions.size(), {-1, -1}) {
    for (size_t i = 0; i < program.instructions.size(); ++i)
      of_unit_[spec.formats[program.instructions[i].format].unit].push_back(i);
  }

  void Record(Cycle now, const RtlOutputs& outputs) {
    if ((outputs.issue | outputs.retire) == 0) return;
    for (size_t unit = 0; unit < of_unit_.size(); ++unit) {
      if (outputs.issue >> unit & 1) times_[Next(unit, issued_)].issue = now;
      if (outputs.retire >> unit & 1) times_[Next(unit, retired_)].retire = now;
    }
  }

  std::vector<runtime::InstructionTimes>& times() { return times_; }

 private:
  size_t Next(size_t unit, std::vector<size_t>& count) {
    COSIM_CHECK(count[unit] < of_unit_[unit].size(), "unit {} does more than its instructions", unit);
    return of_unit_[unit][count[unit]++];
  }

  std::vector<std::vector<size_t>> of_unit_;  ///< by unit: positions in the program
  std::vector<size_t> issued_, retired_;      ///< by unit
  std::vector<runtime::InstructionTimes> times_;
};

/// Opens and closes the trace at its cycles.
class Tracer {
 public:
  Tracer(RtlModel& model, const isa::Spec& spec, const RtlTrace& trace)
      : model_(model), trace_(trace), period_(static_cast<uint64_t>(1e6 / spec.clock_mhz)) {}
  ~Tracer() { model_.CloseTrace(); }
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  void After(Cycle now) {
    if (trace_.file.empty()) return;
    if (now == std::max<Cycle>(trace_.from - 1, 0))
      opened_ = model_.OpenTrace(trace_.file.c_str(), static_cast<uint64_t>(now + 1) * period_, period_);
    if (now == trace_.from + trace_.cycles - 1) model_.CloseTrace();
  }

  bool opened() const { return opened_; }

 private:
  RtlModel& model_;
  const RtlTrace& trace_;
  uint64_t period_;  ///< in picoseconds
  bool opened_ = false;
};

std::string ErrorText(uint32_t error) {
#define COSIM_TEXT(name, code, doc) \
  if (error == (code)) return doc;
  COSIM_REGISTER_ERRORS(COSIM_TEXT)
#undef COSIM_TEXT
  return "an error without a name";
}

runtime::Counters CountersOf(RtlBench& bench, const isa::Spec& spec) {
  runtime::Counters counters =
      runtime::ReadCounters(spec, [&](uint32_t offset) { return bench.ReadRegister(offset); });
  if (!counters.completed)
    counters.error = "the accelerator reports: " + ErrorText(bench.ReadRegister(registers::kError));
  return counters;
}

}  // namespace

RtlRun RunRtl(RtlBench& bench, const isa::Spec& spec, const isa::Program& program,
              const RtlRunOptions& options) {
  RtlRun run;
  Recorder recorder(spec, program);
  Tracer tracer(bench.model(), spec, options.trace);
  bench.stall = options.stall;
  if (options.reset) bench.Reset();
  bench.observe = [&](Cycle now, const RtlOutputs& outputs) {
    recorder.Record(now, outputs);
    if (outputs.done && !run.done) run.cycles = now;
    run.done |= outputs.done;
    tracer.After(now);
  };
  bench.WriteRegister(registers::kWatchdog, 0);  // this memory always answers
  bench.Start(program.code_address, program.instructions.size());
  const Cycle end = options.reset_at >= 0 ? options.reset_at : options.max_cycles;
  for (Cycle waited = 0; !run.done && bench.now() < end && (bench.now() >= 0 || waited < kStartCycles);
       ++waited)
    run.done |= bench.Clock().done;
  run.traced = tracer.opened();
  run.instructions = std::move(recorder.times());
  if (run.done && bench.WaitUntilIdle(options.max_cycles)) run.counters = CountersOf(bench, spec);
  bench.observe = nullptr;
  return run;
}

RtlRun RunRtl(RtlModel& model, const isa::Spec& spec, const isa::Program& program, std::vector<uint8_t> dram,
              MemoryTiming& timing, const RtlRunOptions& options) {
  FlatMemory memory(dram);
  RtlBench bench(model, spec, memory, timing);
  RtlRun run = RunRtl(bench, spec, program, options);
  run.dram = std::move(dram);
  return run;
}

}  // namespace cosim::sim
