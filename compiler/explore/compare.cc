// SPDX-License-Identifier: Apache-2.0
#include "compiler/explore/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace cosim::explore {
namespace {

using Json = nlohmann::ordered_json;

std::string TextOf(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.is_null() ? "unknown" : value.dump();
}

/// Every value under its dotted name; of lists of names, each name by itself.
void Flatten(const std::string& name, const Json& value,
             std::vector<std::pair<std::string, std::string>>& flat) {
  if (value.is_object()) {
    for (const auto& [key, each] : value.items()) Flatten(name.empty() ? key : name + "." + key, each, flat);
  } else if (value.is_array()) {
    for (const Json& each : value) flat.emplace_back(name + "." + TextOf(each), "there");
  } else {
    flat.emplace_back(name, TextOf(value));
  }
}

/// What a run was, apart from what came of it.
Json HardwareOf(const Json& run) {
  Json json = {{"isa", run.at("isa")},
               {"config", run.at("config")},
               {"virtual_threads", run.at("virtual_threads")},
               {"seed", run.at("seed")}};
  json.update(run.at("configuration"));
  return json;
}

Json TotalsOf(const Json& run) {
  Json json;
  for (const char* key : {"cycles", "ms", "utilization", "dram_bytes", "macs_host", "instructions"})
    json[key] = run.at(key);
  if (run.contains("energy_mj")) json["energy_mj"] = run.at("energy_mj");
  for (const char* key : {"host_ms", "copies_ms", "frame_ms"}) json[key] = run.at("end_to_end").at(key);
  return json;
}

std::map<std::string, LayerFacts> LayersOf(const Json& run, std::vector<std::string>& order) {
  std::map<std::string, LayerFacts> layers;
  for (const Json& layer : run.at("layers")) {
    LayerFacts facts;
    facts.on_accelerator = layer.at("where") == "accelerator";
    facts.cycles = layer.at("cycles").get<int64_t>();
    facts.dram_bytes = layer.at("dram_bytes").get<int64_t>();
    facts.schedule = layer.at("schedule").get<std::string>();
    facts.reason = layer.at("reason").get<std::string>();
    if (const auto ms = layer.find("host_ms"); ms != layer.end() && ms->is_number())
      facts.host_ms = ms->get<double>();
    const std::string name = layer.at("name").get<std::string>();
    if (layers.emplace(name, std::move(facts)).second && std::ranges::count(order, name) == 0)
      order.push_back(name);
  }
  return layers;
}

double Milliseconds(const std::optional<LayerFacts>& layer, double clock_mhz) {
  if (!layer) return 0;
  return static_cast<double>(layer->cycles) / (clock_mhz * 1e3) + layer->host_ms.value_or(0);
}

std::vector<LayerChange> LayerChanges(const Json& before, const Json& after) {
  std::vector<std::string> order;
  const auto old = LayersOf(before, order), now = LayersOf(after, order);
  const auto in = [](const std::map<std::string, LayerFacts>& layers, const std::string& name) {
    const auto at = layers.find(name);
    return at == layers.end() ? std::nullopt : std::optional(at->second);
  };
  std::vector<LayerChange> changes;
  for (const std::string& name : order) {
    LayerChange change{.name = name, .before = in(old, name), .after = in(now, name)};
    change.more_ms = Milliseconds(change.after, after.at("clock_mhz").get<double>()) -
                     Milliseconds(change.before, before.at("clock_mhz").get<double>());
    changes.push_back(std::move(change));
  }
  std::ranges::stable_sort(changes, std::ranges::greater(), &LayerChange::more_ms);
  return changes;
}

std::map<std::string, int64_t> WaitsOf(const Json& run) {
  std::map<std::string, int64_t> waits;
  for (const auto& [unit, row] : run.at("ledger").items())
    for (const auto& [what, cycles] : row.items()) {
      if (!cycles.is_object()) {
        waits[unit + " " + what] = cycles.get<int64_t>();
        continue;
      }
      for (const auto& [queue, each] : cycles.items())
        waits[unit + " " + what + " " + queue] = each.get<int64_t>();
    }
  return waits;
}

std::vector<WaitChange> WaitChanges(const Json& before, const Json& after) {
  const auto old = WaitsOf(before), now = WaitsOf(after);
  std::map<std::string, WaitChange> changes;
  for (const auto& [name, cycles] : old) changes[name] = {name, cycles, 0};
  for (const auto& [name, cycles] : now) changes[name].name = name, changes[name].after = cycles;
  std::vector<WaitChange> list;
  for (auto& [name, change] : changes)
    if (change.before != change.after) list.push_back(std::move(change));
  std::ranges::stable_sort(list, std::ranges::greater(),
                           [](const WaitChange& c) { return std::abs(c.after - c.before); });
  return list;
}

}  // namespace

std::vector<ValueChange> ChangesOf(const Json& before, const Json& after) {
  std::vector<std::pair<std::string, std::string>> first, second;
  Flatten("", before, first);
  Flatten("", after, second);
  const std::map<std::string, std::string> old(first.begin(), first.end()), now(second.begin(), second.end());
  std::vector<ValueChange> changes;
  for (const auto& [name, value] : first) {
    const auto other = now.find(name);
    if (other == now.end())
      changes.push_back({name, value, ""});
    else if (other->second != value)
      changes.push_back({name, value, other->second});
  }
  for (const auto& [name, value] : second)
    if (old.count(name) == 0) changes.push_back({name, "", value});
  return changes;
}

std::optional<Comparison> Compare(const Json& before, const Json& after, std::string& error) {
  try {
    for (const Json* run : {&before, &after}) {
      if (run->at("schema") == kRunSchema) continue;
      error = fmt::format("its schema is {}, and this cosim reads {}", TextOf(run->at("schema")), kRunSchema);
      return std::nullopt;
    }
    if (before.at("network") != after.at("network")) {
      error = fmt::format("they are of {} and {}", TextOf(before.at("network")), TextOf(after.at("network")));
      return std::nullopt;
    }
    return Comparison{ChangesOf(HardwareOf(before), HardwareOf(after)),
                      ChangesOf(TotalsOf(before), TotalsOf(after)), LayerChanges(before, after),
                      WaitChanges(before, after)};
  } catch (const Json::exception& bad) {
    error = fmt::format("that is no JSON of `cosim run`: {}", bad.what());
    return std::nullopt;
  }
}

}  // namespace cosim::explore
