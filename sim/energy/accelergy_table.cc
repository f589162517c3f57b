// SPDX-License-Identifier: Apache-2.0
#include "sim/energy/accelergy_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "isa/diagnostic_codes.h"
#include "isa/yaml/reader.h"

namespace cosim::sim {
namespace {

using isa::MapReader;
using isa::YamlEntry;
using isa::YamlNode;

constexpr double kMostPicojoulesOfAction = 1e12;
constexpr double kMostInstances = 1e9;

/// Of "PE[0..15]" 16; of "PE[3]" and "PE" 1. Nothing where the brackets are no indices.
std::optional<double> InstancesOf(std::string_view part) {
  double instances = 1;
  for (size_t at = part.find('['); at != std::string_view::npos; at = part.find('[', at + 1)) {
    const char* const end = part.data() + part.size();
    int64_t from = 0, to = 0;
    auto [rest, error] = std::from_chars(part.data() + at + 1, end, from);
    to = from;
    if (error == std::errc() && std::string_view(rest, end).starts_with(".."))
      std::tie(rest, error) = [&] {
        const auto read = std::from_chars(rest + 2, end, to);
        return std::pair(read.ptr, read.ec);
      }();
    if (error != std::errc() || rest == end || *rest != ']' || to < from) return std::nullopt;
    instances *= static_cast<double>(to) - static_cast<double>(from) + 1;
  }
  return instances;
}

std::string LastPart(std::string_view path) {
  // A range has dots too: those in brackets part nothing.
  std::string name;
  int depth = 0;
  for (const char c : path) {
    depth += c == '[' ? 1 : 0;
    if (depth == 0 && c == '.')
      name.clear();
    else if (depth == 0)
      name += c;
    depth -= c == ']' ? 1 : 0;
  }
  return name;
}

std::optional<double> ReadActionEnergy(const YamlNode& node, Diagnostics& diags) {
  double value = 0;
  const char* const end = node.scalar.data() + node.scalar.size();
  const auto [rest, error] = std::from_chars(node.scalar.data(), end, value);
  if (node.kind == YamlNode::Kind::kScalar && error == std::errc() && rest == end && std::isfinite(value) &&
      value >= 0 && value <= kMostPicojoulesOfAction)
    return value;
  isa::Report(diags, isa::codes::kOutOfRange, node,
              fmt::format("'energy' has to be a number of picojoules, 0 to {:.0e}", kMostPicojoulesOfAction));
  return std::nullopt;
}

class TableReader {
 public:
  explicit TableReader(Diagnostics& diags) : diags_(diags) {}

  void Components(const YamlNode& tables) {
    if (tables.kind == YamlNode::Kind::kMap) {
      for (const YamlEntry& entry : tables.entries) Open(entry.key, entry.key.scalar, entry.value);
      return;
    }
    for (const YamlNode& item : tables.items) {
      const MapReader reader(item, item, "a table", diags_, {"name", "actions"});
      if (!reader.is_map()) continue;
      const auto name = reader.String("name");
      const YamlNode* actions = reader.Require("actions");
      if (name && actions != nullptr) Open(*reader.Find("name"), *name, *actions);
    }
  }
  std::vector<AccelergyComponent> Take() { return std::move(components_); }

 private:
  void Open(const YamlNode& at, const std::string& path, const YamlNode& actions) {
    AccelergyComponent component{.path = path, .name = LastPart(path), .at = at};
    const auto instances = InstancesOf(path);
    if (component.name.empty() || !instances || *instances > kMostInstances) {
      isa::Report(diags_, isa::codes::kBadName, at, fmt::format("'{}' is no name of a component", path))
          .hint = "parts with a dot between them, indices in brackets: chip.PE[0..15].mac";
      return;
    }
    component.instances = *instances;
    const auto same = [&](const AccelergyComponent& other) { return other.path == path; };
    if (std::ranges::any_of(components_, same))
      isa::Report(diags_, isa::codes::kDuplicateKey, at, fmt::format("component '{}' is there twice", path));
    if (actions.kind == YamlNode::Kind::kMap) {
      for (const YamlEntry& entry : actions.entries) NamedActions(entry, component);
    } else if (actions.kind == YamlNode::Kind::kSequence) {
      for (const YamlNode& item : actions.items) {
        const MapReader reader(item, item, fmt::format("an action of '{}'", path), diags_,
                               {"name", "arguments", "energy"});
        if (const auto name = reader.is_map() ? reader.String("name") : std::nullopt)
          Action(item, *name, reader, component);
      }
    } else {
      isa::Report(diags_, isa::codes::kWrongType, at, fmt::format("component '{}' has no actions", path));
    }
    components_.push_back(std::move(component));
  }

  /// Version 0.2: `read: {arguments, energy}`, or a list of such.
  void NamedActions(const YamlEntry& entry, AccelergyComponent& component) {
    const auto one = [&](const YamlNode& node) {
      const MapReader reader(node, entry.key, fmt::format("action '{}'", entry.key.scalar), diags_,
                             {"arguments", "energy"});
      if (reader.is_map()) Action(node, entry.key.scalar, reader, component);
    };
    if (entry.value.kind != YamlNode::Kind::kSequence) return one(entry.value);
    for (const YamlNode& item : entry.value.items) one(item);
  }

  void Action(const YamlNode& at, const std::string& name, const MapReader& reader,
              AccelergyComponent& component) {
    AccelergyAction action{.name = name, .at = at};
    if (const YamlNode* arguments = reader.Find("arguments")) {
      if (arguments->kind != YamlNode::Kind::kMap && arguments->kind != YamlNode::Kind::kNull)
        isa::Report(diags_, isa::codes::kWrongType, *arguments, "'arguments' has to be a map, or null");
      for (const YamlEntry& entry : arguments->entries)
        action.arguments.emplace_back(entry.key.scalar, entry.value.scalar);
    }
    const YamlNode* energy = reader.Require("energy");
    const auto cost = energy != nullptr ? ReadActionEnergy(*energy, diags_) : std::nullopt;
    if (cost) action.energy = *cost;
    component.actions.push_back(std::move(action));
  }

  Diagnostics& diags_;
  std::vector<AccelergyComponent> components_;
};

}  // namespace

bool IsAccelergyTable(const YamlNode& root) { return root.Find("ERT") != nullptr; }

std::optional<AccelergyTable> ReadAccelergyTable(const YamlNode& root, Diagnostics& diags) {
  const size_t errors = diags.list().size();
  const MapReader file(root, root, "a file with an 'ERT'", diags, {"ERT"});
  const YamlEntry* ert = root.Find("ERT");
  if (!file.is_map() || ert == nullptr) return std::nullopt;
  const MapReader reader(ert->value, ert->key, "'ERT'", diags, {"version", "tables"});
  if (!reader.is_map()) return std::nullopt;
  AccelergyTable table{.at = ert->key};
  table.version = reader.String("version").value_or("");
  if (!table.version.empty() && table.version != "0.2" && table.version != "0.3" && table.version != "0.4")
    isa::Report(diags, isa::codes::kOutOfRange, *reader.Find("version"),
                fmt::format("version '{}' of Accelergy's tables is not known", table.version))
        .hint = "those of 0.2, 0.3 and 0.4 are read";
  if (const YamlNode* tables = reader.Require("tables")) {
    TableReader components(diags);
    components.Components(*tables);
    table.components = components.Take();
    if (table.components.empty() && diags.list().size() == errors)
      isa::Report(diags, isa::codes::kOutOfRange, *tables, "'tables' has no components");
  }
  if (diags.list().size() > errors) return std::nullopt;
  return table;
}

}  // namespace cosim::sim
