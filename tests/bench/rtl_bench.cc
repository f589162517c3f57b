// SPDX-License-Identifier: Apache-2.0
// The RTL under Verilator: what a model costs to build, and how many cycles of a whole resnet18 it runs per
// second of CPU.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "sim/rtl/rtl_device.h"
#include "sim/rtl/rtl_library.h"
#include "tests/bench/resnet18.h"

namespace cosim {
namespace {

double ChildSeconds() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// From nothing: no model in the cache, no object in the compiler's.
void BuildModel(benchmark::State& state) {
  namespace fs = std::filesystem;
  const char* before = std::getenv("XDG_CACHE_HOME");
  const std::string cache = before ? before : "";
  for (auto _ : state) {
    const fs::path empty = fs::temp_directory_path() / ("cosim_bench." + std::to_string(getpid()));
    setenv("XDG_CACHE_HOME", empty.c_str(), 1);
    setenv("CCACHE_DISABLE", "1", 1);
    Diagnostics diags;
    const double start = ChildSeconds();
    if (!sim::BuildRtl(bench::Resnet18().spec, {}, diags)) state.SkipWithError("the RTL does not build");
    const double seconds = ChildSeconds() - start;
    state.SetIterationTime(seconds);
    state.counters["cpu_s"] = seconds;
    unsetenv("CCACHE_DISABLE");
    cache.empty() ? unsetenv("XDG_CACHE_HOME") : setenv("XDG_CACHE_HOME", cache.c_str(), 1);
    fs::remove_all(empty);
  }
}

void RunModel(benchmark::State& state) {
  const bench::Compiled& compiled = bench::Resnet18();
  Diagnostics diags;
  const auto library = sim::BuildRtl(compiled.spec, {}, diags);
  if (!library) return state.SkipWithError("the RTL does not build");
  double cycles = 0, seconds = 0;
  for (auto _ : state) {
    sim::RtlDevice device(compiled.spec, *library);
    const auto run = runtime::Execute(compiled.network, compiled.spec, device, compiled.inputs, false);
    if (!run.completed) return state.SkipWithError(run.error.c_str());
    cycles += static_cast<double>(run.cycles);
    seconds += run.simulate_seconds;
    state.SetIterationTime(run.simulate_seconds);
  }
  state.counters["cycles_per_s"] = cycles / seconds;
}

BENCHMARK(BuildModel)->Name("rtl/build/pynq")->UseManualTime()->Unit(benchmark::kSecond)->Iterations(1);
BENCHMARK(RunModel)->Name("rtl/resnet18")->UseManualTime()->Unit(benchmark::kSecond)->Iterations(1);

}  // namespace
}  // namespace cosim
