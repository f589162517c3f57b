// SPDX-License-Identifier: Apache-2.0
// cosim-board run: a module on the accelerator; outputs checked, cycles and seconds told apart.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>

#include "driver/board_device.h"
#include "driver/command/command.h"
#include "driver/command/places.h"
#include "driver/command/run_parts.h"

namespace cosim::driver {
namespace {

using std::chrono::milliseconds;

void PrintTimes(const BoardModule& loaded, const runtime::Run& run, double seconds) {
  const double cycles = static_cast<double>(run.cycles),
               accelerator = runtime::SecondsOf(run, runtime::Stretch::kAccelerator);
  fmt::print("{} on {} ({}), board: {} cycles, {:.3f} ms at {:g} MHz\n", loaded.module.network.name,
             loaded.spec.config, loaded.spec.isa, run.cycles, cycles / loaded.spec.clock_mhz / 1e3,
             loaded.spec.clock_mhz);
  PrintLedger(run.ledger);
  fmt::print(
      "measured here: {:.3f} ms in all: accelerator {:.3f}, host layers {:.3f}, copies {:.3f}, the rest "
      "{:.3f}\n",
      1e3 * seconds, 1e3 * accelerator, 1e3 * run.cpu_seconds, 1e3 * run.copy_seconds,
      1e3 * (seconds - accelerator - run.cpu_seconds - run.copy_seconds));
}

bool WriteOutputs(const runtime::Run& run, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  for (const auto& output : run.outputs)
    file.write(reinterpret_cast<const char*>(output.data()), static_cast<std::streamsize>(output.size()));
  file.close();
  return file ? true : (Fail(fmt::format("{} cannot be written", path)), false);
}

int RunRepeatedly(const BoardModule& loaded, OpenBoard& board, int64_t repeat, milliseconds timeout,
                  const Options& options) {
  const runtime::Network& network = loaded.module.network;
  const auto inputs = InputsOf(loaded.module, options);
  if (!inputs) return 1;
  BoardDevice device(loaded.spec, *board.registers, *board.memory,
                     {.timeout = timeout, .clock_mhz = board.clock_mhz});
  Diagnostics diags;
  if (!device.Check(network.dram_bytes, diags)) return std::fputs(diags.Render().c_str(), stderr), 1;
  LoadOnto(device, network);
  for (int64_t i = 0; i < repeat; ++i) {
    const double begin = Now();
    const runtime::Run run = runtime::Execute(network, loaded.spec, device, inputs->front(), false, nullptr,
                                              runtime::Programs::kLoaded);
    const double seconds = Now() - begin;
    if (!run.completed) return Fail(run.error, "`cosim-board selftest` tries the parts one after the other");
    PrintTimes(loaded, run, seconds);
    if (options.Has("output") && !WriteOutputs(run, options["output"])) return 1;
    if (const int status = CompareOutputs(loaded.module, {&run.outputs}, options); status != 0) return status;
  }
  return 0;
}

}  // namespace

int RunVerb(const Arguments& arguments) {
  const auto options = Options::Parse(arguments,
                                      WithPlaces({{"input", ""},
                                                  {"output", ""},
                                                  {"repeat", "1"},
                                                  {"frames", "1"},
                                                  {"timeout", "10000"},
                                                  {"trust", ""}}),
                                      1);
  if (!options) return 1;
  if (options->words().empty()) return Fail("which module to run is missing");
  const auto repeat = options->Number("repeat", 1), timeout = options->Number("timeout", 1),
             frames = options->Number("frames", 1);
  if (!repeat || !timeout || !frames) return 1;
  for (const char* other : {"repeat", "output"})
    if (options->Has("frames") && options->Has(other))
      return Fail(fmt::format("--{}: not with frames in flight", other), "leave out --frames");
  if (*frames > kMostFrames) return Fail(fmt::format("--frames: at most {}", kMostFrames));
  Refusal refusal;
  const auto loaded = ReadBoardModule(options->words()[0], options->Has("trust"), refusal);
  if (!loaded) return Fail(refusal.message, refusal.hint);
  auto boards = OpenAllOrFail(*options);
  if (boards.empty()) return 1;
  if (options->Has("frames"))
    return RunFrames(*loaded, boards, static_cast<int>(*frames), milliseconds{*timeout}, *options);
  if (boards.size() > 1)
    return Fail("several accelerators have nothing to do with a frame at a time", "--frames=N");
  return RunRepeatedly(*loaded, boards.front(), *repeat, milliseconds{*timeout}, *options);
}

}  // namespace cosim::driver
