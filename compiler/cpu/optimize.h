// SPDX-License-Identifier: Apache-2.0
// The middle end: LLVM's O2 pipeline with its loop vectorizer, for a given machine.
#pragma once

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace cosim::cpu {

/// Optimises `module` for `machine`; sets its triple, data layout and the functions' target attributes first.
void Optimize(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace cosim::cpu
