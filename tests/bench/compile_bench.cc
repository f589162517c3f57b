// SPDX-License-Identifier: Apache-2.0
// Quantization and compilation of each network of the zoo for pynq.yaml: making and calibrating it, and
// everything between the quantized graph and a network that runs.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>

#include "compiler/graph/zoo/zoo.h"
#include "compiler/session/session.h"
#include "isa/spec/loader.h"
#include "runtime/executor.h"

namespace cosim {
namespace {

isa::Spec Pynq() {
  Diagnostics diags;
  return *isa::LoadSpec("pynq.yaml", "", {}, diags);
}

/// The counter is the least of all rounds.
template <typename F>
void TimeCpu(benchmark::State& state, F step) {
  double best = 0;
  for (auto _ : state) {
    const double start = runtime::CpuSeconds();
    step();
    const double seconds = runtime::CpuSeconds() - start;
    state.SetIterationTime(seconds);
    best = best == 0 ? seconds : std::min(best, seconds);
  }
  state.counters["cpu_s"] = best;
}

void Quantize(benchmark::State& state, const std::string& network) {
  const isa::Spec spec = Pynq();
  TimeCpu(state, [&] { benchmark::DoNotOptimize(session::QuantizeFor(spec, network, 1)); });
}

void Compile(benchmark::State& state, const std::string& network) {
  const isa::Spec spec = Pynq();
  const auto quantized = session::QuantizeFor(spec, network, 1);
  TimeCpu(state, [&] { benchmark::DoNotOptimize(session::CompileFor(spec, quantized.graph, {})); });
}

[[maybe_unused]] const bool registered = [] {
  const auto add = [](const std::string& step, auto run, const std::string& name) {
    // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): benchmark keeps what it registers
    benchmark::RegisterBenchmark((step + "/" + name).c_str(), run, name)
        ->UseManualTime()
        ->Unit(benchmark::kSecond)
        ->Iterations(3);
  };
  for (const std::string_view name : graph::zoo::Names()) {
    add("quantize", Quantize, std::string(name));
    add("compile", Compile, std::string(name));
  }
  return true;
}();

}  // namespace
}  // namespace cosim
