// SPDX-License-Identifier: Apache-2.0
#include "compiler/explore/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "compiler/explore/diagnostic_codes.h"
#include "compiler/import/import.h"
#include "isa/diagnostic_codes.h"
#include "isa/yaml/reader.h"

namespace cosim::explore {
namespace {

using isa::MapReader;
using isa::YamlEntry;
using isa::YamlNode;

constexpr int kMostThreads = 8;

/// One scalar, or a list of them. False after reporting.
bool ReadNames(const MapReader& reader, const char* key, std::vector<std::string>& names,
               Diagnostics& diags) {
  const YamlNode* node = reader.Find(key);
  if (node == nullptr) return true;
  names.clear();
  if (node->kind == YamlNode::Kind::kScalar) {
    names.push_back(node->scalar);
  } else if (node->kind == YamlNode::Kind::kSequence && !node->items.empty() &&
             std::ranges::all_of(node->items,
                                 [](const YamlNode& n) { return n.kind == YamlNode::Kind::kScalar; })) {
    for (const YamlNode& item : node->items) names.push_back(item.scalar);
  } else {
    isa::Report(diags, isa::codes::kWrongType, *node,
                fmt::format("'{}' of the plan has to be a name, or a list of them", key));
    return false;
  }
  return true;
}

void ReadThreads(const MapReader& reader, Plan& plan, Diagnostics& diags) {
  std::vector<std::string> texts;
  if (!ReadNames(reader, "virtual_threads", texts, diags) || texts.empty()) return;
  plan.virtual_threads.clear();
  for (const std::string& text : texts) {
    int value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && rest == text.data() + text.size() && value >= 1 && value <= kMostThreads) {
      plan.virtual_threads.push_back(value);
      continue;
    }
    isa::Report(
        diags, isa::codes::kOutOfRange, *reader.Find("virtual_threads"),
        fmt::format("'virtual_threads' of the plan are '{}', but have to be 1 to {}", text, kMostThreads));
    return;
  }
}

/// A map of keys with one value each; `name` is not one of them.
std::optional<Variant> ReadVariant(const YamlNode& node, const std::string& what, Diagnostics& diags) {
  if (node.kind != YamlNode::Kind::kMap) {
    isa::Report(diags, isa::codes::kWrongType, node,
                fmt::format("{} has to be a map of keys, not {}", what, isa::KindName(node.kind)));
    return std::nullopt;
  }
  Variant variant;
  for (const YamlEntry& entry : node.entries) {
    if (entry.value.kind != YamlNode::Kind::kScalar) {
      isa::Report(diags, codes::kBadAxis, entry.key,
                  fmt::format("'{}' of {} has to have one value", entry.key.scalar, what))
          .hint = "keys with several values go under 'keys:'";
      return std::nullopt;
    }
    if (entry.key.scalar == "name")
      variant.name = entry.value.scalar;
    else
      variant.settings.push_back({entry.key.scalar, entry.value.scalar});
  }
  return variant;
}

void ReadVariants(const MapReader& reader, Plan& plan, Diagnostics& diags) {
  if (const YamlNode* set = reader.Find("set"))
    if (auto all = ReadVariant(*set, "'set' of the plan", diags)) plan.set = std::move(all->settings);
  if (reader.Find("list") == nullptr) return;
  const YamlNode* list = reader.RequireSequence("list");
  if (list == nullptr) return;
  for (const YamlNode& item : list->items)
    if (auto variant = ReadVariant(item, "a point of 'list'", diags))
      plan.variants.push_back(std::move(*variant));
}

void ReadAxes(const MapReader& reader, Plan& plan, Diagnostics& diags) {
  if (reader.Find("keys") == nullptr) return;
  const YamlNode* keys = reader.RequireMap("keys");
  if (keys == nullptr) return;
  for (const YamlEntry& entry : keys->entries)
    if (auto axis = ReadAxis(entry.key, entry.value, diags)) plan.axes.push_back(std::move(*axis));
}

void ReadSampling(const MapReader& reader, Plan& plan, Diagnostics& diags) {
  const std::string name = reader.OptionalString("sample", "grid");
  if (const auto sampling = ParseSampling(name)) {
    plan.sampling = *sampling;
  } else {
    const std::vector<std::string> known = {"grid", "random", "latin"};
    isa::Report(diags, isa::codes::kOutOfRange, *reader.Find("sample"),
                fmt::format("'sample' of the plan is '{}', but has to be grid, random or latin", name))
        .hint = isa::NameHint(name, known);
  }
  if (reader.Find("points") != nullptr) plan.points = reader.Integer("points", 1, kMostPoints).value_or(1);
  if (reader.Find("sample_seed") != nullptr)
    plan.sample_seed = static_cast<uint64_t>(reader.Integer("sample_seed", 0, INT64_MAX).value_or(1));
}

void ReadConstraints(const MapReader& reader, Plan& plan, Diagnostics& diags) {
  const YamlNode* where = reader.Find("where");
  if (where == nullptr) return;
  const auto add = [&](const YamlNode& node) {
    if (auto constraint = ParseConstraint(node, diags)) plan.constraints.push_back(std::move(*constraint));
  };
  if (where->kind != YamlNode::Kind::kSequence) return add(*where);
  for (const YamlNode& item : where->items) add(item);
}

}  // namespace

std::optional<Sampling> ParseSampling(const std::string& name) {
  if (name == "grid") return Sampling::kGrid;
  if (name == "random") return Sampling::kRandom;
  if (name == "latin") return Sampling::kLatin;
  return std::nullopt;
}

