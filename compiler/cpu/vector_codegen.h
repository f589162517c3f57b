// SPDX-License-Identifier: Apache-2.0
// Tensorized loops as vector instructions. A schedule marks a loop whose rounds are the lanes of one vector,
// and behind it, for products of small integers, the loop that one instruction adds up in each lane. Private
// to compiler/cpu: it includes LLVM.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "compiler/cpu/expr_codegen.h"
#include "compiler/tir/ir.h"

namespace cosim::cpu {

/// Emits `loop`, which is tensorized and of constant extent, over one of
///
///   b[l] = value                                     a vector of values
///   for d in D: b[l, d] = value                      D vectors, interleaved
///   for d in D: b[d][l] = c[l][d]                    a rectangle, turned; D a multiple of the lanes
///   b[l] = b[l] + x * y                              a multiply-add; of floats fused, where the target can
///   for d in D: b[l] = b[l] + int32(x) * int32(y)    a dot product of D neighbours in each lane
///
/// where b[l] or b[l, d] are neighbours, and c[l][d] of one l. Values are the same in all lanes, or loads
/// that move on by one, two or four with l, converted, added, taken off, of floats multiplied too, or
/// selected: by conditions that are known, or by comparisons of places, and then only wanted elements are
/// loaded. In a dot product one of x and y is the same in all lanes, the other has D neighbours a lane. Dot
/// products exist as Dot says; a schedule that wants another is a bug.
void EmitTensorized(const tir::For& loop, llvm::IRBuilder<>& builder, Scope& scope, ExprEmitter& exprs);

}  // namespace cosim::cpu
