// SPDX-License-Identifier: Apache-2.0
// Evaluates expressions over parameters in one pass over their tokens.
#include "isa/spec/param_expr.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "isa/diagnostic_codes.h"
#include "isa/expr/lexer.h"
#include "isa/yaml/reader.h"

namespace cosim::isa {
namespace {

/// A value, or nothing once an error has been reported; evaluation goes on to find further ones.
using Value = std::optional<int64_t>;

class Evaluator {
 public:
  Evaluator(const YamlNode& node, ParamScope& scope, Diagnostics& diags)
      : tokens_(node, codes::kExprSyntax, diags), scope_(scope) {}

  Value WholeExpression() {
    const Value value = Expression();
    tokens_.ExpectEnd();
    return tokens_.failed() ? std::nullopt : value;
  }

  std::optional<ScalarType> Type() {
    const Token name = tokens_.Next();
    const bool is_signed = name.text == "int";
    if (!is_signed && name.text != "uint") {
      tokens_.ErrorAt(codes::kExprSyntax, name, "a type is int(width) or uint(width)");
      return std::nullopt;
    }
    if (!tokens_.Expect("(")) return std::nullopt;
    const Token first = tokens_.Peek();
    const Value width = Expression();
    if (width && (*width < 1 || *width > (is_signed ? 64 : 63))) {
      Diagnostic& error = tokens_.ErrorFrom(codes::kWidth, first,
                                            fmt::format("{} cannot be {} bits wide", name.text, *width));
      error.hint = is_signed ? "int takes 1 to 64 bits" : "uint takes 1 to 63 bits";
      scope_.Explain(names_, error);
      return std::nullopt;
    }
    tokens_.Expect(")");
    tokens_.ExpectEnd();
    if (tokens_.failed() || !width) return std::nullopt;
    return ScalarType{static_cast<int>(*width), is_signed};
  }

  const std::vector<std::string>& names() const { return names_; }
  /// The first one met.
  const std::optional<Shortfall>& shortfall() const { return shortfall_; }

 private:
  /// A sum, or how two compare: 1 or 0.
  Value Expression() {
    const Value left = Sum();
    for (const std::string_view symbol : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (!tokens_.Accept(symbol)) continue;
      const Value right = Sum();
      if (!left || !right) return std::nullopt;
      const bool less = *left < *right, equal = *left == *right;
      const bool holds = symbol == "=="   ? equal
                         : symbol == "!=" ? !equal
                         : symbol == "<=" ? less || equal
                         : symbol == ">=" ? !less
                         : symbol == "<"  ? less
                                          : !less && !equal;
      return holds ? 1 : 0;
    }
    return left;
  }

  Value Sum() {
    if (!tokens_.Enter()) return std::nullopt;
    Value left = Term();
    while (true) {
      const Token op = tokens_.Peek();
      if (!tokens_.Accept("+") && !tokens_.Accept("-")) break;
      left = Apply(op, left, Term());
    }
    tokens_.Leave();
    return left;
  }

  Value Term() {
    Value left = Unary();
    while (true) {
      const Token op = tokens_.Peek();
      if (!tokens_.Accept("*") && !tokens_.Accept("/")) break;
      left = Apply(op, left, Unary());
    }
    return left;
  }

  Value Unary() {
    if (!tokens_.Enter()) return std::nullopt;
    const Token first = tokens_.Peek();
    Value value;
    if (tokens_.Accept("-")) {
      value = Apply(first, 0, Unary());
    } else if (tokens_.Accept("(")) {
      value = Expression();
      tokens_.Expect(")");
    } else if (first.kind == Token::Kind::kNumber) {
      value = tokens_.Next().number;
    } else if (first.kind == Token::Kind::kName) {
      value = Name();
    } else {
      tokens_.FailExpected("a number or a name");
    }
    tokens_.Leave();
    return value;
  }

  Value Apply(const Token& op, Value left, Value right) {
    if (!left || !right) return std::nullopt;
    int64_t result = 0;
    bool overflow = false;
    switch (op.text[0]) {
      case '+':
        overflow = __builtin_add_overflow(*left, *right, &result);
        break;
      case '-':
        overflow = __builtin_sub_overflow(*left, *right, &result);
        break;
      case '*':
        overflow = __builtin_mul_overflow(*left, *right, &result);
        break;
      default:
        return Divide(op, *left, *right);
    }
    if (!overflow) return result;
    return Error(codes::kOverflow, op, fmt::format("{} {} {} does not fit 64 bits", *left, op.text, *right));
  }

  Value Divide(const Token& op, int64_t left, int64_t right) {
    if (right == 0) return Error(codes::kOverflow, op, fmt::format("{} is divided by zero", left));
    if (right == -1) return Apply({Token::Kind::kSymbol, "-", 0, op.offset}, 0, left);
    if (left % right == 0) return left / right;
    return Error(codes::kInexact, op, fmt::format("{} is not divisible by {}", left, right),
                 "floor_div(x, y) rounds down, ceil_div(x, y) up");
  }

  Value Error(const char* code, const Token& token, std::string message, std::string hint = {}) {
    Diagnostic& error = tokens_.ErrorAt(code, token, std::move(message));
    error.hint = std::move(hint);
    scope_.Explain(names_, error);
    return std::nullopt;
  }

