// SPDX-License-Identifier: Apache-2.0
// Recursive descent over the lines of a body, building nodes as it goes.
#include "isa/expr/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>

#include "isa/diagnostic_codes.h"
#include "isa/expr/builder.h"
#include "isa/expr/lexer.h"
#include "isa/yaml/reader.h"

namespace cosim::isa {
namespace {

constexpr size_t kMaxNodes = 4096;

struct BinaryOperator {
  std::string_view symbol;
  ScalarOp op;
  bool swap = false;  ///< a > b is b < a
};

/// From the loosest to the tightest.
const std::vector<std::vector<BinaryOperator>>& Levels() {
  static const std::vector<std::vector<BinaryOperator>> levels = {
      {{"==", ScalarOp::kEq},
       {"!=", ScalarOp::kNe},
       {"<=", ScalarOp::kLe},
       {">=", ScalarOp::kLe, true},
       {"<", ScalarOp::kLt},
       {">", ScalarOp::kLt, true}},
      {{"|", ScalarOp::kOr}},
      {{"^", ScalarOp::kXor}},
      {{"&", ScalarOp::kAnd}},
      {{"<<", ScalarOp::kShl}, {">>", ScalarOp::kShr}},
      {{"+", ScalarOp::kAdd}, {"-", ScalarOp::kSub}},
      {{"*", ScalarOp::kMul}},
  };
  return levels;
}

const std::map<std::string, size_t, std::less<>> kFunctions = {
    {"wrap", 2},  {"uwrap", 2},       {"sat", 2}, {"min", 2},   {"max", 2},
    {"clamp", 3}, {"round_shift", 2}, {"abs", 1}, {"lookup", 2}};

/// A value that a line gave a name.
struct Local {
  int node = -1;
  bool used = false;
  const YamlNode* line = nullptr;
  Token name;
};

class BodyParser {
 public:
  BodyParser(const ExprScope& scope, Diagnostics& diags)
      : scope_(scope), diags_(diags), builder_(program_), input_nodes_(scope.inputs.size(), -1) {}

  std::optional<ScalarProgram> Parse(const YamlNode& body, ScalarType result, std::string_view result_name) {
    const size_t errors = diags_.list().size();
    for (size_t i = 0; i < body.items.size(); ++i) Line(body.items[i], i + 1 == body.items.size());
    if (diags_.list().size() == errors) CheckLocals();
    if (diags_.list().size() > errors) return std::nullopt;
    CheckResult(body.items.back(), result, result_name);
    if (diags_.list().size() > errors) return std::nullopt;
    program_.stages = stage_;
    KeepReadInputs();
    Canonicalize(program_);
    return std::move(program_);
  }

 private:
  void Line(const YamlNode& line, bool is_last) {
    if (line.kind != YamlNode::Kind::kScalar) {
      Report(diags_, codes::kWrongType, line,
             fmt::format("a line of a body has to be text, not {}", KindName(line.kind)));
      return;
    }
    if (line.scalar == "stage") {
      if (is_last) Report(diags_, codes::kScalarSyntax, line, "the last line of a body has to be its result");
      ++stage_;
      return;
    }
    TokenStream tokens(line, codes::kScalarSyntax, diags_);
    tokens_ = &tokens;
    const bool is_assignment = tokens.Peek(1).text == "=" && tokens.Peek().kind == Token::Kind::kName;
    if (is_assignment == is_last && !tokens.failed()) {
      Report(diags_, codes::kScalarSyntax, line,
             is_last ? "the last line of a body has to be an expression, its result"
                     : "a line before the last has to be 'stage' or 'name = expression'");
      return;
    }
    Token name;
    if (is_assignment) {
      name = tokens.Next();
      tokens.Next();
    }
    const int node = Expression();
    tokens.ExpectEnd();
    if (is_assignment) {
      Define(line, name, node);
    } else {
      program_.result = node;
    }
  }

  void Define(const YamlNode& line, const Token& name, int node) {
    const bool taken = locals_.contains(name.text) || FindInput(name.text) >= 0 || scope_.constant(name.text);
    if (taken) {
      tokens_->ErrorAt(codes::kRedefined, name, fmt::format("'{}' has a meaning already", name.text)).hint =
          "give the value another name";
      return;
    }
    locals_[name.text] = {node, false, &line, name};
  }

  int Expression() {
    if (!tokens_->Enter()) return -1;
    const Token first = tokens_->Peek();
    int node = BinaryLevel(0);
    if (tokens_->Accept("?")) {
      const int a = Expression();
      tokens_->Expect(":");
      const int b = Expression();
      node = Checked(first, builder_.Select(node, a, b, stage_), {node, a, b});
    }
    tokens_->Leave();
    return node;
  }

