// SPDX-License-Identifier: Apache-2.0
// Typed access to YAML maps, and the guesses behind "did you mean".
#include "isa/yaml/reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

#include "isa/diagnostic_codes.h"

namespace cosim::isa {
namespace {

constexpr size_t kMaxComparedName = 64;
constexpr size_t kMaxListedNames = 12;

/// Insertions, deletions, substitutions and swaps of neighbours that make `b` of `a`.
int EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::vector<int>> distance(a.size() + 1, std::vector<int>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      int& best = distance[i][j];
      if (i == 0 || j == 0) {
        best = static_cast<int>(i + j);
        continue;
      }
      best = std::min(
          {distance[i - 1][j] + 1, distance[i][j - 1] + 1, distance[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) best = std::min(best, distance[i - 2][j - 2] + 1);
    }
  }
  return distance[a.size()][b.size()];
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
  if (candidates.empty() || candidates.size() > kMaxListedNames) return "";
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

std::optional<double> ReadNumber(const YamlNode& node, std::string_view what, double max,
                                 Diagnostics& diags) {
  double value = 0;
  const char* end = node.scalar.data() + node.scalar.size();
  const auto [rest, error] = std::from_chars(node.scalar.data(), end, value);
  if (node.kind != YamlNode::Kind::kScalar || error != std::errc() || rest != end) {
    const std::string is = node.kind == YamlNode::Kind::kScalar ? fmt::format("'{}'", node.scalar)
                                                                : std::string(KindName(node.kind));
    Report(diags, codes::kWrongType, node, fmt::format("{} has to be a number, not {}", what, is));
    return std::nullopt;
  }
  if (std::isfinite(value) && value > 0 && value <= max) return value;
  Report(diags, codes::kOutOfRange, node,
         fmt::format("{} is {}, but has to be above 0 and at most {:.0f}", what, node.scalar, max));
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
    Diagnostic& error =
        Report(diags_, codes::kUnknownKey, entry.key, fmt::format("unknown key '{}' in {}", key, what_));
    const std::string closest = ClosestName(key, names);
    const bool is_text = key.find(' ') != std::string::npos || entry.value.kind == YamlNode::Kind::kNull;
    error.hint = closest.empty() && is_text ? "inside { }, a value with a comma has to stand in quotes"
                                            : NameHint(key, names);
    if (!closest.empty()) misspelt_.push_back(closest);
  }
}

const YamlNode* MapReader::Find(std::string_view key) const {
  const YamlEntry* entry = map_.Find(key);
  return entry ? &entry->value : nullptr;
}

const YamlNode* MapReader::Require(std::string_view key) const {
  const YamlNode* node = Find(key);
  if (!node && is_map() && std::ranges::find(misspelt_, key) == misspelt_.end()) {
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

std::optional<double> MapReader::Number(std::string_view key, double max) const {
  const YamlNode* node = RequireKind(key, YamlNode::Kind::kScalar);
  if (!node) return std::nullopt;
  return ReadNumber(*node, fmt::format("'{}' of {}", key, what_), max, diags_);
}

const YamlNode* MapReader::RequireMap(std::string_view key) const {
  return RequireKind(key, YamlNode::Kind::kMap);
}

const YamlNode* MapReader::RequireSequence(std::string_view key) const {
  return RequireKind(key, YamlNode::Kind::kSequence);
}

}  // namespace cosim::isa
