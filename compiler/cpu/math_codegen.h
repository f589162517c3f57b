// SPDX-License-Identifier: Apache-2.0
// exp, erf and tanh of float32 as polynomials, and rounding, without branches or calls, so that LLVM's
// vectorizer takes the loops they stand in. The same code for every processor. Private to compiler/cpu: it
// includes LLVM.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "compiler/tir/ir.h"

namespace cosim::cpu {

/// Whether EmitPolynomial knows the function. Others, and all of float64, are the C library's.
bool HasPolynomial(tir::MathFn fn);

/// `fn` of a float32, or of each lane of a vector of them. NaN gives NaN. The greatest errors, in units in
/// the last place of the exact result, with multiply-adds fused or not:
///   exp    1.1, of subnormal results of their units; infinite above 88.72
///   erf    1.2
///   tanh   1.4
llvm::Value* EmitPolynomial(tir::MathFn fn, llvm::Value* x, llvm::IRBuilder<>& builder);

/// x, of either float type, rounded to an integer, halves to the even one, in additions; NaN and infinities
/// stay.
llvm::Value* EmitRoundHalfEven(llvm::Value* x, llvm::IRBuilder<>& builder);

}  // namespace cosim::cpu
