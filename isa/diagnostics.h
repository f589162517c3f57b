// SPDX-License-Identifier: Apache-2.0
// What a user did wrong, with file:line:col, the offending line and what would be right. Collected, several
// at once; whoever owns the list decides when to print and stop.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace cosim {

/// A place in a text. `line` and `column` count from 1; 0 means the whole file.
struct SourceLoc {
  std::string file;
  int line = 0;
  int column = 0;
};

struct Diagnostic {
  std::string code;  ///< "E0103": stable, listed in docs/reference/diagnostics.md
  std::string message;
  SourceLoc loc;
  std::string source_line;  ///< the offending line, without its newline; may be empty
  int length = 1;           ///< columns to underline
  std::string hint;         ///< what would be right; may be empty
  std::vector<std::pair<SourceLoc, std::string>> notes;  ///< rendered as "note: <text> <file:line:col>"
};

class Diagnostics {
 public:
  Diagnostic& Error(std::string code, SourceLoc loc, std::string message);
  bool HasErrors() const { return !list_.empty(); }
  const std::vector<Diagnostic>& list() const { return list_; }
  Diagnostic& Back() { return list_.back(); }  ///< the last one reported
  /// Renders all of them the way a terminal shows them (`file:line:col: error[E0103]: …`, line, caret, hint,
  /// notes).
  std::string Render() const;

 private:
  std::vector<Diagnostic> list_;
};

}  // namespace cosim

namespace cosim::isa {

/// A text and where it came from; `path` is what diagnostics print.
struct SourceText {
  std::string path, text;
};

}  // namespace cosim::isa
