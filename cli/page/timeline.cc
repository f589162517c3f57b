// SPDX-License-Identifier: Apache-2.0
#include "cli/page/timeline.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "cli/page/packed.h"
#include "cli/timed_programs.h"

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
  Cycle cycles = 0;
  const bool completed = ForEachTimedProgram(
      spec, network, /*with_record=*/false,
      [&](const TimedProgram& program) {
        json["programs"].push_back(program.begin);
        for (const auto& window : program.layers)
          json["layers"].push_back({window.layer, program.begin + window.begin, program.begin + window.end});
        for (size_t i = 0; in_full && i < program.instructions.size(); ++i) {
          const auto& times = program.counters.instructions[i];
          const isa::Decoded& instruction = program.instructions[i];
          tracks[static_cast<size_t>(instruction.unit)].Add(
              program.first_instruction + static_cast<int64_t>(i), program.begin + times.issue,
              program.begin + times.retire, program.step.layer_of[i], instruction.format);
        }
        cycles = program.begin + program.counters.cycles;
      },
      error);
  if (!completed) return std::nullopt;
  json["cycles"] = cycles;
  for (const auto& format : spec.formats) json["formats"].push_back(format.name);
  for (size_t u = 0; u < tracks.size(); ++u)
    json["units"].push_back(
        {{"name", spec.units[u].name}, {"count", tracks[u].count}, {"flights", tracks[u].numbers.Base64()}});
  return json;
}

}  // namespace cosim::cli
