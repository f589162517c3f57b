// SPDX-License-Identifier: Apache-2.0
// Compilation of each network of the zoo for pynq.yaml: everything between the quantized graph and a network
// that runs.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>

#include "compiler/graph/zoo/zoo.h"
#include "compiler/session/session.h"
#include "isa/spec/loader.h"
#include "runtime/executor.h"

namespace cosim {
namespace {

void Compile(benchmark::State& state, const std::string& network) {
  Diagnostics diags;
  const isa::Spec spec = *isa::LoadSpec("pynq.yaml", "", {}, diags);
  const auto quantized = session::QuantizeFor(spec, network, 1);
  double best = 0;
  for (auto _ : state) {
    const double start = runtime::CpuSeconds();
    benchmark::DoNotOptimize(session::CompileFor(spec, quantized.graph, {}));
    const double seconds = runtime::CpuSeconds() - start;
    state.SetIterationTime(seconds);
    best = best == 0 ? seconds : std::min(best, seconds);
  }
  state.counters["cpu_s"] = best;
}

[[maybe_unused]] const bool registered = [] {
  for (const std::string_view name : graph::zoo::Names())
    benchmark::RegisterBenchmark(("compile/" + std::string(name)).c_str(), Compile, std::string(name))
        ->UseManualTime()
        ->Unit(benchmark::kSecond)
        ->Iterations(3);
  return true;
}();

}  // namespace
}  // namespace cosim
