// SPDX-License-Identifier: Apache-2.0
#include "compiler/cpu/narrow.h"

#include <limits>

#include "compiler/tir/visitor.h"

namespace cosim::cpu {
namespace {

using tir::BinaryOp;

bool IsArithmetic(BinaryOp op) {
  switch (op) {
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
    case BinaryOp::kMul:
    case BinaryOp::kFloorDiv:
    case BinaryOp::kFloorMod:
    case BinaryOp::kMin:
    case BinaryOp::kMax:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool FitsInt32(const tir::Expr& expr, tir::Simplifier& ranges) {
  if (expr->type != tir::DataType::Index()) return false;
  if (const auto* binary = tir::As<tir::Binary>(expr)) {
    if (!IsArithmetic(binary->op) || !FitsInt32(binary->a, ranges) || !FitsInt32(binary->b, ranges))
      return false;
  } else if (!tir::As<tir::VarRef>(expr) && !tir::As<tir::IntImm>(expr)) {
    return false;
  }
  const tir::Interval bounds = ranges.Bounds(expr);
  using Limits = std::numeric_limits<int32_t>;
  return bounds.min && bounds.max && *bounds.min >= Limits::min() && *bounds.max <= Limits::max();
}

}  // namespace cosim::cpu
