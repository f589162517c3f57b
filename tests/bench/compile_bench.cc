// SPDX-License-Identifier: Apache-2.0
// Compilation of resnet18 for pynq.yaml: everything between the quantized graph and a network that runs.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "compiler/session/session.h"
#include "isa/loader.h"
#include "runtime/executor.h"

namespace cosim {
namespace {

void CompileResnet18(benchmark::State& state) {
  Diagnostics diags;
  const isa::Spec spec = *isa::LoadSpec("pynq.yaml", "", {}, diags);
  const auto quantized = session::QuantizeFor(spec, "resnet18", 1);
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

BENCHMARK(CompileResnet18)
    ->Name("compile/resnet18")
    ->UseManualTime()
    ->Unit(benchmark::kSecond)
    ->Iterations(3);

}  // namespace
}  // namespace cosim
