// SPDX-License-Identifier: Apache-2.0
// Typed access to YAML maps, and the guesses behind "did you mean".
#include "isa/yaml_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <numeric>
#include <utility>

#include "isa/diagnostic_codes.h"

namespace cosim::isa {
namespace {

constexpr size_t kMaxComparedName = 64;

int EditDistance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    int diagonal = std::exchange(row[0], static_cast<int>(i));
    for (size_t j = 1; j <= b.size(); ++j) {
      const int substitute = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({substitute, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string ClosestName(std::string_view name, std::span<const std::string> candidates) {
  std::string best;
  int best_distance = std::max<int>(1, static_cast<int>(name.size()) / 3) + 1;
  if (name.size() > kMaxComparedName) return best;
  for (const std::string& candidate : candidates) {
    const int distance = EditDistance(name, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string NameHint(std::string_view name, std::span<const std::string> candidates) {
  const std::string closest = ClosestName(name, candidates);
  if (!closest.empty()) return fmt::format("did you mean '{}'?", closest);
  if (candidates.empty()) return "";
  return fmt::format("known here: {}", fmt::join(candidates, ", "));
}

bool IsIdentifier(std::string_view name) {
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; };
  const auto is_word = [&](char c) { return is_letter(c) || std::isdigit(static_cast<unsigned char>(c)); };
  return !name.empty() && name.size() <= kMaxComparedName && is_letter(name[0]) &&
         std::ranges::all_of(name, is_word);
}

std::optional<int64_t> ReadInteger(const YamlNode& node, std::string_view what, Diagnostics& diags) {
  int64_t value = 0;
  const char* end = node.scalar.data() + node.scalar.size();
  const auto [rest, error] = std::from_chars(node.scalar.data(), end, value);
  if (node.kind == YamlNode::Kind::kScalar && !node.quoted && error == std::errc() && rest == end)
    return value;
  if (node.kind == YamlNode::Kind::kScalar) {
    Report(diags, codes::kWrongType, node,
           fmt::format("{} has to be an integer, not '{}'", what, node.scalar));
  } else {
    Report(diags, codes::kWrongType, node,
           fmt::format("{} has to be an integer, not {}", what, KindName(node.kind)));
  }
  return std::nullopt;
}

MapReader::MapReader(const YamlNode& map, const YamlNode& owner, std::string what, Diagnostics& diags,
                     std::initializer_list<std::string_view> known)
    : map_(map), owner_(owner), what_(std::move(what)), diags_(diags) {
  if (!is_map()) {
    Report(diags_, codes::kWrongType, map_.line > 0 ? map_ : owner_,
           fmt::format("{} has to be a map of keys, not {}", what_, KindName(map_.kind)));
    return;
  }
  const std::vector<std::string> names(known.begin(), known.end());
  for (const YamlEntry& entry : map_.entries) {
    const std::string& key = entry.key.scalar;
    if (std::ranges::find(names, key) != names.end()) continue;
    Report(diags_, codes::kUnknownKey, entry.key, fmt::format("unknown key '{}' in {}", key, what_)).hint =
        key.find(' ') == std::string::npos ? NameHint(key, names)
                                           : "inside { }, a text with a comma has to stand in quotes";
  }
}

const YamlNode* MapReader::Find(std::string_view key) const {
  const YamlEntry* entry = map_.Find(key);
  return entry ? &entry->value : nullptr;
}

const YamlNode* MapReader::Require(std::string_view key) const {
  const YamlNode* node = Find(key);
  if (!node && is_map()) {
    Report(diags_, codes::kMissingKey, owner_, fmt::format("{} lacks the key '{}'", what_, key));
  }
  return node;
}

const YamlNode* MapReader::RequireKind(std::string_view key, YamlNode::Kind kind) const {
  const YamlNode* node = Require(key);
  if (!node || node->kind == kind) return node;
  Report(diags_, codes::kWrongType, *node,
         fmt::format("'{}' of {} has to be {}, not {}", key, what_, KindName(kind), KindName(node->kind)));
  return nullptr;
}

std::optional<std::string> MapReader::String(std::string_view key) const {
  const YamlNode* node = RequireKind(key, YamlNode::Kind::kScalar);
  if (!node) return std::nullopt;
  return node->scalar;
}

std::string MapReader::OptionalString(std::string_view key, std::string fallback) const {
  if (!Find(key)) return fallback;
  return String(key).value_or(std::move(fallback));
}

std::optional<bool> MapReader::Bool(std::string_view key) const {
  const YamlNode* node = RequireKind(key, YamlNode::Kind::kScalar);
  if (!node) return std::nullopt;
  if (node->scalar == "true") return true;
  if (node->scalar == "false") return false;
  Report(diags_, codes::kWrongType, *node,
         fmt::format("'{}' of {} has to be true or false, not '{}'", key, what_, node->scalar));
  return std::nullopt;
}

std::optional<int64_t> MapReader::Integer(std::string_view key, int64_t min, int64_t max) const {
  const YamlNode* node = Require(key);
  if (!node) return std::nullopt;
  const std::optional<int64_t> value = ReadInteger(*node, fmt::format("'{}' of {}", key, what_), diags_);
  if (!value || (*value >= min && *value <= max)) return value;
  Report(diags_, codes::kOutOfRange, *node,
         fmt::format("'{}' of {} is {}, but has to be {} to {}", key, what_, *value, min, max));
  return std::nullopt;
}

const YamlNode* MapReader::RequireMap(std::string_view key) const {
  return RequireKind(key, YamlNode::Kind::kMap);
}

const YamlNode* MapReader::RequireSequence(std::string_view key) const {
  return RequireKind(key, YamlNode::Kind::kSequence);
}

}  // namespace cosim::isa
