// SPDX-License-Identifier: Apache-2.0
#include "cli/page/timeline.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "cli/page/packed.h"
#include "runtime/layer_windows.h"
#include "sim/cycle/timing_engine.h"

namespace cosim::cli {
namespace {

using Json = nlohmann::ordered_json;
using runtime::Cycle;

/// The flights of one unit.
struct Track {
  PackedNumbers numbers;
  int64_t count = 0, last_index = 0, last_issue = 0, last_layer = 0;

  void Add(int64_t index, Cycle issue, Cycle retire, int64_t layer, int format) {
    numbers.Add(static_cast<uint64_t>(index - last_index));
    numbers.Add(static_cast<uint64_t>(issue - last_issue));
    numbers.Add(static_cast<uint64_t>(retire + 1 - issue));
    numbers.AddSigned(layer - last_layer);
    numbers.Add(static_cast<uint64_t>(format));
    last_index = index;
    last_issue = issue;
    last_layer = layer;
    ++count;
  }
};

size_t Instructions(const runtime::Network& network) {
  size_t sum = 0;
  for (const auto& step : network.steps)
    if (const auto* accelerator = std::get_if<runtime::AcceleratorStep>(&step))
      sum += accelerator->program.instructions.size();
  return sum;
}

}  // namespace

std::optional<Json> TimelineJson(const isa::Spec& spec, const runtime::Network& network, std::string& error) {
  Json json = {{"cycles", 0},
               {"programs", Json::array()},
               {"formats", Json::array()},
               {"layers", Json::array()},
               {"units", Json::array()}};
  std::vector<Track> tracks(spec.units.size());
  const bool in_full = Instructions(network) <= kMostInstructions;
  Cycle begin = 0;
  int64_t first = 0;
  for (const auto& step : network.steps) {
    const auto* accelerator = std::get_if<runtime::AcceleratorStep>(&step);
    if (!accelerator) continue;
    const auto program = sim::DecodeAll(spec, accelerator->program);
    const auto counters = sim::TimingEngine(spec).Run(program, accelerator->program.code_address,
                                                      {.record_instructions = true});
    if (!counters.completed) return error = counters.error, std::nullopt;
    json["programs"].push_back(begin);
    for (const auto& window :
         runtime::LayerWindows(accelerator->layer_of, program, counters.instructions, counters.cycles))
      json["layers"].push_back({window.layer, begin + window.begin, begin + window.end});
    for (size_t i = 0; in_full && i < program.size(); ++i) {
      const auto& times = counters.instructions[i];
      tracks[static_cast<size_t>(program[i].unit)].Add(first + static_cast<int64_t>(i), begin + times.issue,
                                                       begin + times.retire, accelerator->layer_of[i],
                                                       program[i].format);
    }
    begin += counters.cycles;
    first += static_cast<int64_t>(program.size());
  }
  json["cycles"] = begin;
  for (const auto& format : spec.formats) json["formats"].push_back(format.name);
  for (size_t u = 0; u < tracks.size(); ++u)
    json["units"].push_back(
        {{"name", spec.units[u].name}, {"count", tracks[u].count}, {"flights", tracks[u].numbers.Base64()}});
  return json;
}

}  // namespace cosim::cli
