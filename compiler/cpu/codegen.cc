// SPDX-License-Identifier: Apache-2.0
// The loop IR as LLVM IR: functions, allocations, statements and loops. Expressions are expr_codegen.cc's.
#include "compiler/cpu/codegen.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <vector>

#include "compiler/cpu/expr_codegen.h"
#include "compiler/cpu/vector_codegen.h"
#include "isa/check.h"

namespace cosim::cpu {
namespace {

using llvm::Value;

constexpr uint64_t kAlignment = 64;               // of allocations: a cache line, and the widest vector
constexpr uint64_t kLargestOnStack = 16 * 1024;   // bytes of one allocation
constexpr uint64_t kStackBudget = 256 * 1024;     // bytes of all allocations of a function
constexpr int64_t kLargestUnrolledExtent = 1024;  // more is surely a mistake of the schedule

uint64_t ByteSize(const tir::BufferNode& buffer) {
  uint64_t size = (buffer.type.bits + 7) / 8;
  for (int64_t extent : buffer.shape) size *= extent;
  return size;
}

/// Emits the body of one function; `builder` stands in its entry block.
class FunctionEmitter {
 public:
  FunctionEmitter(llvm::Function* function, llvm::IRBuilder<>& builder)
      : function_(function), b_(builder), exprs_(builder, scope_) {}

  void Run(const tir::Function& source) {
    for (size_t i = 0; i < source.params.size(); ++i) {
      scope_.buffers[source.params[i].get()] = function_->getArg(i);
    }
    auto* start = llvm::BasicBlock::Create(b_.getContext(), "start", function_);
    allocations_end_ = b_.CreateBr(start);
    b_.SetInsertPoint(start);
    Emit(source.body);
    for (Value* block : heap_blocks_)
      b_.CreateCall(HeapFunction(kFreeSymbol, b_.getVoidTy(), b_.getPtrTy()), {block});
    b_.CreateRetVoid();
  }

 private:
  void Emit(const tir::Stmt& stmt) {
    std::visit([this](const auto& node) { EmitNode(node); }, stmt->node);
  }

  void EmitNode(const tir::Seq& seq) {
    for (const tir::Stmt& stmt : seq.stmts) Emit(stmt);
  }
  void EmitNode(const tir::Stage& stage) { Emit(stage.body); }
  void EmitNode(const tir::Store& store) { exprs_.EmitStore(store); }

  void EmitNode(const tir::IfThen& node) {
    Value* condition = exprs_.Emit(node.condition);
    llvm::BasicBlock* then_block = NewBlock("then");
    llvm::BasicBlock* end = NewBlock("endif");
    b_.CreateCondBr(condition, then_block, end);
    b_.SetInsertPoint(then_block);
    Emit(node.body);
    b_.CreateBr(end);
    b_.SetInsertPoint(end);
  }

  void EmitNode(const tir::For& loop) {
    if (loop.kind == tir::LoopKind::kTensorized) return EmitTensorized(loop, b_, scope_, exprs_);
    Value* min = exprs_.Emit(loop.min);
    Value* extent = exprs_.Emit(loop.extent);
    const auto* count = llvm::dyn_cast<llvm::ConstantInt>(extent);
    if (loop.kind == tir::LoopKind::kUnrolled && count != nullptr) {
      COSIM_CHECK(count->getSExtValue() <= kLargestUnrolledExtent, "unrolled loop over {} iterations",
                  count->getSExtValue());
      for (int64_t i = 0; i < count->getSExtValue(); ++i) {
        scope_.vars[loop.var.get()] = b_.CreateAdd(min, b_.getInt64(i));
        Emit(loop.body);
      }
      return;
    }
    EmitLoop(loop, min, extent);
  }

  void EmitLoop(const tir::For& loop, Value* min, Value* extent) {
    const bool vectorized = loop.kind == tir::LoopKind::kVectorized;
    Value* end = b_.CreateNSWAdd(min, extent);
    llvm::BasicBlock* before = b_.GetInsertBlock();
    llvm::BasicBlock* header = NewBlock("for." + loop.var->name);
    llvm::BasicBlock* body = NewBlock("body");
    llvm::BasicBlock* exit = NewBlock("endfor");
    b_.CreateBr(header);

    b_.SetInsertPoint(header);
    llvm::PHINode* var = b_.CreatePHI(b_.getInt64Ty(), 2, loop.var->name);
    var->addIncoming(min, before);
    b_.CreateCondBr(b_.CreateICmpSLT(var, end), body, exit);

    b_.SetInsertPoint(body);
    scope_.vars[loop.var.get()] = var;
    llvm::MDNode* const outer_group = scope_.access_group;
    const auto outer_local = scope_.loop_local;
    if (vectorized) {
      scope_.access_group = llvm::MDNode::getDistinct(b_.getContext(), {});
      scope_.loop_local.clear();
    }
    Emit(loop.body);
    var->addIncoming(b_.CreateNSWAdd(var, b_.getInt64(1)), b_.GetInsertBlock());
    llvm::BranchInst* back = b_.CreateBr(header);
    if (vectorized) back->setMetadata(llvm::LLVMContext::MD_loop, VectorizeHint(scope_.access_group));
    scope_.access_group = outer_group;
    scope_.loop_local = outer_local;
    b_.SetInsertPoint(exit);
  }