bool CheckAccuracy(const Plan& plan, const YamlNode& at, Diagnostics& diags) {
  if (plan.accuracy == 0) return true;
  const auto file = std::ranges::find_if(plan.networks, import::IsModelFile);
  if (file == plan.networks.end()) return true;
  isa::Report(diags, codes::kNoReference, at,
              fmt::format("nothing says what {} loses: its float network is not in it", *file))
      .hint = "`cosim accuracy` compares model files, with data or with each other";
  return false;
}

bool ReadPointKeys(const MapReader& reader, Plan& plan, Diagnostics& diags) {
  const size_t errors = diags.list().size();
  reader.Require("networks");
  ReadNames(reader, "networks", plan.networks, diags);
  ReadNames(reader, "configs", plan.configs, diags);
  plan.isa = reader.OptionalString("isa", "");
  ReadThreads(reader, plan, diags);
  if (reader.Find("seed") != nullptr)
    plan.seed = static_cast<uint64_t>(reader.Integer("seed", 0, INT64_MAX).value_or(1));
  if (const YamlNode* accuracy = reader.Find("accuracy")) {
    plan.accuracy = static_cast<int>(reader.Integer("accuracy", 1, kMostAccuracyInputs).value_or(0));
    CheckAccuracy(plan, *accuracy, diags);
  }
  ReadVariants(reader, plan, diags);
  ReadAxes(reader, plan, diags);
  ReadConstraints(reader, plan, diags);
  return diags.list().size() == errors;
}

std::optional<Plan> ReadPlan(const isa::SourceText& text, Diagnostics& diags) {
  const auto root = isa::ParseYaml(text, diags);
  if (!root) return std::nullopt;
  const size_t errors = diags.list().size();
  const MapReader reader(*root, *root, "the plan", diags,
                         {"networks", "configs", "isa", "virtual_threads", "seed", "accuracy", "set", "list",
                          "keys", "sample", "points", "sample_seed", "where"});
  if (!reader.is_map()) return std::nullopt;
  Plan plan;
  ReadPointKeys(reader, plan, diags);
  ReadSampling(reader, plan, diags);
  if (diags.list().size() > errors || !CheckPlan(plan, *root, diags)) return std::nullopt;
  return plan;
}

bool CheckIsa(const Plan& plan, const YamlNode& at, Diagnostics& diags) {
  const auto sets_isa = [](const isa::Override& setting) { return setting.path == "isa"; };
  if (plan.isa.empty() ||
      !(std::ranges::any_of(plan.set, sets_isa) || std::ranges::count(plan.axes, "isa", &Axis::key) > 0 ||
        std::ranges::any_of(plan.variants,
                            [&](const Variant& v) { return std::ranges::any_of(v.settings, sets_isa); })))
    return true;
  isa::Report(diags, codes::kBadAxis, at,
              fmt::format("'isa' is '{}' for all points, and a key of some", plan.isa))
      .hint = "keep one of them";
  return false;
}

bool CheckPlan(const Plan& plan, const YamlNode& at, Diagnostics& diags) {
  const bool is_grid = plan.sampling == Sampling::kGrid;
  const size_t errors = diags.list().size();
  for (const Axis& axis : plan.axes)
    if (is_grid && axis.range)
      isa::Report(diags, codes::kOpenRange, axis.at,
                  fmt::format("a grid takes no values from the range of '{}'", axis.key))
          .hint = "a step makes values of it, as in 200..800:50; or sample: random, or latin";
  if (!is_grid && plan.points < 1)
    isa::Report(diags, codes::kTooMany, at, "a sample has to say how many points it takes").hint =
        "for example points: 100";
  if (!is_grid && plan.axes.empty()) isa::Report(diags, codes::kTooMany, at, "there are no keys to sample");
  if (is_grid && plan.points > 0)
    isa::Report(diags, codes::kTooMany, at, "a grid takes all its points").hint =
        "leave out 'points', or sample: random, or latin";
  CheckIsa(plan, at, diags);
  if (diags.list().size() > errors) return false;
  const double others =
      static_cast<double>(plan.networks.size() * plan.configs.size() * plan.virtual_threads.size() *
                          std::max<size_t>(1, plan.variants.size()));
  const double points = is_grid ? static_cast<double>(GridSize(plan.axes, kMostPoints)) : 1.0 * plan.points;
  if (points * others <= kMostPoints) return true;
  isa::Report(diags, codes::kTooMany, at, fmt::format("the plan has more than {} points", kMostPoints)).hint =
      "sample: random, or latin, takes a number of them";
  return false;
}

std::vector<Point> PointsOf(const Plan& plan) {
  const std::vector<Sample> samples = SamplesOf(plan.axes, plan.sampling, plan.points, plan.sample_seed);
  const std::vector<Variant> variants = plan.variants.empty() ? std::vector<Variant>(1) : plan.variants;
  std::vector<Point> points;
  for (const std::string& config : plan.configs)
    for (const Variant& variant : variants)
      for (const Sample& sample : samples)
        for (const int threads : plan.virtual_threads)
          for (const std::string& network : plan.networks) {
            Point point{.network = network, .config = config, .isa = plan.isa};
            point.id = static_cast<int64_t>(points.size()) + 1;
            point.virtual_threads = threads;
            point.seed = plan.seed;
            point.accuracy = plan.accuracy;
            point.name = variant.name;
            point.settings = plan.set;
            point.settings.insert(point.settings.end(), variant.settings.begin(), variant.settings.end());
            for (size_t i = 0; i < sample.size(); ++i)
              point.settings.push_back({plan.axes[i].key, sample[i]});
            points.push_back(std::move(point));
          }
  return points;
}

std::string DescribePoint(const Point& point) {
  std::string text = point.name;
  for (const isa::Override& setting : point.settings)
    text += (text.empty() ? "" : " ") + setting.path + "=" + setting.value;
  return text;
}

}  // namespace cosim::explore
