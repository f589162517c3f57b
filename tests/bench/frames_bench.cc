// SPDX-License-Identifier: Apache-2.0
// Frames of resnet18 on one or two simulated accelerators at a time, as `cosim run --frames --jobs` does it:
// frames a second of wall time, and CPU seconds that simulating a frame takes, which more threads should
// leave as they are.
#include <benchmark/benchmark.h>

#include <memory>

#include "runtime/frames.h"
#include "sim/cycle/cycle_device.h"
#include "tests/bench/resnet18.h"

namespace cosim {
namespace {

constexpr int kFrames = 16;

void Frames(benchmark::State& state) {
  const auto jobs = static_cast<int>(state.range(0));
  const bench::Compiled& compiled = bench::Resnet18();
  const std::vector<runtime::FrameInputs> inputs = {compiled.inputs};
  double wall = 0, simulate = 0, frames = 0;
  for (auto _ : state) {
    std::vector<std::unique_ptr<runtime::Device>> devices;
    for (int i = 0; i < jobs * runtime::kFramesInFlight; ++i)
      devices.push_back(std::make_unique<sim::CycleDevice>(compiled.spec));
    const auto run = runtime::ExecuteFrames(compiled.network, compiled.spec, devices, inputs, kFrames);
    if (!run.error.empty()) return state.SkipWithError(run.error.c_str());
    for (const runtime::Run& frame : run.frames) simulate += frame.simulate_seconds;
    wall += run.wall_seconds;
    frames += kFrames;
    state.SetIterationTime(run.wall_seconds);
  }
  state.counters["frames_per_s"] = frames / wall;
  state.counters["simulate_s"] = simulate / frames;
}

BENCHMARK(Frames)->Name("frames")->Arg(1)->Arg(2)->UseManualTime()->Unit(benchmark::kSecond)->Iterations(3);

}  // namespace
}  // namespace cosim
