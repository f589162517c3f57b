// SPDX-License-Identifier: Apache-2.0
// Type inference on ranges: the range of a result from the ranges of the operands' types, then the narrowest
// type.
#include "isa/expr/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "isa/check.h"
#include "isa/diagnostic_codes.h"
#include "isa/wide.h"

namespace cosim::isa {
namespace {

struct Range {
  Wide min, max;
};

Range RangeOf(ScalarType type) { return {type.Min(), type.Max()}; }

Range Hull(std::initializer_list<Wide> values) { return {std::min(values), std::max(values)}; }

/// The narrowest type that holds the range; nothing if it takes more than 64 bits.
std::optional<ScalarType> Narrowest(Range range) {
  for (int width = 1; width <= 64; ++width) {
    const ScalarType type{width, range.min < 0};
    if (width == 64 && !type.is_signed) break;
    if (type.Min() <= range.min && range.max <= type.Max()) return type;
  }
  // A positive range beyond uint63 has no type; neither has anything beyond int64.
  return std::nullopt;
}

Range BinaryRange(ScalarOp op, Range a, Range b) {
  switch (op) {
    case ScalarOp::kAdd:
      return {a.min + b.min, a.max + b.max};
    case ScalarOp::kSub:
      return {a.min - b.max, a.max - b.min};
    case ScalarOp::kMul:
      return Hull({a.min * b.min, a.min * b.max, a.max * b.min, a.max * b.max});
    case ScalarOp::kMin:
      return {std::min(a.min, b.min), std::min(a.max, b.max)};
    case ScalarOp::kMax:
      return {std::max(a.min, b.min), std::max(a.max, b.max)};
    case ScalarOp::kShr:
    case ScalarOp::kRoundShift:
      return {std::min<Wide>(a.min, 0), std::max<Wide>(a.max, 0)};
    case ScalarOp::kLt:
    case ScalarOp::kLe:
    case ScalarOp::kEq:
    case ScalarOp::kNe:
      return {0, 1};
    default:
      COSIM_CHECK(false, "op {} has no range rule", static_cast<int>(op));
  }
}

/// Bitwise operators act on two's complement of any length, so their type follows from the widths.
std::optional<ScalarType> BitwiseType(ScalarOp op, ScalarType a, ScalarType b) {
  if (!a.is_signed && !b.is_signed) {
    return ScalarType{op == ScalarOp::kAnd ? std::min(a.width, b.width) : std::max(a.width, b.width), false};
  }
  if (op == ScalarOp::kAnd && !a.is_signed) return a;
  if (op == ScalarOp::kAnd && !b.is_signed) return b;
  const int width = std::max(a.width + (a.is_signed ? 0 : 1), b.width + (b.is_signed ? 0 : 1));
  return ScalarType{width, true};
}

bool IsBitwise(ScalarOp op) { return op == ScalarOp::kAnd || op == ScalarOp::kOr || op == ScalarOp::kXor; }
bool IsShift(ScalarOp op) {
  return op == ScalarOp::kShr || op == ScalarOp::kShl || op == ScalarOp::kRoundShift;
}

}  // namespace

std::string TypeText(ScalarType type) {
  return fmt::format("{}{}", type.is_signed ? "int" : "uint", type.width);
}

bool Holds(ScalarType outer, ScalarType inner) {
  return outer.Min() <= inner.Min() && inner.Max() <= outer.Max();
}

int ExprBuilder::Fail(const char* code, std::string message, std::string hint) {
  error_ = {code, std::move(message), std::move(hint)};
  return -1;
}

int ExprBuilder::Add(ScalarNode node) {
  const auto is_constant = [&](int operand) { return operand < 0 || IsConstant(operand); };
  const auto value = [&](int operand) { return operand < 0 ? int64_t{0} : program_.nodes[operand].value; };
  const bool folds = node.op != ScalarOp::kConst && node.op != ScalarOp::kLookup;
  if (folds && is_constant(node.a) && is_constant(node.b) && is_constant(node.c)) {
    const int64_t folded = EvaluateNode(node, value(node.a), value(node.b), value(node.c));
    const bool keeps_type = node.op == ScalarOp::kWrap || node.op == ScalarOp::kSat;
    ScalarNode constant;
    constant.value = folded;
    constant.type = keeps_type ? node.type : *Narrowest({folded, folded});
    constant.stage = node.stage;
    node = constant;
  }
  program_.nodes.push_back(node);
  return static_cast<int>(program_.nodes.size()) - 1;
}

int ExprBuilder::Constant(int64_t value, int stage) {
  ScalarNode node;
  node.value = value;
  node.type = *Narrowest({value, value});
  node.stage = stage;
  return Add(node);
}

int ExprBuilder::Binary(ScalarOp op, int a, int b, int stage) {
  if (a < 0 || b < 0) return -1;
  const ScalarType left = TypeOf(a), right = TypeOf(b);
  if (IsShift(op) && right.is_signed) {
    return Fail(codes::kScalarType,
                fmt::format("a shift count has to be unsigned, this one is {}", TypeText(right)),
                "uwrap(x, width) makes a count of any value");
  }
  std::optional<ScalarType> type;
  if (IsBitwise(op)) {
    type = BitwiseType(op, left, right);
    if (type->width > 64) type.reset();
  } else if (op == ScalarOp::kShl) {
    const int64_t most = IsConstant(b) ? program_.nodes[b].value : right.Max();
    if (most < 64) {
      const Wide factor = Wide{1} << most;
      type = Narrowest({left.Min() * factor, left.Max() * factor});
    }
  } else {
    type = Narrowest(BinaryRange(op, RangeOf(left), RangeOf(right)));
  }
  if (!type) {
    return Fail(
        codes::kScalarWidth,
        fmt::format("the result of {} and {} needs more than 64 bits", TypeText(left), TypeText(right)),
        "bring an operand to fewer bits with wrap(x, width) or sat(x, width)");
  }
  ScalarNode node;
  node.op = op;
  node.type = *type;
  node.a = a;
  node.b = b;
  node.stage = stage;
  return Add(node);
}

int ExprBuilder::Not(int a, int stage) {
  if (a < 0) return -1;
  ScalarNode node;
  node.op = ScalarOp::kNot;
  node.type = *Narrowest({-1 - Wide{TypeOf(a).Max()}, -1 - Wide{TypeOf(a).Min()}});
  node.a = a;
  node.stage = stage;
  return Add(node);
}

int ExprBuilder::Abs(int a, int stage) {
  if (a < 0 || !TypeOf(a).is_signed) return a;
  const int magnitude =
      Binary(ScalarOp::kMax, a, Binary(ScalarOp::kSub, Constant(0, stage), a, stage), stage);
  if (magnitude < 0 || TypeOf(a).width == 64) return magnitude;
  // No magnitude exceeds 2^(width-1), which the range of the subtraction alone does not show.
  return Convert(ScalarOp::kWrap, magnitude, {TypeOf(a).width, false}, stage);
}

int ExprBuilder::Select(int condition, int a, int b, int stage) {
  if (condition < 0 || a < 0 || b < 0) return -1;
  if (TypeOf(condition) != ScalarType{1, false}) {
    return Fail(codes::kScalarType,
                fmt::format("a condition has to be uint1, this one is {}", TypeText(TypeOf(condition))),
                "compare it with something, like x != 0");
  }
  const Range left = RangeOf(TypeOf(a)), right = RangeOf(TypeOf(b));
  const std::optional<ScalarType> type =
      Narrowest({std::min(left.min, right.min), std::max(left.max, right.max)});
  COSIM_CHECK(type.has_value());
  ScalarNode node;
  node.op = ScalarOp::kSelect;
  node.type = *type;
  node.a = condition;
  node.b = a;
  node.c = b;
  node.stage = stage;
  return Add(node);
}

int ExprBuilder::Clamp(int x, int lo, int hi, int stage) {
  if (x < 0 || lo < 0 || hi < 0) return -1;
  const Range inner = BinaryRange(ScalarOp::kMin, RangeOf(TypeOf(x)), RangeOf(TypeOf(hi)));
  const std::optional<ScalarType> type = Narrowest(BinaryRange(ScalarOp::kMax, inner, RangeOf(TypeOf(lo))));
  COSIM_CHECK(type.has_value());
  ScalarNode node;
  node.op = ScalarOp::kClamp;
  node.type = *type;
  node.a = x;
  node.b = lo;
  node.c = hi;
  node.stage = stage;
  return Add(node);
}

int ExprBuilder::Convert(ScalarOp op, int a, ScalarType type, int stage) {
  if (a < 0) return -1;
  ScalarNode node;
  node.op = op;
  node.type = type;
  node.a = a;
  node.stage = stage;
  return Add(node);
}

int ExprBuilder::Lookup(const ScalarTable& table, int index, int stage) {
  if (index < 0) return -1;
  const ScalarType type = TypeOf(index);
  const int64_t most = IsConstant(index) ? program_.nodes[index].value : type.Max();
  if (type.is_signed || most >= table.depth) {
    const int width = std::bit_width(static_cast<uint64_t>(table.depth)) - 1;
    return Fail(codes::kScalarType,
                fmt::format("an index of '{}' has to be unsigned and below its {} elements, this one is {}",
                            table.name, table.depth, TypeText(type)),
                fmt::format("uwrap(x, {}) makes an index of any value", std::max(1, width)));
  }
  auto found = std::ranges::find(program_.tables, table.memory, &ScalarTable::memory);
  if (found == program_.tables.end()) found = program_.tables.insert(found, table);
  ScalarNode node;
  node.op = ScalarOp::kLookup;
  node.type = table.type;
  node.a = index;
  node.input = static_cast<int>(found - program_.tables.begin());
  node.stage = stage;
  return Add(node);
}

void Canonicalize(ScalarProgram& program) {
  const int count = static_cast<int>(program.nodes.size());
  std::vector<bool> needed(count, false);
  needed[program.result] = true;
  for (int i = count - 1; i >= 0; --i) {
    const ScalarNode& node = program.nodes[i];
    for (int operand : {node.a, node.b, node.c}) {
      if (needed[i] && operand >= 0) needed[operand] = true;
    }
  }
  std::vector<int> order;
  for (int i = 0; i < count; ++i) {
    if (needed[i]) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](int i) {
    const ScalarNode& node = program.nodes[i];
    return node.op == ScalarOp::kInput ? -1 : node.stage;
  });
  std::vector<int> renamed(count, -1);
  std::vector<ScalarNode> nodes;
  for (int i : order) {
    renamed[i] = static_cast<int>(nodes.size());
    ScalarNode node = program.nodes[i];
    for (int* operand : {&node.a, &node.b, &node.c}) {
      if (*operand >= 0) *operand = renamed[*operand];
    }
    nodes.push_back(node);
  }
  program.result = renamed[program.result];
  program.nodes = std::move(nodes);
}

}  // namespace cosim::isa
