// SPDX-License-Identifier: Apache-2.0
// Renders diagnostics for a terminal. Knows nothing about what they complain of.
#include "isa/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "isa/text_escape.h"

namespace cosim {
namespace {

/// Longest stretch of a source line that is printed; the rest of such a line tells a reader nothing.
constexpr int kMaxShownColumns = 400;

std::string LocText(const SourceLoc& loc) {
  const std::string file = isa::OneLine(loc.file);
  if (loc.line <= 0) return file;
  if (loc.column <= 0) return fmt::format("{}:{}", file, loc.line);
  return fmt::format("{}:{}:{}", file, loc.line, loc.column);
}

/// The offending line with its number, and below it a caret and tildes under the offending columns.
std::string RenderSource(const Diagnostic& diagnostic) {
  const int column = diagnostic.loc.column;
  if (diagnostic.loc.line <= 0 || diagnostic.source_line.empty() || column > kMaxShownColumns) return "";
  const std::string line = diagnostic.source_line.substr(0, kMaxShownColumns);
  const size_t begin = std::min(line.size(), static_cast<size_t>(std::max(column - 1, 0)));
  const size_t length = std::min(line.size() - begin, static_cast<size_t>(std::max(diagnostic.length, 1)));
  // What is written out takes more room than it took in the line.
  std::string padding = isa::Lines(line.substr(0, begin));
  const std::string marked = isa::Lines(line.substr(begin, length));
  std::string text = fmt::format("{:>5} | {}{}{}\n", diagnostic.loc.line, padding, marked,
                                 isa::Lines(line.substr(begin + length)));
  if (column <= 0) return text;
  std::ranges::replace_if(padding, [](char c) { return c != '\t'; }, ' ');
  padding.append(static_cast<size_t>(column - 1) - begin, ' ');
  return text +
         fmt::format("      | {}^{}\n", padding, std::string(std::max<size_t>(1, marked.size()) - 1, '~'));
}

std::string RenderOne(const Diagnostic& diagnostic) {
  std::string text = diagnostic.loc.file.empty() ? "" : LocText(diagnostic.loc) + ": ";
  text += fmt::format("error[{}]: {}\n", diagnostic.code, isa::OneLine(diagnostic.message));
  text += RenderSource(diagnostic);
  if (!diagnostic.hint.empty()) text += fmt::format("  hint: {}\n", isa::OneLine(diagnostic.hint));
  for (const auto& [loc, note] : diagnostic.notes) {
    const std::string shown = isa::OneLine(note);
    text += loc.file.empty() ? fmt::format("  note: {}\n", shown)
                             : fmt::format("  note: {} {}\n", shown, LocText(loc));
  }
  return text;
}

}  // namespace

Diagnostic& Diagnostics::Error(std::string code, SourceLoc loc, std::string message) {
  Diagnostic& diagnostic = list_.emplace_back();
  diagnostic.code = std::move(code);
  diagnostic.loc = std::move(loc);
  diagnostic.message = std::move(message);
  return diagnostic;
}

std::string Diagnostics::Render() const {
  std::string text;
  for (const Diagnostic& diagnostic : list_) text += RenderOne(diagnostic);
  return text;
}

}  // namespace cosim
