// SPDX-License-Identifier: Apache-2.0
#include "compiler/explore/search/search_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "compiler/explore/diagnostic_codes.h"
#include "isa/diagnostic_codes.h"
#include "isa/yaml/reader.h"

namespace cosim::explore {
namespace {

using isa::MapReader;
using isa::YamlEntry;
using isa::YamlNode;

constexpr int64_t kMostPopulation = 1000;
constexpr size_t kMostObjectives = 8;

void AddObjective(const YamlNode& node, SearchPlan& search, Diagnostics& diags) {
  const auto objective = node.kind == YamlNode::Kind::kScalar ? ParseObjective(node.scalar) : std::nullopt;
  if (!objective) {
    isa::Report(diags, codes::kBadObjective, node, "an objective has to be the name of a figure").hint =
        "as in frame_ms, area.ramb36, max:utilization";
    return;
  }
  if (std::ranges::count(search.objectives, objective->name, &Objective::name) > 0) {
    isa::Report(diags, codes::kBadObjective, node,
                fmt::format("'{}' is an objective twice", objective->name));
    return;
  }
  search.objectives.push_back(*objective);
}

void ReadObjectives(const MapReader& reader, SearchPlan& search, Diagnostics& diags) {
  const YamlNode* node = reader.Require("objectives");
  if (node == nullptr) return;
  if (node->kind != YamlNode::Kind::kSequence) return AddObjective(*node, search, diags);
  for (const YamlNode& item : node->items) AddObjective(item, search, diags);
  if (node->items.empty() || node->items.size() > kMostObjectives)
    isa::Report(diags, codes::kBadObjective, *node,
                fmt::format("a search has 1 to {} objectives, not {}", kMostObjectives, node->items.size()));
}

void ReadMethod(const MapReader& reader, SearchPlan& search, Diagnostics& diags) {
  const std::string name = reader.OptionalString("method", "trees");
  if (name == "random") search.method = SearchMethod::kRandom;
  if (name == "nsga2") search.method = SearchMethod::kNsga2;
  const std::vector<std::string> known = {"trees", "nsga2", "random"};
  if (std::ranges::find(known, name) != known.end()) return;
  isa::Report(diags, isa::codes::kOutOfRange, *reader.Find("method"),
              fmt::format("'method' of the plan is '{}', but has to be trees, nsga2 or random", name))
      .hint = isa::NameHint(name, known);
}

void ReadNumbers(const MapReader& reader, SearchPlan& search) {
  search.trials = reader.Integer("trials", 1, kMostPoints).value_or(0);
  if (reader.Find("population") != nullptr)
    search.population = reader.Integer("population", 2, kMostPopulation).value_or(2);
  if (reader.Find("search_seed") != nullptr)
    search.search_seed = static_cast<uint64_t>(reader.Integer("search_seed", 0, INT64_MAX).value_or(1));
}

/// One value of a design to start from. False after reporting.
bool ReadStartValue(const YamlEntry& entry, const SearchPlan& search, Genome& genome, Diagnostics& diags) {
  const std::vector<Axis>& axes = search.plan.axes;
  std::vector<std::string> known;
  for (const Axis& axis : axes) known.push_back(axis.key);
  const auto axis = std::ranges::find(axes, entry.key.scalar, &Axis::key);
  if (axis == axes.end()) {
    isa::Report(diags, codes::kBadStart, entry.key,
                fmt::format("'{}' is no key of the search", entry.key.scalar))
        .hint = isa::NameHint(entry.key.scalar, known);
    return false;
  }
  const auto key = static_cast<size_t>(axis - axes.begin());
  const bool is_one = entry.value.kind == YamlNode::Kind::kScalar;
  const auto number = is_one ? search.space.NumberOf(key, entry.value.scalar) : std::nullopt;
  if (!number) {
    isa::Report(diags, codes::kBadStart, is_one ? entry.value : entry.key,
                is_one ? fmt::format("'{}' has no value '{}' under 'keys'", axis->key, entry.value.scalar)
                       : fmt::format("'{}' of a design has to have one value", axis->key));
    return false;
  }
  genome[SearchSpace::kFirstKey + key] = *number;
  return true;
}

void ReadStart(const MapReader& reader, SearchPlan& search, Diagnostics& diags) {
  if (reader.Find("start") == nullptr) return;
  const YamlNode* list = reader.RequireSequence("start");
  if (list == nullptr) return;
  for (const YamlNode& item : list->items) {
    if (item.kind != YamlNode::Kind::kMap) {
      isa::Report(
          diags, isa::codes::kWrongType, item,
          fmt::format("a design of 'start' has to be a map of keys, not {}", isa::KindName(item.kind)));
      continue;
    }
    Genome genome(search.space.genes().size(), -1);
    for (const YamlEntry& entry : item.entries)
      if (!ReadStartValue(entry, search, genome, diags)) break;
    search.start.push_back(std::move(genome));
  }
  if (search.start.size() > static_cast<size_t>(search.population))
    isa::Report(diags, codes::kBadStart, *list,
                fmt::format("{} designs to start from are more than a generation of {} takes",
                            search.start.size(), search.population));
  if (search.method == SearchMethod::kRandom && !search.start.empty())
    isa::Report(diags, codes::kBadStart, *list, "a random search starts from no design").hint =
        "leave out 'start', or 'method: random'";
}

void CheckSize(const SearchPlan& search, const YamlNode& at, Diagnostics& diags) {
  if (search.space.Size(1) == 1)
    isa::Report(diags, codes::kTooMany, at, "the plan has one design, and nothing to search").hint =
        "'keys' with several values make more, as in keys: {parameters.acc_bytes: [65536, 131072]}";
  if (search.trials * static_cast<int64_t>(search.plan.networks.size()) > kMostPoints)
    isa::Report(diags, codes::kTooMany, at, fmt::format("the plan may run more than {} points", kMostPoints));
}

}  // namespace

std::optional<SearchPlan> ReadSearchPlan(const isa::SourceText& text, Diagnostics& diags) {
  const auto root = isa::ParseYaml(text, diags);
  if (!root) return std::nullopt;
  const size_t errors = diags.list().size();
  const MapReader reader(
      *root, *root, "the plan", diags,
      {"networks", "configs", "isa", "virtual_threads", "seed", "accuracy", "set", "list", "keys", "where",
       "objectives", "method", "trials", "population", "search_seed", "start"});
  if (!reader.is_map()) return std::nullopt;
  SearchPlan search;
  ReadPointKeys(reader, search.plan, diags);
  ReadObjectives(reader, search, diags);
  ReadMethod(reader, search, diags);
  ReadNumbers(reader, search);
  if (diags.list().size() > errors) return std::nullopt;
  search.space = SearchSpace(search.plan);
  ReadStart(reader, search, diags);
  CheckIsa(search.plan, *root, diags);
  CheckSize(search, *root, diags);
  if (diags.list().size() > errors) return std::nullopt;
  return search;
}

}  // namespace cosim::explore