  /// Asks for vectorization, and states that accesses in `group` do not depend on those of other iterations.
  llvm::MDNode* VectorizeHint(llvm::MDNode* group) {
    llvm::LLVMContext& context = b_.getContext();
    const auto property = [&](const char* name, llvm::Metadata* value) {
      return llvm::MDNode::get(context, {llvm::MDString::get(context, name), value});
    };
    llvm::MDNode* hint = llvm::MDNode::getDistinct(
        context,
        {nullptr, property("llvm.loop.vectorize.enable", llvm::ConstantAsMetadata::get(b_.getTrue())),
         property("llvm.loop.parallel_accesses", group)});
    hint->replaceOperandWith(0, hint);
    return hint;
  }

  void EmitNode(const tir::Allocate& node) {
    const tir::BufferNode* buffer = node.buffer.get();
    const uint64_t bytes = ByteSize(*buffer);
    scope_.loop_local[buffer] = true;
    if (bytes <= kLargestOnStack && stack_bytes_ + bytes <= kStackBudget) {
      stack_bytes_ += bytes;
      llvm::AllocaInst* slot = StackSlot(*buffer, bytes);
      b_.CreateLifetimeStart(slot, b_.getInt64(bytes));
      Emit(node.body);
      b_.CreateLifetimeEnd(slot, b_.getInt64(bytes));
    } else {
      scope_.buffers[buffer] = HeapBlock(*buffer, bytes);
      Emit(node.body);
    }
  }

  // Memory is taken once, on entry, whatever loops the allocation stands in: its size is constant.

  llvm::AllocaInst* StackSlot(const tir::BufferNode& buffer, uint64_t bytes) {
    llvm::IRBuilder<> entry(allocations_end_);
    auto* type = llvm::ArrayType::get(entry.getInt8Ty(), bytes);
    llvm::AllocaInst* slot = entry.CreateAlloca(type, nullptr, buffer.name);
    slot->setAlignment(llvm::Align(kAlignment));
    scope_.buffers[&buffer] = slot;
    return slot;
  }

  Value* HeapBlock(const tir::BufferNode& buffer, uint64_t bytes) {
    llvm::IRBuilder<> entry(allocations_end_);
    llvm::CallInst* block =
        entry.CreateCall(HeapFunction(kAllocateSymbol, entry.getPtrTy(), entry.getInt64Ty()),
                         {entry.getInt64(bytes)}, buffer.name);
    block->addRetAttr(llvm::Attribute::NoAlias);
    block->addRetAttr(llvm::Attribute::getWithAlignment(b_.getContext(), llvm::Align(kAlignment)));
    block->addRetAttr(llvm::Attribute::getWithDereferenceableBytes(b_.getContext(), bytes));
    heap_blocks_.push_back(block);
    return block;
  }

  llvm::FunctionCallee HeapFunction(const char* name, llvm::Type* result, llvm::Type* argument) {
    llvm::FunctionCallee callee = function_->getParent()->getOrInsertFunction(name, result, argument);
    llvm::cast<llvm::Function>(callee.getCallee())->setDoesNotThrow();
    return callee;
  }

  llvm::BasicBlock* NewBlock(const std::string& name) {
    return llvm::BasicBlock::Create(b_.getContext(), name, function_);
  }

  llvm::Function* function_;
  llvm::IRBuilder<>& b_;
  Scope scope_;
  ExprEmitter exprs_;
  llvm::Instruction* allocations_end_ = nullptr;
  std::vector<Value*> heap_blocks_;
  uint64_t stack_bytes_ = 0;
};

/// The function proper: one pointer a parameter, so that LLVM can be told that they do not alias.
llvm::Function* EmitBody(const tir::Function& source, const std::string& symbol, llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  llvm::IRBuilder<> builder(context);
  const std::vector<llvm::Type*> types(source.params.size(), builder.getPtrTy());
  auto* function = llvm::Function::Create(llvm::FunctionType::get(builder.getVoidTy(), types, false),
                                          llvm::Function::InternalLinkage, symbol + ".body", module);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr(llvm::Attribute::MustProgress);
  for (size_t i = 0; i < source.params.size(); ++i) {
    const tir::BufferNode& buffer = *source.params[i];
    llvm::Argument* argument = function->getArg(i);
    argument->setName(buffer.name);
    argument->addAttr(llvm::Attribute::NoAlias);
    argument->addAttr(llvm::Attribute::NoCapture);
    argument->addAttr(
        llvm::Attribute::getWithAlignment(context, llvm::Align(std::max(1, buffer.type.bits / 8))));
    if (const uint64_t bytes = ByteSize(buffer); bytes > 0) {
      argument->addAttr(llvm::Attribute::getWithDereferenceableBytes(context, bytes));
    }
  }
  builder.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
  FunctionEmitter(function, builder).Run(source);
  return function;
}

}  // namespace

void EmitKernel(const tir::Function& function, const std::string& symbol, llvm::Module& module) {
  llvm::Function* body = EmitBody(function, symbol, module);
  llvm::IRBuilder<> builder(module.getContext());
  auto* kernel =
      llvm::Function::Create(llvm::FunctionType::get(builder.getVoidTy(), {builder.getPtrTy()}, false),
                             llvm::Function::ExternalLinkage, symbol, module);
  kernel->addFnAttr(llvm::Attribute::NoUnwind);
  builder.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", kernel));
  std::vector<Value*> pointers;
  for (size_t i = 0; i < function.params.size(); ++i) {
    Value* slot = builder.CreateConstInBoundsGEP1_64(builder.getPtrTy(), kernel->getArg(0), i);
    pointers.push_back(builder.CreateLoad(builder.getPtrTy(), slot));
  }
  builder.CreateCall(body, pointers);
  builder.CreateRetVoid();
}

}  // namespace cosim::cpu
