// SPDX-License-Identifier: Apache-2.0
// The simulators on a whole resnet18, compiled once: cycles of the accelerator simulated per second of CPU,
// at each SIMD level and timing only.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>

#include "sim/cycle/cycle_device.h"
#include "tests/bench/resnet18.h"

namespace cosim {
namespace {

void Simulate(benchmark::State& state, sim::SimdLevel level, bool timing_only) {
  const bench::Compiled& compiled = bench::Resnet18();
  double best = 0;  // other work on the machine only ever adds time
  for (auto _ : state) {
    sim::CycleDevice device(compiled.spec, level);
    const auto run = runtime::Execute(compiled.network, compiled.spec, device, compiled.inputs, timing_only);
    best = std::max(best, static_cast<double>(run.cycles) / run.simulate_seconds);
    state.SetIterationTime(run.simulate_seconds);
  }
  state.counters["cycles_per_s"] = best;
}

const bool registered = [] {
  for (const sim::SimdLevel level : sim::kSimdLevels) {
    if (!IsSupported(level)) continue;
    const bool is_best = level == sim::BestSimdLevel();
    const std::string name = is_best ? "best" : std::string(SimdLevelName(level));
    benchmark::RegisterBenchmark(("simulate/resnet18/" + name).c_str(), Simulate, level, false)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RegisterBenchmark("simulate/resnet18/timing_only", Simulate, sim::BestSimdLevel(), true)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace cosim
