// SPDX-License-Identifier: Apache-2.0
// Reads the file that says what the components of one of Accelergy's tables are here.
#include <fmt/format.h>

#include "isa/diagnostic_codes.h"
#include "isa/yaml/reader.h"
#include "sim/energy/accelergy_costs.h"
#include "sim/energy/energy_table.h"

namespace cosim::sim {
namespace {

using isa::MapReader;
using isa::YamlEntry;
using isa::YamlNode;

constexpr double kMostActions = 1e6;
constexpr double kMostBitsOfAction = 1 << 20;

AccelergyChoice ReadChoice(const YamlEntry& entry, Diagnostics& diags) {
  AccelergyChoice choice{.at = entry.key};
  if (entry.value.kind == YamlNode::Kind::kScalar) {
    choice.component = entry.value.scalar;
    return choice;
  }
  const MapReader reader(entry.value, entry.key, fmt::format("'{}' in 'map'", entry.key.scalar), diags,
                         {"component", "read", "write", "action", "arguments", "actions", "bits"});
  if (!reader.is_map()) return choice;
  choice.component = reader.String("component").value_or("");
  if (reader.Find("read")) choice.read = reader.String("read");
  if (reader.Find("write")) choice.write = reader.String("write");
  if (reader.Find("action")) choice.action = reader.String("action");
  if (reader.Find("actions")) choice.actions = reader.Number("actions", kMostActions);
  if (reader.Find("bits")) choice.bits = reader.Number("bits", kMostBitsOfAction);
  if (choice.bits && entry.key.scalar != "dram")
    isa::Report(diags, isa::codes::kUnknownKey, *reader.Find("bits"),
                fmt::format("'bits' is DRAM's, not that of '{}'", entry.key.scalar))
        .hint = "an action on a memory is one of an element; actions: N where it takes several";
  if (reader.Find("arguments"))
    if (const YamlNode* arguments = reader.RequireMap("arguments"))
      for (const YamlEntry& argument : arguments->entries)
        choice.arguments.emplace_back(argument.key.scalar, argument.value.scalar);
  return choice;
}

}  // namespace

std::optional<AccelergySource> ReadAccelergyMap(const YamlNode& root, Diagnostics& diags) {
  const size_t errors = diags.list().size();
  const MapReader reader(
      root, root, "an energy table with 'accelergy'", diags,
      {"doc", "technology", "accelergy", "map", "unused", "host", "instruction", "static"});
  AccelergySource source{.at = root};
  source.technology = reader.String("technology").value_or("");
  if (const YamlNode* map = reader.Find("map") ? reader.RequireMap("map") : nullptr)
    for (const YamlEntry& entry : map->entries)
      source.map.emplace_back(entry.key.scalar, ReadChoice(entry, diags));
  if (const YamlEntry* map = root.Find("map")) source.at = map->key;
  if (const YamlNode* unused = reader.Find("unused") ? reader.RequireSequence("unused") : nullptr)
    for (const YamlNode& item : unused->items) source.unused.emplace_back(item.scalar, item);
  const OtherCosts other = ReadOtherCosts(reader, diags);
  source.host_cycle = other.host_cycle;
  source.instruction = other.instruction;
  source.static_mw = other.static_mw;
  if (diags.list().size() > errors) return std::nullopt;
  return source;
}

}  // namespace cosim::sim
