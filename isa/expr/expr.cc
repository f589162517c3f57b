// SPDX-License-Identifier: Apache-2.0
// The meaning of scalar programs, one node at a time.
#include "isa/expr/expr.h"

#include <algorithm>

#include "isa/check.h"
#include "isa/wide.h"

namespace cosim::isa {
namespace {

/// The low `type.width` bits of `value`, read as `type`.
int64_t WrapTo(ScalarType type, int64_t value) {
  const int drop = 64 - type.width;
  const auto shifted = static_cast<uint64_t>(value) << drop;
  if (!type.is_signed) return static_cast<int64_t>(shifted >> drop);
  return static_cast<int64_t>(shifted) >> drop;
}

int64_t ShiftRight(int64_t value, int64_t by) { return value >> std::min<int64_t>(by, 63); }

int64_t RoundShift(int64_t value, int64_t by) {
  if (by == 0) return value;
  if (by > 64) return 0;
  return static_cast<int64_t>((Wide{value} + (Wide{1} << (by - 1))) >> by);
}

}  // namespace

int64_t ScalarType::Min() const { return is_signed ? -1 - Max() : 0; }

int64_t ScalarType::Max() const {
  const int magnitude = is_signed ? width - 1 : width;
  return static_cast<int64_t>((uint64_t{1} << magnitude) - 1);
}

/// Sums and products are formed in 128 bits, so that only the node's type decides what remains.
int64_t EvaluateNode(const ScalarNode& node, int64_t a, int64_t b, int64_t c) {
  switch (node.op) {
    case ScalarOp::kConst:
      return node.value;
    case ScalarOp::kInput:
    case ScalarOp::kLookup:
      COSIM_CHECK(false, "what inputs and tables hold is not in a node");
    case ScalarOp::kAdd:
      return static_cast<int64_t>(Wide{a} + b);
    case ScalarOp::kSub:
      return static_cast<int64_t>(Wide{a} - b);
    case ScalarOp::kMul:
      return static_cast<int64_t>(Wide{a} * b);
    case ScalarOp::kMin:
      return std::min(a, b);
    case ScalarOp::kMax:
      return std::max(a, b);
    case ScalarOp::kShr:
      return ShiftRight(a, b);
    case ScalarOp::kShl:
      return static_cast<int64_t>(Wide{a} * (Wide{1} << b));
    case ScalarOp::kRoundShift:
      return RoundShift(a, b);
    case ScalarOp::kAnd:
      return a & b;
    case ScalarOp::kOr:
      return a | b;
    case ScalarOp::kXor:
      return a ^ b;
    case ScalarOp::kNot:
      return ~a;
    case ScalarOp::kLt:
      return a < b;
    case ScalarOp::kLe:
      return a <= b;
    case ScalarOp::kEq:
      return a == b;
    case ScalarOp::kNe:
      return a != b;
    case ScalarOp::kSelect:
      return a ? b : c;
    case ScalarOp::kWrap:
      return WrapTo(node.type, a);
    case ScalarOp::kSat:
      return std::clamp(a, node.type.Min(), node.type.Max());
    case ScalarOp::kClamp:
      return std::max(b, std::min(a, c));
  }
  COSIM_CHECK(false, "unknown scalar op {}", static_cast<int>(node.op));
}

int64_t Evaluate(const ScalarProgram& program, std::span<const int64_t> inputs,
                 const std::function<int64_t(const ScalarTable&, int64_t)>& lookup) {
  COSIM_CHECK(inputs.size() == program.inputs.size());
  std::vector<int64_t> values(program.nodes.size());
  const auto operand = [&](int node) { return node < 0 ? int64_t{0} : values[node]; };
  for (size_t i = 0; i < values.size(); ++i) {
    const ScalarNode& node = program.nodes[i];
    if (node.op == ScalarOp::kInput)
      values[i] = inputs[node.input];
    else if (node.op == ScalarOp::kLookup)
      values[i] = lookup(program.tables[node.input], values[node.a]);
    else
      values[i] = EvaluateNode(node, operand(node.a), operand(node.b), operand(node.c));
  }
  return values[program.result];
}

}  // namespace cosim::isa
