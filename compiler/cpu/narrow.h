// SPDX-License-Identifier: Apache-2.0
// Index arithmetic that 32 bits are enough for: processors with addresses of 32 bits take several
// instructions for 64, and a call of a library for a division.
#pragma once

#include "compiler/tir/simplify.h"

namespace cosim::cpu {

/// Whether `expr`, an index, and all that it is made of lie within int32 for all values of the variables that
/// `ranges` knows. Made of sums, products, divisions, minima and maxima of variables and constants alone.
bool FitsInt32(const tir::Expr& expr, tir::Simplifier& ranges);

}  // namespace cosim::cpu
