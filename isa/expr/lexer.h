// SPDX-License-Identifier: Apache-2.0
// Cuts an expression in a YAML scalar into tokens. Shared by the expressions over parameters, the bodies of
// ALU ops and the intrinsics; each brings its own grammar and code for syntax errors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/yaml/node.h"

namespace cosim::isa {

struct Token {
  enum class Kind { kName, kNumber, kSymbol, kEnd } kind = Kind::kEnd;
  std::string text;
  int64_t number = 0;  ///< kNumber
  int offset = 0;      ///< within the scalar's value
};

/// Reads tokens one after the other. After the first syntax error it is at its end and stays there.
class TokenStream {
 public:
  /// `node` is a scalar and outlives the stream. `code` is what syntax errors are reported as.
  TokenStream(const YamlNode& node, const char* code, Diagnostics& diags);

  const Token& Peek() const { return tokens_[next_]; }
  /// The token `ahead` places after Peek().
  const Token& Peek(size_t ahead) const;
  Token Next();
  bool AtEnd() const { return Peek().kind == Token::Kind::kEnd; }
  bool failed() const { return failed_; }
  /// Takes the symbol if it is next.
  bool Accept(std::string_view symbol);
  /// Takes the symbol, or reports that it was expected.
  bool Expect(std::string_view symbol);
  /// Takes a name, or reports that `what` was expected; then empty.
  std::string ExpectName(std::string_view what);
  /// Reports what is left over after a complete expression.
  void ExpectEnd();
  /// Reports "expected …" at the next token. Only the first error of a stream is reported.
  void FailExpected(std::string_view what);
  /// Reports any error at a token, without ending the stream.
  Diagnostic& ErrorAt(const char* code, const Token& token, std::string message) const;
  /// Reports an error under all from `first` to before the next token, without ending the stream.
  Diagnostic& ErrorFrom(const char* code, const Token& first, std::string message) const;

  /// Keeps the depth of recursion bounded: false, after reporting, when an expression is nested too deeply.
  bool Enter();
  void Leave() { --depth_; }

 private:
  void Tokenize();
  void Fail(const Token& token, const std::string& message);

  const YamlNode& node_;
  const char* code_;
  Diagnostics& diags_;
  std::vector<Token> tokens_;
  size_t next_ = 0;
  int depth_ = 0;
  bool failed_ = false;
};

}  // namespace cosim::isa
