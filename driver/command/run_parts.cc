// SPDX-License-Identifier: Apache-2.0
#include "driver/command/run_parts.h"

#include <fmt/format.h>

#include <cstdio>
#include <numeric>

#include "driver/command/places.h"

namespace cosim::driver {

size_t Differing(const Arrays& is, const Arrays& want) {
  size_t count = 0;
  for (size_t i = 0; i < is.size(); ++i)
    for (size_t k = 0; k < is[i].size(); ++k) count += is[i][k] != want[i][k];
  return count;
}

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::optional<std::vector<Arrays>> InputsOf(const runtime::Module& module, const Options& options) {
  if (!options.Has("input")) {
    std::vector<Arrays> inputs;
    for (const runtime::Sample& sample : module.samples) inputs.push_back(sample.inputs);
    if (!inputs.empty()) return inputs;
    return Fail("the module has no sample, and there is no --input"), std::nullopt;
  }
  const auto bytes = ReadFileOrFail(options["input"]);
  if (!bytes) return std::nullopt;
  Arrays inputs;
  uint64_t at = 0;
  for (const runtime::Place& place : module.network.inputs) {
    const uint64_t size = place.plain_bytes;
    if (size <= bytes->size() - at)
      inputs.emplace_back(bytes->begin() + static_cast<int64_t>(at),
                          bytes->begin() + static_cast<int64_t>(at + size));
    at += size;
    if (at > bytes->size()) break;
  }
  if (at == bytes->size()) return std::vector<Arrays>{inputs};
  return Fail(fmt::format("{} has {} bytes, and the inputs take {}{}", options["input"], bytes->size(),
                          at > bytes->size() ? "more, at least " : "", at)),
         std::nullopt;
}

void PrintLedger(const std::vector<runtime::LedgerRow>& ledger) {
  for (const runtime::LedgerRow& row : ledger)
    fmt::print("  {:<8} busy {}, wait_push {}, wait_token {}, wait_port {}, wait_memory {}, idle {}\n",
               row.unit, row.busy, row.wait_push,
               std::accumulate(row.wait_token.begin(), row.wait_token.end(), int64_t{0}), row.wait_port,
               row.wait_memory, row.idle);
}

void LoadOnto(runtime::Device& device, const runtime::Network& network) {
  const double begin = Now();
  runtime::LoadPrograms(device, network);
  uint64_t bytes = 0;
  for (const auto& step : network.steps)
    if (const auto* program = std::get_if<runtime::AcceleratorStep>(&step))
      for (const isa::Segment& segment : program->program.segments) bytes += segment.bytes.size();
  fmt::print("programs: {} bytes, loaded once in {:.3f} ms\n", bytes, 1e3 * (Now() - begin));
}

int CompareOutputs(const runtime::Module& module, const std::vector<const Arrays*>& frames,
                   const Options& options) {
  size_t bytes = 0, differing = 0;
  for (size_t f = 0; f < frames.size(); ++f) {
    for (const auto& output : *frames[f]) bytes += output.size();
    if (!options.Has("input"))
      differing += Differing(*frames[f], module.samples[f % module.samples.size()].outputs);
  }
  if (options.Has("input"))
    fmt::print("outputs: {} bytes, not checked: the module has golden outputs for its own inputs only\n",
               bytes);
  else
    fmt::print("outputs: {} bytes, {} differ from the golden outputs stored in the module\n", bytes,
               differing);
  return differing == 0 ? 0 : 1;
}

}  // namespace cosim::driver
