// SPDX-License-Identifier: Apache-2.0
// The tokenizer behind all of the spec's expressions.
#include "isa/expr/lexer.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include "isa/diagnostic_codes.h"

namespace cosim::isa {
namespace {

constexpr int kMaxDepth = 100;
constexpr std::array<std::string_view, 7> kLongSymbols = {"<<", ">>", "<=", ">=", "==", "!=", "+="};
constexpr std::string_view kShortSymbols = "+-*/()[],.<>&|^~?:=";

bool IsLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

/// Length of the symbol that `text` starts with, 0 if it starts with none.
size_t SymbolLength(std::string_view text) {
  for (std::string_view symbol : kLongSymbols) {
    if (text.starts_with(symbol)) return symbol.size();
  }
  return kShortSymbols.find(text[0]) != std::string_view::npos ? 1 : 0;
}

std::string Describe(const Token& token) {
  return token.kind == Token::Kind::kEnd ? "the end" : fmt::format("'{}'", token.text);
}

}  // namespace

TokenStream::TokenStream(const YamlNode& node, const char* code, Diagnostics& diags)
    : node_(node), code_(code), diags_(diags) {
  Tokenize();
}

void TokenStream::Tokenize() {
  const std::string_view text = node_.scalar;
  size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (std::isspace(static_cast<unsigned char>(c))) {
      ++at;
      continue;
    }
    Token token;
    token.offset = static_cast<int>(at);
    size_t length = 0;
    if (IsLetter(c) || IsDigit(c)) {
      while (at + length < text.size() && (IsLetter(text[at + length]) || IsDigit(text[at + length])))
        ++length;
      token.kind = IsLetter(c) ? Token::Kind::kName : Token::Kind::kNumber;
    } else {
      length = SymbolLength(text.substr(at));
      token.kind = Token::Kind::kSymbol;
    }
    token.text = text.substr(at, std::max<size_t>(length, 1));
    if (length == 0) return Fail(token, fmt::format("'{}' has no place in an expression", token.text));
    if (token.kind == Token::Kind::kNumber) {
      const char* end = token.text.data() + token.text.size();
      const auto [rest, error] = std::from_chars(token.text.data(), end, token.number);
      if (error != std::errc() || rest != end)
        return Fail(token, fmt::format("'{}' is not a number", token.text));
    }
    tokens_.push_back(std::move(token));
    at += length;
  }
  Token end;
  end.offset = static_cast<int>(text.size());
  tokens_.push_back(std::move(end));
}

void TokenStream::Fail(const Token& token, const std::string& message) {
  if (!failed_) ErrorAt(code_, token, message);
  failed_ = true;
  Token end;
  end.offset = static_cast<int>(node_.scalar.size());
  tokens_.assign(1, std::move(end));
  next_ = 0;
}

const Token& TokenStream::Peek(size_t ahead) const {
  return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
}

Token TokenStream::Next() {
  const Token token = Peek();
  if (!AtEnd()) ++next_;
  return token;
}

bool TokenStream::Accept(std::string_view symbol) {
  if (Peek().kind != Token::Kind::kSymbol || Peek().text != symbol) return false;
  Next();
  return true;
}

bool TokenStream::Expect(std::string_view symbol) {
  if (Accept(symbol)) return true;
  FailExpected(fmt::format("'{}'", symbol));
  return false;
}

std::string TokenStream::ExpectName(std::string_view what) {
  if (Peek().kind == Token::Kind::kName) return Next().text;
  FailExpected(what);
  return "";
}

void TokenStream::ExpectEnd() {
  if (!AtEnd()) FailExpected("the end of the expression");
}

void TokenStream::FailExpected(std::string_view what) {
  if (failed_) return;
  const Token token = Peek();
  Fail(token, fmt::format("expected {}, found {}", what, Describe(token)));
  if (token.kind == Token::Kind::kEnd && !node_.quoted && node_.scalar.find('(') != std::string::npos) {
    diags_.Back().hint = "inside { } or [ ], an expression with a comma has to stand in quotes";
  }
}

Diagnostic& TokenStream::ErrorAt(const char* code, const Token& token, std::string message) const {
  return ReportWithin(diags_, code, node_, token.offset, static_cast<int>(token.text.size()),
                      std::move(message));
}

Diagnostic& TokenStream::ErrorFrom(const char* code, const Token& first, std::string message) const {
  int end = Peek().offset;
  while (end > first.offset + 1 && std::isspace(static_cast<unsigned char>(node_.scalar[end - 1]))) --end;
  return ReportWithin(diags_, code, node_, first.offset, end - first.offset, std::move(message));
}

bool TokenStream::Enter() {
  if (++depth_ <= kMaxDepth) return true;
  if (!failed_) Fail(Peek(), "the expression is nested too deeply");
  return false;
}

}  // namespace cosim::isa
