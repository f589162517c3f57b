// SPDX-License-Identifier: Apache-2.0
// Elementwise operations on arrays of lanes, the instruction set that sim/functional/alu_evaluator.h compiles
// ALU ops to. Integers are two's complement of 32 or 64 bits; everything wraps, nothing traps.
#pragma once

#include <array>
#include <cstdint>

#include "sim/kernels/simd_level.h"

namespace cosim::sim {

enum class LaneOp {
  kAdd,
  kSub,
  kMul,
  kMin,
  kMax,  ///< a, b
  kAnd,
  kOr,
  kXor,
  kNot,         ///< a
  kShr,         ///< a by b >= 0: arithmetic; any amount
  kRoundShift,  ///< (a + 2^(b-1)) >> b, exact; a for b = 0; any amount
  kShl,         ///< a by `shift` < width
  kShlBy,       ///< a by b >= 0; any amount
  kLt,
  kLe,
  kEq,
  kNe,            ///< 1 or 0
  kSelect,        ///< a != 0 ? b : c
  kClamp,         ///< max(b, min(a, c))
  kSat,           ///< max(lo, min(a, hi))
  kWrapSigned,    ///< the upper `shift` bits become copies of the sign below them
  kWrapUnsigned,  ///< the upper `shift` bits become 0
  kMulWide,       ///< 64-bit product of 32-bit a, b; only in the 64-bit table
  kWiden,         ///< 32-bit a to 64 bits; only in the 64-bit table
  kNarrow,        ///< low half of 64-bit a; only in the 32-bit table
  kLookup,        ///< b[a], b being one array of int32 for all lanes; only in the 32-bit table
};
inline constexpr int kLaneOps = static_cast<int>(LaneOp::kLookup) + 1;

/// Arrays must not overlap. Those an operation does not read may be null.
struct LaneArgs {
  void* r = nullptr;
  const void* a = nullptr;
  const void* b = nullptr;
  const void* c = nullptr;
  int64_t lo = 0, hi = 0;
  int shift = 0;
};

using LaneFunction = void (*)(const LaneArgs& args, int lanes);

struct LaneTable {
  std::array<LaneFunction, kLaneOps> narrow;  ///< 32-bit lanes
  std::array<LaneFunction, kLaneOps> wide;    ///< 64-bit lanes
};

/// The level's operations; it must be supported.
const LaneTable& LaneTableFor(SimdLevel level);

}  // namespace cosim::sim
