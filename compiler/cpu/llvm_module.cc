// SPDX-License-Identifier: Apache-2.0
#include "compiler/cpu/llvm_module.h"

#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include "compiler/cpu/codegen.h"

namespace cosim::cpu {
namespace {

class QuietHandler : public llvm::DiagnosticHandler {
 public:
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    return info.getSeverity() != llvm::DS_Error;
  }
};

}  // namespace

std::unique_ptr<llvm::LLVMContext> MakeContext(bool keep_names) {
  auto context = std::make_unique<llvm::LLVMContext>();
  context->setDiscardValueNames(!keep_names);
  context->setDiagnosticHandler(std::make_unique<QuietHandler>());
  return context;
}

OwnedModule EmitModule(const tir::Function& function, const llvm::TargetMachine& machine, bool keep_names) {
  OwnedModule result{MakeContext(keep_names), nullptr};
  result.module = std::make_unique<llvm::Module>("cosim", *result.context);
  result.module->setTargetTriple(machine.getTargetTriple().str());
  result.module->setDataLayout(machine.createDataLayout());
  EmitKernel(function, kKernelName, *result.module);
  return result;
}

std::string ToText(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return stream.str();
}

}  // namespace cosim::cpu
