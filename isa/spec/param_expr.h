// SPDX-License-Identifier: Apache-2.0
// Integer expressions over parameters: widths, depths, extents, capacities. They are evaluated as they are
// read. All arithmetic is checked: nothing overflows 64 bits, and a division with a remainder is an error.
//
//   expr  = sum [("==" | "!=" | "<" | "<=" | ">" | ">=") sum], which is 1 where that holds, else 0
//   sum   = term { ("+" | "-") term }          term = unary { ("*" | "/") unary }
//   unary = "-" unary | number | "(" expr ")" | name | name "." attribute | function "(" expr {"," expr} ")"
//   functions: log2ceil(x), index_bits(depth) = max(1, log2ceil(depth)), ceil_pow2(x), max(x, …), min(x, …),
//              ceil_div(x, y), floor_div(x, y)
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/expr/expr.h"
#include "isa/yaml/node.h"

namespace cosim::isa {

/// Smallest n with 2^n >= x, for x >= 1.
int Log2Ceil(int64_t x);
/// Bits of an index into `depth` elements, at least 1.
int IndexBits(int64_t depth);

/// A floor_div that came to 0: not one divisor fits into the dividend.
struct Shortfall {
  int64_t dividend = 0, divisor = 0;
};

/// What the names of an expression stand for.
class ParamScope {
 public:
  struct Value {
    enum class State {
      kKnown,
      kUnknown,  ///< there is no such name: the caller reports it
      kFailed,   ///< the name's own definition is wrong: reported already
    } state = State::kUnknown;
    int64_t value = 0;
  };
  virtual ~ParamScope() = default;
  /// `attribute` is empty for a plain name.
  virtual Value Lookup(std::string_view name, std::string_view attribute) = 0;
  /// All names there are, as written in expressions.
  virtual std::vector<std::string> Names() const = 0;
  /// Adds notes on where the values of the names come from.
  virtual void Explain(const std::vector<std::string>& names, Diagnostic& diagnostic) const = 0;
};

/// Value of a scalar node, or nothing after reporting. `what` names the value in messages.
std::optional<int64_t> EvaluateParam(const YamlNode& node, std::string_view what, ParamScope& scope,
                                     Diagnostics& diags);

/// As EvaluateParam, and rejects values outside [min, max]. A 0 that a floor_div is the reason of is rejected
/// in the words of `too_small`, if there are any.
std::optional<int64_t> EvaluateParamIn(const YamlNode& node, std::string_view what, int64_t min, int64_t max,
                                       ParamScope& scope, Diagnostics& diags,
                                       const std::function<std::string(const Shortfall&)>& too_small = {});

/// `int(expr)` or `uint(expr)`, with a width of 1 to 64 bits (63 for uint).
std::optional<ScalarType> EvaluateType(const YamlNode& node, std::string_view what, ParamScope& scope,
                                       Diagnostics& diags);

}  // namespace cosim::isa
