// SPDX-License-Identifier: Apache-2.0
// The middle end: LLVM's O2 pipeline with its loop vectorizer, for a given machine.
#include "compiler/cpu/optimize.h"

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <string>

#include "isa/check.h"

namespace cosim::cpu {
namespace {

void CheckModule(const llvm::Module& module) {
  std::string message;
  llvm::raw_string_ostream stream(message);
  COSIM_CHECK(!llvm::verifyModule(module, &stream), "malformed LLVM IR: {}", stream.str());
}

}  // namespace

void Optimize(llvm::Module& module, llvm::TargetMachine& machine) {
  module.setTargetTriple(machine.getTargetTriple().str());
  module.setDataLayout(machine.createDataLayout());
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
  }
  CheckModule(module);

  // Loops are vectorized once and not unrolled: schedules unroll what is worth it, and copies cost compile
  // time.
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.LoopInterleaving = false;
  tuning.LoopUnrolling = false;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
}

}  // namespace cosim::cpu
