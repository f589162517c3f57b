// SPDX-License-Identifier: Apache-2.0
// cosim-board run: a module on the accelerator; outputs checked, cycles and seconds told apart.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <numeric>

#include "driver/board_device.h"
#include "driver/board_module.h"
#include "driver/command/command.h"
#include "driver/command/places.h"
#include "runtime/executor.h"

namespace cosim::driver {
namespace {

using Arrays = std::vector<std::vector<uint8_t>>;

/// The first sample's, or those of the file: all inputs one after the other.
std::optional<Arrays> InputsOf(const runtime::Module& module, const Options& options) {
  if (!options.Has("input")) {
    if (!module.samples.empty()) return module.samples[0].inputs;
    return Fail("the module has no sample, and there is no --input"), std::nullopt;
  }
  const auto bytes = ReadFileOrFail(options["input"]);
  if (!bytes) return std::nullopt;
  Arrays inputs;
  uint64_t at = 0;
  for (const runtime::Place& place : module.network.inputs) {
    if (place.bytes <= bytes->size() - at)
      inputs.emplace_back(bytes->begin() + static_cast<int64_t>(at),
                          bytes->begin() + static_cast<int64_t>(at + place.bytes));
    at += place.bytes;
    if (at > bytes->size()) break;
  }
  if (at == bytes->size()) return inputs;
  return Fail(fmt::format("{} has {} bytes, and the inputs take {}{}", options["input"], bytes->size(),
                          at > bytes->size() ? "more, at least " : "", at)),
         std::nullopt;
}

void PrintLedger(const runtime::Run& run) {
  for (const runtime::LedgerRow& row : run.ledger)
    fmt::print("  {:<8} busy {}, wait_push {}, wait_token {}, wait_port {}, wait_memory {}, idle {}\n",
               row.unit, row.busy, row.wait_push,
               std::accumulate(row.wait_token.begin(), row.wait_token.end(), int64_t{0}), row.wait_port,
               row.wait_memory, row.idle);
}

void PrintTimes(const BoardModule& loaded, const runtime::Run& run, double seconds) {
  const double cycles = static_cast<double>(run.cycles), accelerator = runtime::SecondsOfSteps(run, true);
  fmt::print("{} on {} ({}), board: {} cycles, {:.3f} ms at {:g} MHz\n", loaded.module.network.name,
             loaded.spec.config, loaded.spec.isa, run.cycles, cycles / loaded.spec.clock_mhz / 1e3,
             loaded.spec.clock_mhz);
  PrintLedger(run);
  fmt::print(
      "measured here: {:.3f} ms in all: accelerator {:.3f}, host layers {:.3f}, copies and the rest {:.3f}\n",
      1e3 * seconds, 1e3 * accelerator, 1e3 * run.cpu_seconds,
      1e3 * (seconds - accelerator - run.cpu_seconds));
}

/// The number of bytes that differ. Floats have a tolerance, which only `cosim run` knows how to apply.
size_t Differing(const Arrays& is, const Arrays& want) {
  size_t count = 0;
  for (size_t i = 0; i < is.size(); ++i)
    for (size_t k = 0; k < is[i].size(); ++k) count += is[i][k] != want[i][k];
  return count;
}

int Compare(const BoardModule& loaded, const runtime::Run& run, const Options& options) {
  size_t bytes = 0;
  for (const auto& output : run.outputs) bytes += output.size();
  if (options.Has("input")) {
    fmt::print("outputs: {} bytes, not checked: the module has golden outputs for its own inputs only\n",
               bytes);
    return 0;
  }
  const size_t differing = Differing(run.outputs, loaded.module.samples[0].outputs);
  fmt::print("outputs: {} bytes, {} differ from the golden outputs stored in the module\n", bytes, differing);
  return differing == 0 ? 0 : 1;
}

bool WriteOutputs(const runtime::Run& run, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  for (const auto& output : run.outputs)
    file.write(reinterpret_cast<const char*>(output.data()), static_cast<std::streamsize>(output.size()));
  file.close();
  return file ? true : (Fail(fmt::format("{} cannot be written", path)), false);
}

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

int RunVerb(const Arguments& arguments) {
  const auto options = Options::Parse(
      arguments,
      WithPlaces({{"input", ""}, {"output", ""}, {"repeat", "1"}, {"timeout", "10000"}, {"trust", ""}}), 1);
  if (!options) return 1;
  if (options->words().empty()) return Fail("which module to run is missing");
  const auto repeat = options->Number("repeat", 1), timeout = options->Number("timeout", 1);
  if (!repeat || !timeout) return 1;
  Refusal refusal;
  const auto loaded = ReadBoardModule(options->words()[0], options->Has("trust"), refusal);
  if (!loaded) return Fail(refusal.message, refusal.hint);
  const auto inputs = InputsOf(loaded->module, *options);
  if (!inputs) return 1;
  const auto board = OpenOrFail(*options);
  if (!board) return 1;
  BoardDevice device(loaded->spec, *board->registers, *board->memory,
                     {.timeout = std::chrono::milliseconds{*timeout}});
  Diagnostics diags;
  if (!device.Check(loaded->module.network.dram_bytes, diags))
    return std::fputs(diags.Render().c_str(), stderr), 1;
  for (int64_t i = 0; i < *repeat; ++i) {
    const double begin = Now();
    const runtime::Run run = runtime::Execute(loaded->module.network, loaded->spec, device, *inputs, false);
    const double seconds = Now() - begin;
    if (!run.completed) return Fail(run.error, "`cosim-board selftest` tries the parts one after the other");
    PrintTimes(*loaded, run, seconds);
    if (options->Has("output") && !WriteOutputs(run, (*options)["output"])) return 1;
    if (const int status = Compare(*loaded, run, *options); status != 0) return status;
  }
  return 0;
}

}  // namespace cosim::driver
