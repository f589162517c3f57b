// SPDX-License-Identifier: Apache-2.0
// The simulators on a whole resnet18, compiled once: cycles of the accelerator simulated per second of CPU,
// at each SIMD level and timing only.
#include <benchmark/benchmark.h>

#include <string>

#include "compiler/graph/zoo/zoo.h"
#include "compiler/session/session.h"
#include "isa/loader.h"
#include "sim/cycle/cycle_device.h"

namespace cosim {
namespace {

struct Compiled {
  isa::Spec spec;
  runtime::Network network;
  std::vector<std::vector<uint8_t>> inputs;
};

const Compiled& Resnet18() {
  static const Compiled compiled = [] {
    Diagnostics diags;
    Compiled c;
    c.spec = *isa::LoadSpec("pynq.yaml", "", {}, diags);
    const auto quantized = session::QuantizeFor(c.spec, "resnet18", 1);
    c.network = session::CompileFor(c.spec, quantized.graph, {});
    for (const auto& place : c.network.inputs) c.inputs.emplace_back(place.bytes, 17);
    return c;
  }();
  return compiled;
}

void Simulate(benchmark::State& state, sim::SimdLevel level, bool timing_only) {
  const Compiled& compiled = Resnet18();
  double cycles = 0;
  for (auto _ : state) {
    sim::CycleDevice device(compiled.spec, level);
    const auto run = runtime::Execute(compiled.network, compiled.spec, device, compiled.inputs, timing_only);
    cycles += static_cast<double>(run.cycles);
    state.SetIterationTime(run.simulate_seconds);
  }
  state.counters["cycles_per_s"] = benchmark::Counter(cycles, benchmark::Counter::kIsRate);
}

const bool registered = [] {
  for (const sim::SimdLevel level : sim::kSimdLevels) {
    if (!IsSupported(level)) continue;
    benchmark::RegisterBenchmark(("simulate/resnet18/" + std::string(SimdLevelName(level))).c_str(), Simulate,
                                 level, false)
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
