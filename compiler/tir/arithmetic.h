// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic of the loop IR on host values, with the semantics stated in ir.h: what constant folding,
// the simplifier and the interpreter share. Integers of every width are held in an int64_t, sign- or
// zero-extended.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/tir/ir.h"

namespace cosim::tir {

/// `value` wrapped to the width and sign of an integer `type`. UInt(64) keeps its bit pattern.
int64_t WrapTo(int64_t value, DataType type);

/// Divisors are positive.
int64_t FloorDivide(int64_t a, int64_t b);
int64_t FloorModulo(int64_t a, int64_t b);

/// `a op b` for operands of the integer `type`; comparisons give 0 or 1. Nothing when undefined: a divisor
/// that is not positive, a shift out of [0, bits).
std::optional<int64_t> EvaluateBinary(BinaryOp op, int64_t a, int64_t b, DataType type);

}  // namespace cosim::tir
