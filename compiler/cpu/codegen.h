// SPDX-License-Identifier: Apache-2.0
// The loop IR as LLVM IR: functions, allocations, statements and loops. Expressions are expr_codegen's;
// optimisation and execution are jit.h's.
#pragma once

#include <string>

#include "compiler/tir/ir.h"

namespace llvm {
class Module;
}

namespace cosim::cpu {

/// Adds `void symbol(void* const* args, const runtime::Parallel*)` to `module`, which computes `function` on
/// the arrays args[0], args[1], … in the order of its parameters. Parameters are assumed not to overlap and
/// to be aligned to their element type.
///
/// Loops: unrolled ones of constant extent are written out; vectorized ones are marked for LLVM's loop
/// vectorizer, their iterations being independent (it takes innermost loops, after unrolling); tensorized
/// ones become vector instructions (vector_codegen.h); parallel ones, with those that fill their bodies,
/// become a function of a range of their rounds, which the second argument runs (within such a function they
/// are serial); every other kind runs in order on the calling thread. Allocations live on the stack when
/// small, else on the heap, and are a thread's own within a parallel loop.
void EmitKernel(const tir::Function& function, const std::string& symbol, llvm::Module& module);

/// What EmitKernel's code calls for large allocations: 64-byte aligned, aborts when there is no memory.
inline constexpr const char* kAllocateSymbol = "cosim_cpu_allocate";
inline constexpr const char* kFreeSymbol = "cosim_cpu_free";

}  // namespace cosim::cpu
