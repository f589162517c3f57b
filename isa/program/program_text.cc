// SPDX-License-Identifier: Apache-2.0
// Cuts program text into lines and words.
#include "isa/program/program_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "isa/program/assembler_codes.h"
#include "isa/yaml/reader.h"

namespace cosim::isa {

bool ProgramText::NextLine() {
  const std::string_view text = source_.text;
  if (position_ >= text.size()) return false;
  const size_t end = std::min(text.find('\n', position_), text.size());
  line_ = text.substr(position_, end - position_);
  position_ = end + 1;
  ++number_;
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  return true;
}

std::string_view ProgramText::Code() const {
  bool quoted = false;
  for (size_t i = 0; i < line_.size(); ++i) {
    const char c = line_[i];
    if (c == '\\' && quoted) {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == '#' && !quoted) {
      return line_.substr(0, i);
    }
  }
  return line_;
}

Diagnostic& ProgramText::ErrorAt(const char* code, int column, int length, std::string message) {
  Diagnostic& error = diags_.Error(code, Loc(column), std::move(message));
  error.source_line = std::string(line_);
  error.length = std::max(length, 1);
  return error;
}

Diagnostic& ProgramText::ErrorAt(const char* code, const Word& word, std::string message) {
  return ErrorAt(code, word.column, static_cast<int>(word.text.size()), std::move(message));
}

bool ProgramText::Cut() {
  constexpr std::string_view kSymbols = "=()[],{}";
  words_.clear();
  next_ = 0;
  const std::string_view code = Code();
  for (size_t at = 0; (at = code.find_first_not_of(" \t", at)) != std::string_view::npos;) {
    const char c = code[at];
    Word word{.column = static_cast<int>(at) + 1};
    if (c == '"') {
      if (!CutQuoted(code, at, word)) return false;
    } else if (kSymbols.find(c) != std::string_view::npos) {
      ++at;
      word.kind = Word::Kind::kSymbol;
      word.text = c;
    } else {
      const size_t end = std::min(code.find_first_of(" \t=()[],{}\"", at), code.size());
      word.text = code.substr(at, end - at);
      at = end;
      if ((c >= '0' && c <= '9') || c == '-') {
        if (!CutNumber(word)) return false;
      } else if (IsIdentifier(c == '.' ? word.text.substr(1) : word.text)) {
        word.kind = Word::Kind::kName;
      } else {
        ErrorAt(codes::kAsmSyntax, word, fmt::format("'{}' is neither a name nor a number", word.text));
        return false;
      }
    }
    words_.push_back(std::move(word));
  }
  words_.push_back({.column = static_cast<int>(code.size()) + 1});
  return true;
}

bool ProgramText::CutQuoted(std::string_view code, size_t& at, Word& word) {
  const size_t begin = at++;
  for (; at < code.size() && code[at] != '"'; ++at) {
    if (code[at] != '\\' || at + 1 >= code.size()) {
      word.text += code[at];
      continue;
    }
    const char escaped = code[++at];
    uint8_t byte = 0;
    if (escaped == 'x' && at + 2 < code.size() &&
        std::from_chars(&code[at + 1], &code[at + 3], byte, 16).ptr == &code[at + 3]) {
      word.text += static_cast<char>(byte);
      at += 2;
    } else {
      word.text += escaped == 'n' ? '\n' : escaped;
    }
  }
  if (at >= code.size()) {
    ErrorAt(codes::kAsmSyntax, word.column, static_cast<int>(code.size() - begin),
            "a quoted name without its end");
    return false;
  }
  ++at;
  word.kind = Word::Kind::kName;
  return true;
}

bool ProgramText::CutNumber(Word& word) {
  const bool negative = word.text[0] == '-';
  std::string_view digits = std::string_view(word.text).substr(negative ? 1 : 0);
  const int base = digits.starts_with("0x") ? 16 : digits.starts_with("0b") ? 2 : 10;
  if (base != 10) digits.remove_prefix(2);
  uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, base);
  if (error == std::errc::invalid_argument || end != digits.data() + digits.size()) {
    ErrorAt(codes::kAsmSyntax, word, fmt::format("'{}' is not a number", word.text)).hint =
        "numbers are decimal, 0x… or 0b…";
    return false;
  }
  const uint64_t most = negative ? uint64_t{1} << 63 : (uint64_t{1} << 63) - 1;
  if (error == std::errc::result_out_of_range || magnitude > most) {
    ErrorAt(codes::kAsmRange, word, fmt::format("{} is beyond 64 bits", word.text));
    return false;
  }
  word.kind = Word::Kind::kNumber;
  word.number = static_cast<int64_t>(negative ? -magnitude : magnitude);
  return true;
}

bool ProgramText::Accept(std::string_view symbol) {
  if (Peek().kind != Word::Kind::kSymbol || Peek().text != symbol) return false;
  ++next_;
  return true;
}

bool ProgramText::FailExpected(std::string_view what) {
  const std::string found = AtEnd() ? "the end of the line" : fmt::format("'{}'", Peek().text);
  ErrorAt(codes::kAsmSyntax, Peek(), fmt::format("expected {}, found {}", what, found));
  return false;
}

std::optional<Word> ProgramText::ExpectWord(Word::Kind kind, std::string_view what) {
  if (Peek().kind == kind) return Next();
  FailExpected(what);
  return std::nullopt;
}

std::optional<int64_t> ProgramText::ExpectNumber(std::string_view what) {
  const std::optional<Word> word = ExpectWord(Word::Kind::kNumber, what);
  return word ? std::optional(word->number) : std::nullopt;
}

std::optional<uint64_t> ProgramText::ExpectAddress(std::string_view what) {
  const Word word = Peek();
  const std::optional<int64_t> number = ExpectNumber(what);
  if (!number) return std::nullopt;
  if (*number >= 0) return static_cast<uint64_t>(*number);
  ErrorAt(codes::kAsmRange, word, fmt::format("{} cannot be negative", what));
  return std::nullopt;
}

}  // namespace cosim::isa
