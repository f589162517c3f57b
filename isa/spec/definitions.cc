// SPDX-License-Identifier: Apache-2.0
// Parameters, names and the lazy evaluation behind them. Memories are in definitions_memory.cc.
#include "isa/spec/definitions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "isa/check.h"
#include "isa/diagnostic_codes.h"

namespace cosim::isa {
namespace {

/// Longest chain of definitions that need each other.
constexpr size_t kMaxChain = 64;

/// Words that expressions give a meaning of their own.
bool IsReserved(std::string_view name) {
  return name == "alu_stages" || name == "instruction_bits" || name == "stage";
}

}  // namespace

bool CheckName(const YamlNode& key, std::string_view what, Diagnostics& diags) {
  if (IsIdentifier(key.scalar) && !IsReserved(key.scalar)) return true;
  Report(diags, codes::kBadName, key, fmt::format("'{}' cannot be the name of a {}", key.scalar, what)).hint =
      "names are letters, digits and underscores, a letter first, at most 64; 'stage', 'alu_stages' "
      "and 'instruction_bits' are taken";
  return false;
}

Definitions::Definitions(const YamlNode& isa, const Config& config, Diagnostics& diags)
    : diags_(diags), dram_(config.dram) {
  ReadParameters(isa, config);
  ReadMemories(isa);
}

void Definitions::ReadParameters(const YamlNode& isa, const Config& config) {
  const YamlEntry* parameters = isa.Find("parameters");
  if (parameters && parameters->value.kind == YamlNode::Kind::kMap) {
    for (const YamlEntry& entry : parameters->value.entries) {
      const std::string& name = entry.key.scalar;
      if (!CheckName(entry.key, "parameter", diags_)) continue;
      const MapReader reader(entry.value, entry.key, fmt::format("parameter '{}'", name), diags_,
                             {"default", "min", "max", "doc"});
      reader.OptionalString("doc", "");
      if (!reader.is_map() || !reader.Require("default")) continue;
      const YamlEntry* configured = config.parameters.Find(name);
      parameters_[name] = {&entry, configured ? &configured->value : nullptr};
      parameter_order_.push_back(name);
      items_[name].at = &entry.key;
    }
  }
  for (const YamlEntry& entry : config.parameters.entries) {
    if (parameters_.contains(entry.key.scalar)) continue;
    if (parameters && parameters->value.Find(entry.key.scalar)) continue;  // reported above
    Report(diags_, codes::kUnknownParameter, entry.key,
           fmt::format("the ISA has no parameter '{}'", entry.key.scalar))
        .hint = NameHint(entry.key.scalar, parameter_order_);
  }
}

std::vector<Parameter> Definitions::Parameters() {
  std::vector<Parameter> parameters;
  for (const std::string& name : parameter_order_) {
    const ParameterSource& source = parameters_.at(name);
    const Item* item = Evaluate(name);
    if (item->state != State::kKnown) continue;
    const YamlEntry* doc = source.entry->value.Find("doc");
    const YamlNode& value =
        source.configured ? *source.configured : source.entry->value.Find("default")->value;
    parameters.push_back({name, doc ? doc->value.scalar : "", item->value, value.Loc()});
  }
  return parameters;
}

Definitions::Item* Definitions::Evaluate(const std::string& name) {
  Item& item = items_.at(name);
  if (item.state == State::kActive) ReportCycle(name, item);
  if (item.state == State::kFresh) {
    item.state = State::kActive;
    active_.push_back(name);
    const std::optional<int64_t> value = Compute(name);
    active_.pop_back();
    if (item.state == State::kActive) item.state = value ? State::kKnown : State::kFailed;
    item.value = value.value_or(0);
    if (parameters_.contains(name)) item.parameters.insert(name);
  }
  if (!active_.empty())
    items_.at(active_.back()).parameters.insert(item.parameters.begin(), item.parameters.end());
  return &item;
}

void Definitions::ReportCycle(const std::string& name, Item& item) {
  std::string chain;
  for (auto at = std::ranges::find(active_, name); at != active_.end(); ++at)
    chain += fmt::format("'{}' needs ", *at);
  Report(diags_, codes::kCycle, *item.at, fmt::format("'{}' depends on itself: {}'{}'", name, chain, name));
  item.state = State::kFailed;
}

std::optional<int64_t> Definitions::Compute(const std::string& name) {
  if (active_.size() > kMaxChain) {
    Report(diags_, codes::kCycle, *items_.at(name).at,
           fmt::format("'{}' stands at the end of a chain of more than {} definitions", name, kMaxChain));
    return std::nullopt;
  }
  const size_t dot = name.find('.');
  if (dot == std::string::npos) return ComputeParameter(parameters_.at(name));
  return ComputeAttribute(*memories_.at(name.substr(0, dot)), std::string_view(name).substr(dot + 1));
}

std::optional<int64_t> Definitions::ComputeParameter(const ParameterSource& source) {
  const std::string what = fmt::format("parameter '{}'", source.entry->key.scalar);
  const YamlNode& map = source.entry->value;
  const YamlNode& node = source.configured ? *source.configured : map.Find("default")->value;
  const std::optional<int64_t> value =
      source.configured ? ReadInteger(node, what, diags_) : EvaluateParam(node, what, *this, diags_);
  if (!value) return std::nullopt;
  const auto limit = [&](std::string_view key, int64_t fallback) -> std::optional<int64_t> {
    const YamlEntry* entry = map.Find(key);
    return entry ? EvaluateParam(entry->value, fmt::format("'{}' of {}", key, what), *this, diags_)
                 : fallback;
  };
  const std::optional<int64_t> min = limit("min", INT64_MIN), max = limit("max", INT64_MAX);
  if (!min || !max) return std::nullopt;
  if (*value >= *min && *value <= *max) return value;
  const std::string range = *min == *max        ? fmt::format("{}", *min)
                            : *max == INT64_MAX ? fmt::format("at least {}", *min)
                            : *min == INT64_MIN ? fmt::format("at most {}", *max)
                                                : fmt::format("{} to {}", *min, *max);
  Diagnostic& error = Report(diags_, codes::kParameterRange, node,
                             fmt::format("{} is {}, but has to be {}", what, *value, range));
  if (source.configured) error.notes.emplace_back(source.entry->key.Loc(), "it is declared at");
  return std::nullopt;
}

Definitions::Value Definitions::Lookup(std::string_view name, std::string_view attribute) {
  if (name == "alu_stages" && attribute.empty() && alu_stages_) return {Value::State::kKnown, *alu_stages_};
  if (name == "instruction_bits" && attribute.empty() && instruction_bits_)
    return {Value::State::kKnown, *instruction_bits_};
  const std::string full = attribute.empty() ? std::string(name) : fmt::format("{}.{}", name, attribute);
  if (!items_.contains(full)) return {};
  const Item* item = Evaluate(full);
  if (item->state != State::kKnown) return {Value::State::kFailed};
  return {Value::State::kKnown, item->value};
}

std::vector<std::string> Definitions::Names() const {
  std::vector<std::string> names = parameter_order_;
  for (const auto& [name, item] : items_) {
    if (name.find('.') != std::string::npos) names.push_back(name);
  }
  if (alu_stages_) names.push_back("alu_stages");
  if (instruction_bits_) names.push_back("instruction_bits");
  return names;
}

void Definitions::Explain(const std::vector<std::string>& names, Diagnostic& diagnostic) const {
  std::set<std::string> parameters;
  for (const std::string& name : names) {
    const auto item = items_.find(name);
    if (item != items_.end())
      parameters.insert(item->second.parameters.begin(), item->second.parameters.end());
  }
  for (const std::string& name : parameter_order_) {
    if (!parameters.contains(name)) continue;
    const YamlNode* configured = parameters_.at(name).configured;
    if (!configured) continue;
    diagnostic.notes.emplace_back(configured->Loc(),
                                  fmt::format("'{}' is {}, from", name, items_.at(name).value));
  }
}

}  // namespace cosim::isa
