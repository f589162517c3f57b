// SPDX-License-Identifier: Apache-2.0
// One run, from the start to the counters.
#include "sim/rtl/rtl_run.h"

#include <algorithm>
#include <utility>

#include "isa/check.h"
#include "isa/spec/registers.h"
#include "runtime/read_counters.h"
#include "sim/dram/flat_memory.h"
#include "sim/rtl/recorder.h"

namespace cosim::sim {
namespace {

namespace registers = isa::registers;

/// Cycles from the start register's write to cycle 0, and more than enough.
constexpr Cycle kStartCycles = 1000;

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

}  // namespace

RtlRun RunRtl(RtlBench& bench, const isa::Spec& spec, const isa::Program& program,
              const RtlRunOptions& options) {
  RtlRun run;
  Recorder recorder(spec, program);
  Tracer tracer(bench.model(), spec, options.trace);
  bench.stall = options.stall;
  if (options.reset) bench.Reset();
  bool began = false;  // until then, the pins tell of the run before
  bench.observe = [&](Cycle now, const RtlOutputs& outputs) {
    began |= outputs.start;
    if (!began || run.done) return;
    recorder.Record(now, outputs);
    run.done = outputs.done;
    run.cycles = now;
    tracer.After(now);
  };
  bench.WriteRegister(registers::kWatchdog, 0);  // this memory always answers
  bench.Start(program.code_address, program.instructions.size());
  const Cycle end = options.reset_at >= 0 ? options.reset_at : options.max_cycles;
  for (Cycle waited = 0; !run.done && (began ? bench.now() < end : waited < kStartCycles); ++waited)
    run.done |= bench.Clock().done;
  if (run.done && bench.WaitUntilIdle(options.max_cycles)) {
    run.counters = runtime::ReadCounters(spec, [&](uint32_t offset) { return bench.ReadRegister(offset); });
  } else {
    run.counters.error = "the RTL is not done";
  }
  run.instructions = std::move(recorder.times());
  run.traced = tracer.opened();
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