  int BinaryLevel(size_t level) {
    if (level == Levels().size()) return Unary();
    const Token first = tokens_->Peek();
    int left = BinaryLevel(level + 1);
    while (const BinaryOperator* op = AcceptOperator(level)) {
      const int right = BinaryLevel(level + 1);
      const int node = op->swap ? builder_.Binary(op->op, right, left, stage_)
                                : builder_.Binary(op->op, left, right, stage_);
      left = Checked(first, node, {left, right});
      if (level == 0) break;  // comparisons do not chain
    }
    return left;
  }

  const BinaryOperator* AcceptOperator(size_t level) {
    for (const BinaryOperator& op : Levels()[level]) {
      if (tokens_->Accept(op.symbol)) return &op;
    }
    return nullptr;
  }

  int Unary() {
    if (!tokens_->Enter()) return -1;
    const Token first = tokens_->Peek();
    int node = -1;
    if (tokens_->Accept("-")) {
      const int a = Unary();
      node = Checked(first, builder_.Binary(ScalarOp::kSub, builder_.Constant(0, stage_), a, stage_), {a});
    } else if (tokens_->Accept("~")) {
      node = builder_.Not(Unary(), stage_);
    } else if (tokens_->Accept("(")) {
      node = Expression();
      tokens_->Expect(")");
    } else if (first.kind == Token::Kind::kNumber) {
      node = builder_.Constant(tokens_->Next().number, stage_);
    } else if (first.kind == Token::Kind::kName) {
      node = Name();
    } else {
      tokens_->FailExpected("a value");
    }
    tokens_->Leave();
    if (program_.nodes.size() > kMaxNodes)
      tokens_->FailExpected(fmt::format("a body of at most {} operations", kMaxNodes));
    return node;
  }

  int Name() {
    const Token name = tokens_->Next();
    if (tokens_->Accept("(")) return name.text == "lookup" ? Lookup(name) : Call(name);
    std::string text = name.text;
    if (tokens_->Accept(".")) text += "." + tokens_->ExpectName("a field");
    if (tokens_->failed()) return -1;
    const auto local = locals_.find(text);
    if (local != locals_.end()) {
      local->second.used = true;
      return local->second.node;
    }
    if (const int input = FindInput(text); input >= 0) return InputNode(input);
    if (const std::optional<int64_t> value = scope_.constant(text)) return builder_.Constant(*value, stage_);
    tokens_
        ->ErrorFrom(codes::kScalarName, name,
                    fmt::format("'{}' is no operand, field, parameter or earlier value", text))
        .hint = HintFor(text);
    return -1;
  }

  std::string HintFor(const std::string& unknown) const {
    for (const std::string& name : scope_.names) {
      if (name.starts_with(unknown + "."))
        return fmt::format("its memory holds records: name a field, like {}", name);
    }
    std::vector<std::string> names = scope_.names;
    for (const auto& [local, value] : locals_) names.push_back(local);
    return NameHint(unknown, names);
  }

  int Lookup(const Token& name) {
    const Token memory = tokens_->Peek();
    const std::string text = tokens_->ExpectName("a memory");
    if (!tokens_->Expect(",")) return -1;
    const int index = Expression();
    if (!tokens_->Expect(")")) return -1;
    const auto table = std::ranges::find(scope_.tables, text, &ScalarTable::name);
    if (table != scope_.tables.end()) return Checked(name, builder_.Lookup(*table, index, stage_), {index});
    std::vector<std::string> names;
    for (const ScalarTable& known : scope_.tables) names.push_back(known.name);
    tokens_->ErrorAt(codes::kScalarName, memory, fmt::format("'{}' is no memory that can be looked up", text))
        .hint = names.empty() ? "such a memory has one lane, one value of at most 32 bits in it, and one bank"
                              : NameHint(text, names);
    return -1;
  }

  int Call(const Token& name) {
    std::vector<int> arguments;
    do {
      arguments.push_back(Expression());
    } while (tokens_->Accept(","));
    if (!tokens_->Expect(")")) return -1;
    const auto function = kFunctions.find(name.text);
    if (function == kFunctions.end()) {
      std::vector<std::string> names;
      for (const auto& [known, count] : kFunctions) names.push_back(known);
      tokens_->ErrorAt(codes::kScalarName, name, fmt::format("there is no function '{}'", name.text)).hint =
          NameHint(name.text, names);
      return -1;
    }
    if (arguments.size() != function->second) {
      tokens_->ErrorFrom(codes::kScalarSyntax, name,
                         fmt::format("{} takes {} argument{}, not {}", name.text, function->second,
                                     function->second == 1 ? "" : "s", arguments.size()));
      return -1;
    }
    if (std::ranges::find(arguments, -1) != arguments.end()) return -1;
    return Checked(name, Apply(name, arguments), arguments);
  }

