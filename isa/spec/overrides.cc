// SPDX-License-Identifier: Apache-2.0
#include "isa/spec/overrides.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "isa/diagnostic_codes.h"
#include "isa/yaml/reader.h"

namespace cosim::isa {
namespace {

constexpr std::string_view kPrefix = "isa.";
constexpr std::string_view kOff = "off";

std::vector<std::string> PartsOf(std::string_view path) {
  std::vector<std::string> parts;
  while (true) {
    const size_t dot = path.find('.');
    parts.emplace_back(path.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    path.remove_prefix(dot + 1);
  }
}

YamlEntry* EntryOf(YamlNode& map, std::string_view key) {
  for (YamlEntry& entry : map.entries)
    if (entry.key.scalar == key) return &entry;
  return nullptr;
}

void EraseIf(YamlNode& root, const char* section, std::initializer_list<const char*> keys,
             const std::string& unit) {
  YamlEntry* entries = EntryOf(root, section);
  if (entries == nullptr) return;
  std::erase_if(entries->value.entries, [&](const YamlEntry& entry) {
    for (const char* key : keys)
      if (const YamlEntry* value = entry.value.Find(key); value && value->value.scalar == unit) return true;
    return false;
  });
}

/// Of units that may carry an instruction, the one that is no more; the instruction with the last of them.
void EraseFromLists(YamlNode& root, const std::string& unit) {
  YamlEntry* instructions = EntryOf(root, "instructions");
  if (instructions == nullptr) return;
  std::erase_if(instructions->value.entries, [&](YamlEntry& entry) {
    YamlEntry* units = EntryOf(entry.value, "unit");
    if (units == nullptr) return false;
    std::erase_if(units->value.items, [&](const YamlNode& item) { return item.scalar == unit; });
    return units->value.kind == YamlNode::Kind::kSequence && units->value.items.empty();
  });
}

/// What belongs to a unit that is no more.
void EraseUnit(YamlNode& root, const std::string& unit) {
  EraseIf(root, "instructions", {"unit"}, unit);
  EraseFromLists(root, unit);
  EraseIf(root, "queues", {"from", "to"}, unit);
}

void ApplyToIsa(YamlNode& root, const Override& override, YamlNode value, Diagnostics& diags) {
  const std::vector<std::string> parts = PartsOf(std::string_view(override.path).substr(kPrefix.size()));
  const auto fail = [&](const std::string& what) -> Diagnostic& {
    return Report(diags, codes::kBadOverride, value, what);
  };
  YamlNode* map = &root;
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    YamlEntry* entry = EntryOf(*map, parts[i]);
    if (entry == nullptr || entry->value.kind != YamlNode::Kind::kMap) {
      std::vector<std::string> known;
      for (const YamlEntry& each : map->entries)
        if (each.value.kind == YamlNode::Kind::kMap) known.push_back(each.key.scalar);
      fail(fmt::format("the ISA has no keys in '{}'", parts[i])).hint = NameHint(parts[i], known);
      return;
    }
    map = &entry->value;
  }
  YamlEntry* entry = EntryOf(*map, parts.back());
  const bool takes_out = value.scalar == kOff && !value.quoted;
  if (entry == nullptr && (takes_out || parts.size() < 3)) {
    std::vector<std::string> known;
    for (const YamlEntry& each : map->entries) known.push_back(each.key.scalar);
    fail(fmt::format("the ISA has no '{}' there", parts.back())).hint = NameHint(parts.back(), known);
  } else if (takes_out) {
    std::erase_if(map->entries, [&](const YamlEntry& each) { return each.key.scalar == parts.back(); });
    if (parts.size() == 2 && parts[0] == "units") EraseUnit(root, parts[1]);
  } else if (entry == nullptr) {
    map->entries.push_back({OverrideNode(value.source, YamlNode::Kind::kScalar, parts.back()), value});
  } else if (entry->value.kind == YamlNode::Kind::kMap || entry->value.kind == YamlNode::Kind::kSequence) {
    fail(fmt::format("'{}' holds several values, name one of them", override.path)).hint =
        "or take it out: " + override.path + "=off";
  } else {
    entry->value = std::move(value);
  }
}

}  // namespace

YamlNode OverrideNode(const std::shared_ptr<const SourceLines>& source, YamlNode::Kind kind,
                      std::string scalar) {
  YamlNode node;
  node.source = source;
  node.kind = kind;
  node.scalar = std::move(scalar);
  return node;
}

std::optional<YamlNode> ReadOverride(const Override& override, Diagnostics& diags) {
  auto source = std::make_shared<SourceLines>();
  source->path = fmt::format("--set {}={}", override.path, override.value);
  const SourceLoc loc{source->path};
  if (override.path.empty() || ("." + override.path + ".").find("..") != std::string::npos) {
    diags.Error(codes::kBadOverride, loc, "a key is missing").hint =
        "write --set key=value, like memory.latency=80";
    return std::nullopt;
  }
  Diagnostics ignored;
  const std::optional<YamlNode> value = ParseYaml({source->path, override.value}, ignored);
  if (!value || value->kind != YamlNode::Kind::kScalar) {
    diags.Error(codes::kBadOverride, loc, fmt::format("'{}' is not a single value", override.value));
    return std::nullopt;
  }
  YamlNode node = OverrideNode(source, YamlNode::Kind::kScalar, value->scalar);
  node.quoted = value->quoted;
  return node;
}

bool IsOfIsa(const Override& override) { return override.path.starts_with(kPrefix); }

bool ApplyIsaOverrides(YamlNode& root, const std::vector<Override>& overrides, Diagnostics& diags) {
  const size_t errors = diags.list().size();
  for (const Override& override : overrides) {
    if (!IsOfIsa(override)) continue;
    if (auto value = ReadOverride(override, diags)) ApplyToIsa(root, override, std::move(*value), diags);
  }
  return diags.list().size() == errors;
}

}  // namespace cosim::isa
