// SPDX-License-Identifier: Apache-2.0
// Reads program text line by line and word by word, and says where a mistake is. What the words mean is
// isa/program/assembler.cc's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/diagnostics.h"
#include "isa/spec/loader.h"

namespace cosim::isa {

struct Word {
  enum class Kind { kName, kNumber, kSymbol, kEnd } kind = Kind::kEnd;
  std::string text;  ///< as written, but without quotes
  int64_t number = 0;
  int column = 0;  ///< from 1
};

class ProgramText {
 public:
  /// Keeps references to both.
  ProgramText(const SourceText& source, Diagnostics& diags) : source_(source), diags_(diags) {}

  /// Goes to the next line; false at the end of the text.
  bool NextLine();
  std::string_view line() const { return line_; }
  /// The line without its comment; a `#` within quotes starts none.
  std::string_view Code() const;
  /// Column 0 is the whole line.
  SourceLoc Loc(int column) const { return {source_.path, number_, column}; }

  /// Cuts the line into words; false after reporting what is none. Only then the following may be called.
  bool Cut();
  const Word& Peek() const { return words_[next_]; }
  /// Takes a word; at the end of the line, the end again and again.
  const Word& Next() { return AtEnd() ? words_[next_] : words_[next_++]; }
  bool AtEnd() const { return Peek().kind == Word::Kind::kEnd; }
  /// Takes the symbol if it is next.
  bool Accept(std::string_view symbol);

  // These take what they say, or report that it was expected.
  bool Expect(std::string_view symbol) {
    return Accept(symbol) || FailExpected("'" + std::string(symbol) + "'");
  }
  bool ExpectEnd() { return AtEnd() || FailExpected("the end of the line"); }
  std::optional<Word> ExpectWord(Word::Kind kind, std::string_view what);
  std::optional<int64_t> ExpectNumber(std::string_view what);
  /// A number that is not negative.
  std::optional<uint64_t> ExpectAddress(std::string_view what);

  Diagnostic& ErrorAt(const char* code, int column, int length, std::string message);
  Diagnostic& ErrorAt(const char* code, const Word& word, std::string message);

 private:
  bool FailExpected(std::string_view what);
  bool CutQuoted(std::string_view code, size_t& at, Word& word);
  bool CutNumber(Word& word);

  const SourceText& source_;
  Diagnostics& diags_;
  size_t position_ = 0;  // of the next line
  int number_ = 0;       // of the line, from 1
  std::string_view line_;
  std::vector<Word> words_;  // the last is an end
  size_t next_ = 0;
};

}  // namespace cosim::isa
