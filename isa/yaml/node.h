// SPDX-License-Identifier: Apache-2.0
// YAML as a tree in which every key and value knows its place in the text. Reading it reports syntax errors,
// duplicate keys and what specs do not use (anchors, several documents); what the keys mean is the business
// of the readers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/diagnostics.h"

namespace cosim::isa {

/// A text cut into lines, for showing the offending one.
struct SourceLines {
  std::string path;
  std::vector<std::string> lines;
};

struct YamlEntry;

struct YamlNode {
  enum class Kind { kNull, kScalar, kSequence, kMap } kind = Kind::kNull;
  std::string scalar;              ///< kScalar: the value, without quotes
  bool quoted = false;             ///< kScalar: written in quotes
  std::vector<YamlNode> items;     ///< kSequence
  std::vector<YamlEntry> entries;  ///< kMap, in the order of the text, keys unique
  std::shared_ptr<const SourceLines> source;
  int line = 0, column = 0;  ///< from 1; 0: the whole file

  SourceLoc Loc() const;
  const YamlEntry* Find(std::string_view key) const;
};

struct YamlEntry {
  YamlNode key;  ///< kScalar
  YamlNode value;
};

std::string_view KindName(YamlNode::Kind kind);

/// The root of the text's only document, or nothing after reporting why.
std::optional<YamlNode> ParseYaml(const SourceText& text, Diagnostics& diags);

/// Reports an error at a node, underlining it.
Diagnostic& Report(Diagnostics& diags, const char* code, const YamlNode& at, std::string message);

/// Reports an error at `length` characters from `offset` on within a scalar's value.
Diagnostic& ReportWithin(Diagnostics& diags, const char* code, const YamlNode& at, int offset, int length,
                         std::string message);

}  // namespace cosim::isa
