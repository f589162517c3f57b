// SPDX-License-Identifier: Apache-2.0
// Reads one YAML map with known keys: rejects the others with a guess what was meant, and hands out values of
// the type asked for. Numbers that may be expressions are read by isa/spec/param_expr.h.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/yaml/node.h"

namespace cosim::isa {

/// The candidate closest to `name`, if close enough to be what was meant; else empty.
std::string ClosestName(std::string_view name, std::span<const std::string> candidates);

/// "did you mean 'x'?", or a list of what there is if that is short; else empty.
std::string NameHint(std::string_view name, std::span<const std::string> candidates);

/// Whether `name` is a letter followed by letters, digits and underscores.
bool IsIdentifier(std::string_view name);

/// Scalar as an integer written in decimal; reports a wrong type.
std::optional<int64_t> ReadInteger(const YamlNode& node, std::string_view what, Diagnostics& diags);

/// Scalar as a number above 0 and at most `max`; reports what it is instead.
std::optional<double> ReadNumber(const YamlNode& node, std::string_view what, double max, Diagnostics& diags);

class MapReader {
 public:
  /// `what` names the map in messages ("unit 'load'"); `owner` is where a missing key is reported, usually
  /// the map's key. Reports unknown keys at once, and a node that is no map.
  MapReader(const YamlNode& map, const YamlNode& owner, std::string what, Diagnostics& diags,
            std::initializer_list<std::string_view> known);

  bool is_map() const { return map_.kind == YamlNode::Kind::kMap; }
  /// Null when the key is missing.
  const YamlNode* Find(std::string_view key) const;
  /// Null after reporting that the key is missing, unless an unknown key was reported in its place.
  const YamlNode* Require(std::string_view key) const;
  /// A scalar's text; nothing after reporting a missing key or a wrong type.
  std::optional<std::string> String(std::string_view key) const;
  std::string OptionalString(std::string_view key, std::string fallback) const;
  std::optional<bool> Bool(std::string_view key) const;
  std::optional<int64_t> Integer(std::string_view key, int64_t min, int64_t max) const;
  /// Above 0 and at most `max`.
  std::optional<double> Number(std::string_view key, double max) const;
  /// As Require, for a map or a list; null after reporting.
  const YamlNode* RequireMap(std::string_view key) const;
  const YamlNode* RequireSequence(std::string_view key) const;

 private:
  const YamlNode* RequireKind(std::string_view key, YamlNode::Kind kind) const;

  const YamlNode& map_;
  const YamlNode& owner_;
  std::string what_;
  Diagnostics& diags_;
  std::vector<std::string> misspelt_;  ///< known keys that unknown ones were probably meant to be
};

}  // namespace cosim::isa
