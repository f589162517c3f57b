// SPDX-License-Identifier: Apache-2.0
// Short spellings of the makers in ir.h, for code that writes loop IR or tensor expressions by hand.
// Integer literals take the type of the other operand.
#pragma once

#include <cstdint>
#include <utility>

#include "compiler/tir/ir.h"

namespace cosim::tir {

inline Expr operator+(Expr a, int64_t b) { return MakeBinary(BinaryOp::kAdd, a, Int(b, a->type)); }
inline Expr operator-(Expr a, int64_t b) { return MakeBinary(BinaryOp::kSub, a, Int(b, a->type)); }
inline Expr operator*(Expr a, int64_t b) { return MakeBinary(BinaryOp::kMul, a, Int(b, a->type)); }

inline Expr FloorDiv(Expr a, Expr b) { return MakeBinary(BinaryOp::kFloorDiv, std::move(a), std::move(b)); }
inline Expr FloorDiv(Expr a, int64_t b) { return MakeBinary(BinaryOp::kFloorDiv, a, Int(b, a->type)); }
inline Expr FloorMod(Expr a, Expr b) { return MakeBinary(BinaryOp::kFloorMod, std::move(a), std::move(b)); }
inline Expr FloorMod(Expr a, int64_t b) { return MakeBinary(BinaryOp::kFloorMod, a, Int(b, a->type)); }
inline Expr Divide(Expr a, Expr b) { return MakeBinary(BinaryOp::kDiv, std::move(a), std::move(b)); }
inline Expr ShiftLeft(Expr a, Expr b) { return MakeBinary(BinaryOp::kShl, std::move(a), std::move(b)); }
inline Expr ShiftRight(Expr a, Expr b) { return MakeBinary(BinaryOp::kShr, std::move(a), std::move(b)); }
inline Expr RoundShift(Expr a, Expr b) {
  return MakeBinary(BinaryOp::kRoundShift, std::move(a), std::move(b));
}

inline Expr Lt(Expr a, Expr b) { return MakeBinary(BinaryOp::kLt, std::move(a), std::move(b)); }
inline Expr Lt(Expr a, int64_t b) { return MakeBinary(BinaryOp::kLt, a, Int(b, a->type)); }
inline Expr Le(Expr a, Expr b) { return MakeBinary(BinaryOp::kLe, std::move(a), std::move(b)); }
inline Expr Le(int64_t a, Expr b) { return MakeBinary(BinaryOp::kLe, Int(a, b->type), b); }
inline Expr Eq(Expr a, Expr b) { return MakeBinary(BinaryOp::kEq, std::move(a), std::move(b)); }
inline Expr Ne(Expr a, Expr b) { return MakeBinary(BinaryOp::kNe, std::move(a), std::move(b)); }
inline Expr And(Expr a, Expr b) { return MakeBinary(BinaryOp::kLogicalAnd, std::move(a), std::move(b)); }
inline Expr Or(Expr a, Expr b) { return MakeBinary(BinaryOp::kLogicalOr, std::move(a), std::move(b)); }

/// low <= value < high.
inline Expr InRange(const Expr& value, int64_t low, int64_t high) {
  return And(Le(low, value), Lt(value, high));
}

}  // namespace cosim::tir