  Value Name() {
    const Token name = tokens_.Next();
    if (tokens_.Accept("(")) return Call(name);
    std::string attribute;
    if (tokens_.Accept(".")) attribute = tokens_.ExpectName("an attribute");
    if (tokens_.failed()) return std::nullopt;
    const std::string full = attribute.empty() ? name.text : name.text + "." + attribute;
    const ParamScope::Value value = scope_.Lookup(name.text, attribute);
    if (value.state == ParamScope::Value::State::kUnknown) {
      tokens_
          .ErrorFrom(codes::kExprName, name,
                     fmt::format("'{}' is no parameter and no property of a memory", full))
          .hint = full == "alu_stages"         ? "only the numbers of units can use it"
                  : full == "instruction_bits" ? "only 'word_bits' and the numbers of units can use it"
                                               : NameHint(full, scope_.Names());
    }
    if (value.state != ParamScope::Value::State::kKnown) return std::nullopt;
    names_.push_back(full);
    return value.value;
  }

  Value Call(const Token& name) {
    std::vector<Value> arguments;
    do {
      arguments.push_back(Expression());
    } while (tokens_.Accept(","));
    if (!tokens_.Expect(")")) return std::nullopt;
    static const std::vector<std::string> kFunctions = {"log2ceil", "index_bits", "ceil_pow2", "max",
                                                        "min",      "ceil_div",   "floor_div"};
    if (std::ranges::find(kFunctions, name.text) == kFunctions.end()) {
      tokens_.ErrorAt(codes::kExprName, name, fmt::format("there is no function '{}'", name.text)).hint =
          NameHint(name.text, kFunctions);
      return std::nullopt;
    }
    const bool any_number = name.text == "max" || name.text == "min";
    const bool divides = name.text == "ceil_div" || name.text == "floor_div";
    const size_t expected = divides ? 2 : 1;
    if (!any_number && arguments.size() != expected) {
      return Error(codes::kExprSyntax, name,
                   fmt::format("{} takes {} argument{}, not {}", name.text, expected,
                               expected == 1 ? "" : "s", arguments.size()));
    }
    std::vector<int64_t> numbers;
    for (const Value& argument : arguments) {
      if (!argument) return std::nullopt;
      numbers.push_back(*argument);
    }
    if (name.text == "max") return *std::ranges::max_element(numbers);
    if (name.text == "min") return *std::ranges::min_element(numbers);
    if (divides) return DivideRounding(name, numbers[0], numbers[1]);
    if (numbers[0] < 1) {
      return Error(codes::kOverflow, name,
                   fmt::format("{} takes positive numbers, not {}", name.text, numbers[0]));
    }
    if (name.text == "log2ceil") return Log2Ceil(numbers[0]);
    if (name.text == "index_bits") return IndexBits(numbers[0]);
    if (Log2Ceil(numbers[0]) < 63) return int64_t{1} << Log2Ceil(numbers[0]);
    return Error(codes::kOverflow, name, fmt::format("ceil_pow2({}) does not fit 64 bits", numbers[0]));
  }

  Value DivideRounding(const Token& name, int64_t a, int64_t b) {
    if (a < 0 || b < 1)
      return Error(codes::kOverflow, name,
                   fmt::format("{} takes a positive divisor and no negative dividend, not {} and {}",
                               name.text, a, b));
    if (name.text == "ceil_div") return a / b + (a % b != 0);
    if (a < b && !shortfall_) shortfall_ = {a, b};
    return a / b;
  }

  TokenStream tokens_;
  ParamScope& scope_;
  std::vector<std::string> names_;  ///< known names used so far
  std::optional<Shortfall> shortfall_;
};

bool IsScalar(const YamlNode& node, std::string_view what, Diagnostics& diags) {
  if (node.kind == YamlNode::Kind::kScalar && !node.scalar.empty()) return true;
  Report(diags, codes::kWrongType, node,
         fmt::format("{} has to be an expression, not {}", what, KindName(node.kind)));
  return false;
}

}  // namespace

int Log2Ceil(int64_t x) { return x <= 1 ? 0 : std::bit_width(static_cast<uint64_t>(x - 1)); }

int IndexBits(int64_t depth) { return std::max(1, Log2Ceil(depth)); }

std::optional<int64_t> EvaluateParam(const YamlNode& node, std::string_view what, ParamScope& scope,
                                     Diagnostics& diags) {
  if (!IsScalar(node, what, diags)) return std::nullopt;
  return Evaluator(node, scope, diags).WholeExpression();
}

std::optional<int64_t> EvaluateParamIn(const YamlNode& node, std::string_view what, int64_t min, int64_t max,
                                       ParamScope& scope, Diagnostics& diags,
                                       const std::function<std::string(const Shortfall&)>& too_small) {
  if (!IsScalar(node, what, diags)) return std::nullopt;
  Evaluator evaluator(node, scope, diags);
  const Value value = evaluator.WholeExpression();
  if (!value || (*value >= min && *value <= max)) return value;
  const bool nothing_fits = *value == 0 && evaluator.shortfall() && too_small;
  scope.Explain(evaluator.names(), Report(diags, codes::kOutOfRange, node,
                                          nothing_fits ? too_small(*evaluator.shortfall())
                                                       : fmt::format("{} is {}, but has to be {} to {}", what,
                                                                     *value, min, max)));
  return std::nullopt;
}

std::optional<ScalarType> EvaluateType(const YamlNode& node, std::string_view what, ParamScope& scope,
                                       Diagnostics& diags) {
  if (!IsScalar(node, what, diags)) return std::nullopt;
  return Evaluator(node, scope, diags).Type();
}

}  // namespace cosim::isa
