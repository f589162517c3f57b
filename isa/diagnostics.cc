// SPDX-License-Identifier: Apache-2.0
// Renders diagnostics for a terminal. Knows nothing about what they complain of.
#include "isa/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace cosim {
namespace {

/// Longest stretch of a source line that is printed; the rest of such a line tells a reader nothing.
constexpr int kMaxShownColumns = 400;

std::string LocText(const SourceLoc& loc) {
  if (loc.line <= 0) return loc.file;
  if (loc.column <= 0) return fmt::format("{}:{}", loc.file, loc.line);
  return fmt::format("{}:{}:{}", loc.file, loc.line, loc.column);
}

/// The offending line with its number, and below it a caret and tildes under the offending columns.
std::string RenderSource(const Diagnostic& diagnostic) {
  const int column = diagnostic.loc.column;
  if (diagnostic.loc.line <= 0 || diagnostic.source_line.empty() || column > kMaxShownColumns) return "";
  const std::string shown = diagnostic.source_line.substr(0, kMaxShownColumns);
  std::string text = fmt::format("{:>5} | {}\n", diagnostic.loc.line, shown);
  if (column <= 0) return text;
  std::string padding;
  for (int i = 0; i < column - 1; ++i) {
    padding += i < static_cast<int>(shown.size()) && shown[i] == '\t' ? '\t' : ' ';
  }
  const int room = std::max(1, static_cast<int>(shown.size()) - (column - 1));
  const int length = std::clamp(diagnostic.length, 1, room);
  return text + fmt::format("      | {}^{}\n", padding, std::string(length - 1, '~'));
}

std::string RenderOne(const Diagnostic& diagnostic) {
  std::string text = diagnostic.loc.file.empty() ? "" : LocText(diagnostic.loc) + ": ";
  text += fmt::format("error[{}]: {}\n", diagnostic.code, diagnostic.message);
  text += RenderSource(diagnostic);
  if (!diagnostic.hint.empty()) text += fmt::format("  hint: {}\n", diagnostic.hint);
  for (const auto& [loc, note] : diagnostic.notes) {
    text += loc.file.empty() ? fmt::format("  note: {}\n", note)
                             : fmt::format("  note: {} {}\n", note, LocText(loc));
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
