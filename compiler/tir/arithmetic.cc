// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic of the loop IR on host values.
#include "compiler/tir/arithmetic.h"

#include <algorithm>

#include "isa/check.h"

namespace cosim::tir {
namespace {

int64_t RoundShift(int64_t value, int64_t shift) {
  if (shift == 0) return value;
  return (value >> shift) + ((value >> (shift - 1)) & 1);
}

// Orders as the type does: UInt(64) values are held by their bit pattern.
bool Less(int64_t a, int64_t b, DataType type) {
  if (type.is_unsigned()) return static_cast<uint64_t>(a) < static_cast<uint64_t>(b);
  return a < b;
}

int64_t ShiftRight(int64_t value, int64_t shift, DataType type) {
  if (type.is_unsigned()) return static_cast<int64_t>(static_cast<uint64_t>(value) >> shift);
  return value >> shift;
}

// Add, subtract, multiply and shift left wrap: done on unsigned values.
int64_t Wrapping(BinaryOp op, int64_t a, int64_t b, DataType type) {
  const auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  const uint64_t result = op == BinaryOp::kAdd   ? ua + ub
                          : op == BinaryOp::kSub ? ua - ub
                          : op == BinaryOp::kMul ? ua * ub
                                                 : ua << ub;
  return WrapTo(static_cast<int64_t>(result), type);
}

}  // namespace

int64_t WrapTo(int64_t value, DataType type) {
  if (type.bits >= 64) return value;
  const int unused = 64 - type.bits;
  const uint64_t shifted = static_cast<uint64_t>(value) << unused;
  if (type.is_unsigned()) return static_cast<int64_t>(shifted >> unused);
  return static_cast<int64_t>(shifted) >> unused;
}

int64_t FloorDivide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
int64_t FloorModulo(int64_t a, int64_t b) { return a % b + (a % b < 0 ? b : 0); }

std::optional<int64_t> EvaluateBinary(BinaryOp op, int64_t a, int64_t b, DataType type) {
  switch (op) {
    case BinaryOp::kShl:
    case BinaryOp::kShr:
    case BinaryOp::kRoundShift:
      if (b < 0 || b >= type.bits) return std::nullopt;
      break;
    case BinaryOp::kFloorDiv:
    case BinaryOp::kFloorMod:
      if (b <= 0) return std::nullopt;
      break;
    default:
      break;
  }
  switch (op) {
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
    case BinaryOp::kMul:
    case BinaryOp::kShl:
      return Wrapping(op, a, b, type);
    case BinaryOp::kFloorDiv:
      return FloorDivide(a, b);
    case BinaryOp::kFloorMod:
      return FloorModulo(a, b);
    case BinaryOp::kMin:
      return Less(a, b, type) ? a : b;
    case BinaryOp::kMax:
      return Less(a, b, type) ? b : a;
    case BinaryOp::kShr:
      return ShiftRight(a, b, type);
    case BinaryOp::kRoundShift:
      return RoundShift(a, b);
    case BinaryOp::kAnd:
    case BinaryOp::kLogicalAnd:
      return a & b;
    case BinaryOp::kOr:
    case BinaryOp::kLogicalOr:
      return a | b;
    case BinaryOp::kXor:
      return a ^ b;
    case BinaryOp::kLt:
      return Less(a, b, type);
    case BinaryOp::kLe:
      return !Less(b, a, type);
    case BinaryOp::kEq:
      return a == b;
    case BinaryOp::kNe:
      return a != b;
    case BinaryOp::kDiv:
    case BinaryOp::kPow:
    case BinaryOp::kFMod:
      break;
  }
  COSIM_CHECK(false, "'{}' has no integer form", ToString(op));
}

}  // namespace cosim::tir