  /// -1 with the builder's error set, or after reporting a bad width.
  int Apply(const Token& name, const std::vector<int>& arguments) {
    const std::string& function = name.text;
    if (function == "abs") return builder_.Abs(arguments[0], stage_);
    if (function == "clamp") return builder_.Clamp(arguments[0], arguments[1], arguments[2], stage_);
    if (function == "min") return builder_.Binary(ScalarOp::kMin, arguments[0], arguments[1], stage_);
    if (function == "max") return builder_.Binary(ScalarOp::kMax, arguments[0], arguments[1], stage_);
    if (function == "round_shift")
      return builder_.Binary(ScalarOp::kRoundShift, arguments[0], arguments[1], stage_);
    const bool is_signed = function != "uwrap";
    const ScalarNode& width = program_.nodes[arguments[1]];
    const int most = is_signed ? 64 : 63;
    if (width.op != ScalarOp::kConst || width.value < 1 || width.value > most) {
      tokens_->ErrorFrom(codes::kScalarType, name,
                         fmt::format("the width of {} has to be a constant from 1 to {}", function, most));
      return -1;
    }
    const ScalarType type{static_cast<int>(width.value), is_signed};
    return builder_.Convert(function == "sat" ? ScalarOp::kSat : ScalarOp::kWrap, arguments[0], type, stage_);
  }

  /// Reports what the builder found wrong, unless an operand was wrong already.
  int Checked(const Token& first, int node, const std::vector<int>& operands) {
    if (node >= 0 || std::ranges::find(operands, -1) != operands.end()) return node;
    const ExprBuilder::Error error = builder_.TakeError();
    if (error.code) tokens_->ErrorFrom(error.code, first, error.message).hint = error.hint;
    return -1;
  }

  int FindInput(std::string_view name) const {
    const auto found = std::ranges::find(scope_.inputs, name, &ScalarInput::name);
    return found == scope_.inputs.end() ? -1 : static_cast<int>(found - scope_.inputs.begin());
  }

  int InputNode(int input) {
    if (input_nodes_[input] < 0) {
      ScalarNode node;
      node.op = ScalarOp::kInput;
      node.type = scope_.inputs[input].type;
      node.input = input;
      input_nodes_[input] = static_cast<int>(program_.nodes.size());
      program_.nodes.push_back(node);
    }
    return input_nodes_[input];
  }

  void CheckLocals() {
    for (const auto& [name, local] : locals_) {
      if (local.used) continue;
      ReportWithin(diags_, codes::kUnused, *local.line, local.name.offset, static_cast<int>(name.size()),
                   fmt::format("nothing reads the value '{}'", name));
    }
  }

  void CheckResult(const YamlNode& line, ScalarType result, std::string_view result_name) {
    const ScalarType type = builder_.TypeOf(program_.result);
    if (Holds(result, type)) return;
    Report(diags_, codes::kResultType, line,
           fmt::format("the result is {}, but '{}' holds {}", TypeText(type), result_name, TypeText(result)))
        .hint =
        fmt::format("wrap(x, {}) drops the high bits, sat(x, {}) saturates", result.width, result.width);
  }

  void KeepReadInputs() {
    for (size_t i = 0; i < scope_.inputs.size(); ++i) {
      if (input_nodes_[i] < 0) continue;
      program_.nodes[input_nodes_[i]].input = static_cast<int>(program_.inputs.size());
      program_.inputs.push_back(scope_.inputs[i]);
    }
  }

  const ExprScope& scope_;
  Diagnostics& diags_;
  ScalarProgram program_;
  ExprBuilder builder_;
  std::vector<int> input_nodes_;  ///< by input of the scope: its node, -1 if it was not read yet
  std::map<std::string, Local, std::less<>> locals_;
  TokenStream* tokens_ = nullptr;  ///< of the line being read
  int stage_ = 0;
};

}  // namespace

std::optional<ScalarProgram> ParseBody(const YamlNode& body, const ExprScope& scope, ScalarType result,
                                       std::string_view result_name, Diagnostics& diags) {
  if (body.kind == YamlNode::Kind::kSequence && body.items.empty()) {
    Report(diags, codes::kScalarSyntax, body, "a body has to have a line, its result");
    return std::nullopt;
  }
  if (body.kind != YamlNode::Kind::kSequence) {
    Report(diags, codes::kWrongType, body,
           fmt::format("a body has to be a list of lines, not {}", KindName(body.kind)));
    return std::nullopt;
  }
  return BodyParser(scope, diags).Parse(body, result, result_name);
}

}  // namespace cosim::isa
