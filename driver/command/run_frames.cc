// SPDX-License-Identifier: Apache-2.0
// cosim-board run --frames=N: the host prepares and finishes frames while an accelerator runs another.
#include <fmt/format.h>

#include <cstdio>

#include "driver/command/run_parts.h"
#include "driver/frame_devices.h"
#include "runtime/frames.h"

namespace cosim::driver {
namespace {

void PrintFrames(const BoardModule& loaded, const runtime::FramesRun& run, size_t accelerators) {
  runtime::Cycle cycles = 0;
  double on_accelerator = 0;
  for (const runtime::Run& frame : run.frames) {
    cycles += frame.cycles;
    on_accelerator += runtime::SecondsOf(frame, runtime::Stretch::kAccelerator);
  }
  fmt::print("{} on {} ({}), board: {} frames, {} cycles, {:.3f} ms at {:g} MHz\n",
             loaded.module.network.name, loaded.spec.config, loaded.spec.isa, run.frames.size(), cycles,
             static_cast<double>(cycles) / loaded.spec.clock_mhz / 1e3, loaded.spec.clock_mhz);
  const double host = run.cpu_step_seconds + run.copy_seconds,
               meanwhile = run.overlapped_seconds + run.overlapped_copy_seconds;
  fmt::print(
      "measured here: {:.3f} ms from first to last, {:.2f} frames/s; {} accelerator{} {:.3f} ms; host layers "
      "{:.3f} ms and inputs and outputs {:.3f} ms, {:.1f} % of it while their accelerator had another "
      "frame\n",
      1e3 * run.wall_seconds, static_cast<double>(run.frames.size()) / run.wall_seconds, accelerators,
      accelerators == 1 ? "" : "s", 1e3 * on_accelerator, 1e3 * run.cpu_step_seconds, 1e3 * run.copy_seconds,
      host > 0 ? 100 * meanwhile / host : 0);
  if (run.meanwhile)
    fmt::print(
        "by its counters: {} of {} cycles while the host worked on another frame; "
        "{} of {} pieces of that work within one run\n",
        run.meanwhile->cycles, cycles, run.meanwhile->inside_one, run.meanwhile->stretches);
}

}  // namespace

int RunFrames(const BoardModule& loaded, std::vector<OpenBoard>& boards, int frames,
              std::chrono::milliseconds timeout, const Options& options) {
  const runtime::Network& network = loaded.module.network;
  const auto inputs = InputsOf(loaded.module, options);
  if (!inputs) return 1;
  Diagnostics diags;
  const auto devices = MakeFrameDevices(loaded.spec, boards, network.dram_bytes, {.timeout = timeout}, diags);
  if (devices.empty()) return std::fputs(diags.Render().c_str(), stderr), 1;
  const runtime::FramesRun run = runtime::ExecuteFrames(network, loaded.spec, devices, *inputs, frames);
  if (!run.error.empty())
    return Fail(run.error, "`cosim-board selftest` tries the parts one after the other");
  PrintFrames(loaded, run, boards.size());
  std::vector<const Arrays*> outputs;
  for (const runtime::Run& frame : run.frames) outputs.push_back(&frame.outputs);
  return CompareOutputs(loaded.module, outputs, options);
}

}  // namespace cosim::driver
