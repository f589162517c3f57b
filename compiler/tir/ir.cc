// SPDX-License-Identifier: Apache-2.0
// Makers of loop IR nodes: they check types and fold integer constants. Range-based simplification is
// simplify.cc's.
#include "compiler/tir/ir.h"

#include <limits>
#include <optional>

#include "compiler/tir/arithmetic.h"
#include "isa/check.h"

namespace cosim::tir {
namespace {

Expr MakeExpr(DataType type, decltype(ExprNode::node) node) {
  return std::make_shared<const ExprNode>(ExprNode{type, std::move(node)});
}

bool IsComparison(BinaryOp op) {
  return op == BinaryOp::kLt || op == BinaryOp::kLe || op == BinaryOp::kEq || op == BinaryOp::kNe;
}

bool IsLogical(BinaryOp op) { return op == BinaryOp::kLogicalAnd || op == BinaryOp::kLogicalOr; }

bool IsIntegerOnly(BinaryOp op) {
  switch (op) {
    case BinaryOp::kFloorDiv:
    case BinaryOp::kFloorMod:
    case BinaryOp::kShl:
    case BinaryOp::kShr:
    case BinaryOp::kRoundShift:
    case BinaryOp::kAnd:
    case BinaryOp::kOr:
    case BinaryOp::kXor:
      return true;
    default:
      return false;
  }
}

bool IsFloatOnly(BinaryOp op) {
  return op == BinaryOp::kDiv || op == BinaryOp::kPow || op == BinaryOp::kFMod;
}

std::optional<int64_t> ConstantOf(const Expr& expr) {
  const auto* imm = std::get_if<IntImm>(&expr->node);
  return imm ? std::optional<int64_t>(imm->value) : std::nullopt;
}

// x + 0, x * 1, x * 0, true && x and the like; null when none applies.
Expr FoldIdentity(BinaryOp op, const Expr& a, const Expr& b) {
  const std::optional<int64_t> ca = ConstantOf(a), cb = ConstantOf(b);
  switch (op) {
    case BinaryOp::kAdd:
      return cb == 0 ? a : ca == 0 ? b : nullptr;
    case BinaryOp::kSub:
      return cb == 0 ? a : nullptr;
    case BinaryOp::kMul:
      return cb == 1 || ca == 0 ? a : ca == 1 || cb == 0 ? b : nullptr;
    case BinaryOp::kFloorDiv:
      return cb == 1 ? a : nullptr;
    case BinaryOp::kFloorMod:
      return cb == 1 ? Int(0, a->type) : nullptr;
    case BinaryOp::kShl:
    case BinaryOp::kShr:
    case BinaryOp::kRoundShift:
      return cb == 0 ? a : nullptr;
    case BinaryOp::kLogicalAnd:
      return cb == 1 || ca == 0 ? a : ca == 1 || cb == 0 ? b : nullptr;
    case BinaryOp::kLogicalOr:
      return cb == 0 || ca == 1 ? a : ca == 0 || cb == 1 ? b : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

Var MakeVar(std::string name) { return std::make_shared<const VarNode>(VarNode{std::move(name)}); }

Buffer MakeBuffer(std::string name, DataType type, std::vector<int64_t> shape, std::string scope) {
  for (int64_t extent : shape) COSIM_CHECK(extent > 0, "buffer '{}' has a dimension of {}", name, extent);
  auto buffer = std::make_shared<BufferNode>();
  buffer->name = std::move(name);
  buffer->type = type;
  buffer->shape = std::move(shape);
  buffer->scope = std::move(scope);
  return buffer;
}

Expr Int(int64_t value, DataType type) {
  COSIM_CHECK(!type.is_float(), "Int makes integers; Float makes {}", value);
  COSIM_CHECK(WrapTo(value, type) == value, "{} does not fit {}", value, ToString(type));
  return MakeExpr(type, IntImm{value});
}

Expr Float(double value, DataType type) {
  COSIM_CHECK(type.is_float(), "{} as {}", value, ToString(type));
  return MakeExpr(type, FloatImm{type.bits == 32 ? static_cast<float>(value) : value});
}

Expr Ref(const Var& var) {
  COSIM_CHECK(var != nullptr);
  return MakeExpr(DataType::Index(), VarRef{var});
}

Expr MakeBinary(BinaryOp op, Expr a, Expr b) {
  COSIM_CHECK(a && b);
  COSIM_CHECK(a->type == b->type, "operands of '{}' are {} and {}", ToString(op), ToString(a->type),
              ToString(b->type));
  COSIM_CHECK(!IsLogical(op) || a->type == DataType::Bool(), "'{}' takes bools", ToString(op));
  COSIM_CHECK(!IsFloatOnly(op) || a->type.is_float(), "'{}' takes floats; integers use FloorDiv",
              ToString(op));
  COSIM_CHECK(!IsIntegerOnly(op) || !a->type.is_float(), "'{}' takes integers", ToString(op));
  const DataType type = IsComparison(op) ? DataType::Bool() : a->type;
  const std::optional<int64_t> ca = ConstantOf(a), cb = ConstantOf(b);
  if (ca && cb) {
    if (std::optional<int64_t> value = EvaluateBinary(op, *ca, *cb, a->type)) return Int(*value, type);
  }
  if (Expr folded = FoldIdentity(op, a, b)) return folded;
  return MakeExpr(type, Binary{op, std::move(a), std::move(b)});
}

Expr MakeSelect(Expr condition, Expr a, Expr b) {
  COSIM_CHECK(condition && a && b);
  COSIM_CHECK(condition->type == DataType::Bool(), "a select's condition is {}", ToString(condition->type));
  COSIM_CHECK(a->type == b->type, "a select's sides are {} and {}", ToString(a->type), ToString(b->type));
  if (std::optional<int64_t> known = ConstantOf(condition)) return *known ? a : b;
  const DataType type = a->type;
  return MakeExpr(type, Select{std::move(condition), std::move(a), std::move(b)});
}

Expr MakeCast(DataType type, Expr value) {
  COSIM_CHECK(value != nullptr);
  if (value->type == type) return value;
  if (std::optional<int64_t> known = ConstantOf(value); known && !type.is_float()) {
    return Int(WrapTo(*known, type), type);
  }
  return MakeExpr(type, Cast{std::move(value)});
}

Expr MakeLoad(Buffer buffer, std::vector<Expr> indices) {
  COSIM_CHECK(buffer != nullptr);
  COSIM_CHECK(indices.size() == buffer->shape.size(), "'{}' has {} dimensions and is read with {} indices",
              buffer->name, buffer->shape.size(), indices.size());
  for (const Expr& index : indices) {
    COSIM_CHECK(index && index->type == DataType::Index(), "an index of '{}' is not an int64", buffer->name);
  }
  const DataType type = buffer->type;
  return MakeExpr(type, Load{std::move(buffer), std::move(indices)});
}

Expr MakeMath(MathFn fn, Expr value) {
  COSIM_CHECK(value && value->type.is_float(), "math functions take floats");
  const DataType type = value->type;
  return MakeExpr(type, Math{fn, std::move(value)});
}

Expr operator+(Expr a, Expr b) { return MakeBinary(BinaryOp::kAdd, std::move(a), std::move(b)); }
Expr operator-(Expr a, Expr b) { return MakeBinary(BinaryOp::kSub, std::move(a), std::move(b)); }
Expr operator*(Expr a, Expr b) { return MakeBinary(BinaryOp::kMul, std::move(a), std::move(b)); }
Expr Min(Expr a, Expr b) { return MakeBinary(BinaryOp::kMin, std::move(a), std::move(b)); }
Expr Max(Expr a, Expr b) { return MakeBinary(BinaryOp::kMax, std::move(a), std::move(b)); }

}  // namespace cosim::tir
