// SPDX-License-Identifier: Apache-2.0
#include "cli/page/run_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "compiler/explore/compare.h"

namespace cosim::cli {
namespace {

using Json = nlohmann::ordered_json;

bool Has(const Json& json, const char* key, bool (Json::*is)() const noexcept) {
  const auto at = json.find(key);
  return at != json.end() && ((*at).*is)();
}

/// The first key of a run that is not there as what the page takes it for.
std::string MissingKey(const Json& run) {
  for (const char* key : {"network", "config", "isa", "device", "fingerprint"})
    if (!Has(run, key, &Json::is_string)) return key;
  for (const char* key : {"cycles", "ms", "clock_mhz", "macs", "macs_host", "ideal_cycles", "utilization",
                          "instructions", "dram_bytes", "virtual_threads", "seed"})
    if (!Has(run, key, &Json::is_number)) return key;
  for (const char* key : {"configuration", "end_to_end", "ledger"})
    if (!Has(run, key, &Json::is_object)) return key;
  for (const char* key : {"layers", "warnings"})
    if (!Has(run, key, &Json::is_array)) return key;
  for (const auto& [unit, row] : run["ledger"].items())
    if (!row.is_object()) return "ledger." + unit;
  for (const Json& layer : run["layers"]) {
    for (const char* key : {"name", "op", "where", "reason", "schedule"})
      if (!layer.is_object() || !Has(layer, key, &Json::is_string)) return fmt::format("layers[].{}", key);
    for (const char* key : {"macs", "cycles", "ideal_cycles", "utilization", "dram_bytes"})
      if (!Has(layer, key, &Json::is_number)) return fmt::format("layers[].{}", key);
  }
  return "";
}

const char* KindName(isa::Segment::Kind kind) {
  switch (kind) {
    case isa::Segment::Kind::kInstructions:
      return "instructions";
    case isa::Segment::Kind::kMicroOps:
      return "micro-ops";
    case isa::Segment::Kind::kConstants:
      return "constants";
  }
  return "";
}

}  // namespace

std::string RunFault(const Json& run, std::string& hint) {
  hint = "`cosim run NETWORK --json=FILE` writes one";
  if (!run.is_object() || !run.contains("network")) {
    if (run.is_object() && run.contains("points"))
      hint = "it is a sweep's: give its database, FILE.sqlite (`cosim sweep --db=FILE.sqlite`)";
    return "is no JSON of `cosim run`";
  }
  const Json schema = run.value("schema", Json(1));
  if (schema != explore::kRunSchema) {
    hint = "run it again with this cosim; docs/reference/versions.md says what changed";
    return fmt::format("has schema {}, and this cosim reads {}", schema.dump(), explore::kRunSchema);
  }
  if (run.value("device", Json()) == Json("host")) {
    hint = "run it on an accelerator: --device=cycle";
    return "is of --device=host, where there is no accelerator to report on";
  }
  const std::string missing = MissingKey(run);
  return missing.empty() ? "" : fmt::format("lacks '{}', or has it as something else", missing);
}

std::string RunTitle(const Json& run) {
  return fmt::format("{} on {} ({})", run["network"].get<std::string>(), run["config"].get<std::string>(),
                     run["isa"].get<std::string>());
}

Json RunPage(const std::string& source, Json run, Json dram, Json timeline) {
  return {{"kind", "run"},
          {"source", source},
          {"run", std::move(run)},
          {"dram", std::move(dram)},
          {"timeline", std::move(timeline)}};
}

Json DramJson(const runtime::Network& network) {
  struct Region {
    std::string name, kind;
    uint64_t address, bytes;
  };
  std::vector<Region> regions = {
      {"inputs, outputs and what layers hand on", "values", 0, network.value_bytes}};
  for (const auto& step : network.steps) {
    const auto* accelerator = std::get_if<runtime::AcceleratorStep>(&step);
    if (!accelerator) continue;
    for (const isa::Segment& segment : accelerator->program.segments)
      regions.push_back({segment.name, KindName(segment.kind), segment.address, segment.bytes.size()});
  }
  std::ranges::stable_sort(regions, {}, &Region::address);
  Json json = {
      {"bytes", network.dram_bytes}, {"value_bytes", network.value_bytes}, {"regions", Json::array()}};
  for (const Region& region : regions)
    json["regions"].push_back(
        {{"name", region.name}, {"kind", region.kind}, {"address", region.address}, {"bytes", region.bytes}});
  return json;
}

}  // namespace cosim::cli
