// SPDX-License-Identifier: Apache-2.0
// run_functional M.cosim [INPUTS]: a module's samples, and then the file INPUTS, on the functional device of
// this machine, which may be QEMU's user mode for a board's processor. Prints outputs as numbers of 8 bits,
// and how many bytes of the samples' differ from the golden ones.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "driver/board_module.h"
#include "isa/check.h"
#include "runtime/executor.h"
#include "sim/functional/functional_device.h"

namespace cosim::board {
namespace {

using Arrays = std::vector<std::vector<uint8_t>>;

/// All inputs one after the other.
Arrays ReadInputs(const std::string& path, const runtime::Network& network) {
  std::ifstream file(path, std::ios::binary);
  Arrays inputs;
  for (const runtime::Place& place : network.inputs) {
    inputs.emplace_back(place.bytes);
    file.read(reinterpret_cast<char*>(inputs.back().data()), static_cast<std::streamsize>(place.bytes));
  }
  COSIM_CHECK(file.good(), "{} cannot be read, or is too short", path);
  return inputs;
}

size_t Differing(const Arrays& is, const Arrays& want) {
  size_t count = 0;
  for (size_t i = 0; i < is.size(); ++i)
    for (size_t k = 0; k < is[i].size(); ++k) count += is[i][k] != want[i][k];
  return count;
}

int Main(const std::vector<std::string>& arguments) {
  COSIM_CHECK(arguments.size() == 1 || arguments.size() == 2, "usage: run_functional M.cosim [INPUTS]");
  driver::Refusal refusal;
  const auto loaded = driver::ReadBoardModule(arguments[0], /*trust=*/true, refusal);
  if (!loaded) return fmt::print("{}\n", refusal.message), 1;
  const runtime::Network& network = loaded->module.network;
  sim::FunctionalDevice device(loaded->spec);
  const auto outputs_of = [&](const Arrays& inputs) {
    runtime::Run run = runtime::Execute(network, loaded->spec, device, inputs, false);
    COSIM_CHECK(run.completed, "{}", run.error);
    for (const auto& output : run.outputs) {
      const std::span numbers(reinterpret_cast<const int8_t*>(output.data()), output.size());
      fmt::print("[{}]\n", fmt::join(numbers, ", "));
    }
    return std::move(run.outputs);
  };
  size_t differing = 0;
  for (const runtime::Sample& sample : loaded->module.samples)
    differing += Differing(outputs_of(sample.inputs), sample.outputs);
  fmt::print("{} differ from the golden outputs stored in the module\n", differing);
  if (arguments.size() == 2) outputs_of(ReadInputs(arguments[1], network));
  return differing == 0 ? 0 : 1;
}

}  // namespace
}  // namespace cosim::board

int main(int argc, char** argv) { return cosim::board::Main({argv + 1, argv + argc}); }
