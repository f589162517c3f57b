// SPDX-License-Identifier: Apache-2.0
// The grammar of ALU op bodies. A body is a list of lines: `name = expr`, `stage` (a pipeline register), and
// last the expression that is the result. Types are inferred by isa/expr/builder.h.
//
//   expr    = binary ["?" expr ":" expr]
//   binary  = operators from the loosest: one of == != < <= > >= (not chained), |, ^, &, << >>, + -, *
//   unary   = ("-" | "~") unary | primary
//   primary = number | name | name "." field | function "(" expr {"," expr} ")" | "(" expr ")"
//           | "lookup" "(" memory "," expr ")"
//
// Functions: wrap(x, w) uwrap(x, w) sat(x, w) min(a, b) max(a, b) clamp(x, lo, hi) round_shift(x, s) abs(x)
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/expr/expr.h"
#include "isa/yaml/node.h"

namespace cosim::isa {

/// What the names of a body stand for: values that are known when the op executes, and constants that are
/// known now.
struct ExprScope {
  std::vector<ScalarInput> inputs;
  std::vector<ScalarTable> tables;  ///< memories that can be looked up
  /// The value of a parameter, if there is one of that name.
  std::function<std::optional<int64_t>(std::string_view)> constant;
  std::vector<std::string> names;  ///< of all inputs and constants, for hints
};

/// Reads a body (a sequence of scalars), whose result has to fit `result`. `result_name` is that memory in
/// messages. The program has only those inputs that it reads.
std::optional<ScalarProgram> ParseBody(const YamlNode& body, const ExprScope& scope, ScalarType result,
                                       std::string_view result_name, Diagnostics& diags);

}  // namespace cosim::isa
