// SPDX-License-Identifier: Apache-2.0
// A kernel as an LLVM module of its own, before optimisation: what the JIT and the object writer start from.
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <string>

#include "compiler/tir/ir.h"

namespace llvm {
class TargetMachine;
}

namespace cosim::cpu {

struct OwnedModule {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
};

/// A context that keeps remarks to itself: loops that stay scalar are for readers of optimised IR, not for
/// standard error.
std::unique_ptr<llvm::LLVMContext> MakeContext(bool keep_names);

/// The function's name in EmitModule's result.
inline constexpr const char* kKernelName = "kernel";
/// The module has the triple and data layout of `machine` before any code: sizes of pointers and alignments
/// depend on them.
OwnedModule EmitModule(const tir::Function& function, const llvm::TargetMachine& machine, bool keep_names);

/// The module's IR; two functions that differ in names only give the same.
std::string ToText(const llvm::Module& module);

}  // namespace cosim::cpu
