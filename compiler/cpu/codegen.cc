// SPDX-License-Identifier: Apache-2.0
// The loop IR as LLVM IR: functions, allocations, statements and loops. Expressions are expr_codegen.cc's.
#include "compiler/cpu/codegen.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <vector>

#include "compiler/cpu/expr_codegen.h"
#include "compiler/cpu/vector_codegen.h"
#include "compiler/tir/visitor.h"
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

/// What a body finds outside it: its arguments are a pointer to each buffer, then each variable.
struct Environment {
  std::vector<tir::Buffer> buffers;
  std::vector<tir::Var> vars;
  tir::Simplifier ranges;  ///< of the variables, where Scope::ranges wants them
};

/// A parallel loop and those that fill its body, outermost first: their rounds are counted as one.
std::vector<const tir::For*> ParallelNest(const tir::For& loop) {
  std::vector<const tir::For*> nest = {&loop};
  for (const auto* inner = std::get_if<tir::For>(&loop.body->node); inner;
       inner = std::get_if<tir::For>(&inner->body->node)) {
    if (inner->kind != tir::LoopKind::kParallel || !tir::AsInt(inner->min) || !tir::AsInt(inner->extent))
      break;
    nest.push_back(inner);
  }
  return nest;
}

llvm::Function* NewBody(const Environment& environment, llvm::ArrayRef<llvm::Type*> behind,
                        const std::string& name, llvm::Module& module);

/// Emits the body of one function, whose first arguments are the environment's; `builder` stands in its entry
/// block.
class FunctionEmitter {
 public:
  FunctionEmitter(llvm::Function* function, llvm::IRBuilder<>& builder, Environment environment)
      : function_(function), b_(builder), exprs_(builder, scope_), environment_(std::move(environment)) {
    unsigned argument = 0;
    for (const tir::Buffer& buffer : environment_.buffers)
      scope_.buffers[buffer.get()] = function_->getArg(argument++);
    for (const tir::Var& var : environment_.vars) scope_.vars[var.get()] = function_->getArg(argument++);
    if (CountType()->getIntegerBitWidth() == 32) scope_.ranges = &environment_.ranges;
    auto* start = llvm::BasicBlock::Create(b_.getContext(), "start", function_);
    allocations_end_ = b_.CreateBr(start);
    b_.SetInsertPoint(start);
  }

  /// All of `body`; the argument behind the environment is the runtime::Parallel.
  void Run(const tir::Stmt& body) {
    parallel_ = function_->getArg(function_->arg_size() - 1);
    Emit(body);
    Return();
  }

  /// Rounds [begin, end) of `nest`, the arguments behind the environment.
  void RunRounds(const std::vector<const tir::For*>& nest) {
    Value* begin = function_->getArg(function_->arg_size() - 2);
    Value* end = function_->getArg(function_->arg_size() - 1);
    EmitRounds("round", begin, end, false, [&](Value* round) {
      // The innermost loop counts fastest.
      for (size_t i = nest.size(); i-- > 0;) {
        Value* extent = exprs_.Emit(nest[i]->extent);
        Value* own = i == 0 ? round : b_.CreateSRem(round, extent);
        if (scope_.ranges) scope_.ranges->Bind(nest[i]->var, nest[i]->min, nest[i]->extent);
        scope_.vars[nest[i]->var.get()] = b_.CreateNSWAdd(exprs_.Emit(nest[i]->min), own);
        if (i > 0) round = b_.CreateSDiv(round, extent);
      }
      Emit(nest.back()->body);
    });
    Return();
  }

 private:
  void Return() {
    for (Value* block : heap_blocks_)
      b_.CreateCall(HeapFunction(kFreeSymbol, b_.getVoidTy(), b_.getPtrTy()), {block});
    b_.CreateRetVoid();
  }

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
    if (loop.kind == tir::LoopKind::kParallel && parallel_) return EmitParallel(loop);
    environment_.vars.push_back(loop.var);
    if (scope_.ranges) scope_.ranges->Bind(loop.var, loop.min, loop.extent);
    EmitLoop(loop);
    environment_.vars.pop_back();
  }

  void EmitLoop(const tir::For& loop) {
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
    EmitRounds(loop.var->name, min, b_.CreateNSWAdd(min, extent), loop.kind == tir::LoopKind::kVectorized,
               [&](Value* var) {
                 scope_.vars[loop.var.get()] = var;
                 Emit(loop.body);
               });
  }

  /// A loop over [begin, end) around what `emit` makes of its variable. Where addresses have 32 bits it is
  /// counted in as many, as no array has more elements: processors with such addresses take several
  /// instructions for 64.
  template <typename EmitBody>
  void EmitRounds(const std::string& name, Value* begin, Value* end, bool vectorized, EmitBody emit) {
    llvm::BasicBlock* before = b_.GetInsertBlock();
    llvm::BasicBlock* header = NewBlock("for." + name);
    llvm::BasicBlock* body = NewBlock("body");
    llvm::BasicBlock* exit = NewBlock("endfor");
    llvm::Type* const count = CountType();
    begin = b_.CreateTrunc(begin, count);
    end = b_.CreateTrunc(end, count);
    b_.CreateBr(header);

    b_.SetInsertPoint(header);
    llvm::PHINode* var = b_.CreatePHI(count, 2, name);
    var->addIncoming(begin, before);
    b_.CreateCondBr(b_.CreateICmpSLT(var, end), body, exit);

    b_.SetInsertPoint(body);
    llvm::MDNode* const outer_group = scope_.access_group;
    const auto outer_local = scope_.loop_local;
    if (vectorized) {
      scope_.access_group = llvm::MDNode::getDistinct(b_.getContext(), {});
      scope_.loop_local.clear();
    }
    emit(b_.CreateSExt(var, b_.getInt64Ty()));
    var->addIncoming(b_.CreateNSWAdd(var, llvm::ConstantInt::get(count, 1)), b_.GetInsertBlock());
    llvm::BranchInst* back = b_.CreateBr(header);
    if (vectorized) back->setMetadata(llvm::LLVMContext::MD_loop, VectorizeHint(scope_.access_group));
    scope_.access_group = outer_group;
    scope_.loop_local = outer_local;
    b_.SetInsertPoint(exit);
  }

  llvm::Type* CountType() const {
    return function_->getParent()->getDataLayout().getIndexType(b_.getContext(), 0);
  }

  /// The rounds as a function of their own, which gets what they find here by a structure.
  void EmitParallel(const tir::For& loop) {
    const std::vector<const tir::For*> nest = ParallelNest(loop);
    Value* count = b_.getInt64(1);
    for (const tir::For* inner : nest) count = b_.CreateMul(count, exprs_.Emit(inner->extent));
    std::vector<Value*> values;
    std::vector<llvm::Type*> types;
    for (const tir::Buffer& buffer : environment_.buffers) values.push_back(scope_.buffers.at(buffer.get()));
    for (const tir::Var& var : environment_.vars) values.push_back(scope_.vars.at(var.get()));
    for (const Value* value : values) types.push_back(value->getType());
    auto* captured = llvm::StructType::get(b_.getContext(), types);
    Value* captures = llvm::IRBuilder<>(allocations_end_).CreateAlloca(captured, nullptr, "captures");
    for (unsigned i = 0; i < values.size(); ++i)
      b_.CreateStore(values[i], b_.CreateStructGEP(captured, captures, i));
    llvm::Function* rounds = EmitRange(nest, captured);
    Value* run = b_.CreateLoad(b_.getPtrTy(), parallel_);  // the first of runtime::Parallel
    auto* type = llvm::FunctionType::get(
        b_.getVoidTy(), {b_.getPtrTy(), b_.getPtrTy(), b_.getPtrTy(), b_.getInt64Ty()}, false);
    b_.CreateCall(type, run, {parallel_, rounds, captures, count})->setDoesNotThrow();
  }

  /// `void (captures, begin, end)`, which calls the rounds' body with what was captured.
  llvm::Function* EmitRange(const std::vector<const tir::For*>& nest, llvm::StructType* captured) {
    llvm::Module& module = *function_->getParent();
    llvm::Type* const index = b_.getInt64Ty();
    llvm::Function* body =
        NewBody(environment_, {index, index}, (function_->getName() + ".rounds").str(), module);
    {
      llvm::IRBuilder<> builder(llvm::BasicBlock::Create(b_.getContext(), "entry", body));
      FunctionEmitter(body, builder, environment_).RunRounds(nest);
    }
    auto* range =
        llvm::Function::Create(llvm::FunctionType::get(b_.getVoidTy(), {b_.getPtrTy(), index, index}, false),
                               llvm::Function::InternalLinkage, function_->getName() + ".range", module);
    range->addFnAttr(llvm::Attribute::NoUnwind);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(b_.getContext(), "entry", range));
    std::vector<Value*> arguments;
    for (unsigned i = 0; i < captured->getNumElements(); ++i)
      arguments.push_back(builder.CreateLoad(captured->getElementType(i),
                                             builder.CreateStructGEP(captured, range->getArg(0), i)));
    arguments.insert(arguments.end(), {range->getArg(1), range->getArg(2)});
    builder.CreateCall(body, arguments);
    builder.CreateRetVoid();
    return range;
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
    environment_.buffers.push_back(node.buffer);
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
    environment_.buffers.pop_back();
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
  Environment environment_;    // at the point where code is being emitted
  Value* parallel_ = nullptr;  // null where threads share the work already
  llvm::Instruction* allocations_end_ = nullptr;
  std::vector<Value*> heap_blocks_;
  uint64_t stack_bytes_ = 0;
};

/// A function of one pointer a buffer, so that LLVM can be told that they do not alias, the variables, and
/// arguments of the types `behind`.
llvm::Function* NewBody(const Environment& environment, llvm::ArrayRef<llvm::Type*> behind,
                        const std::string& name, llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  std::vector<llvm::Type*> types(environment.buffers.size(), llvm::PointerType::getUnqual(context));
  types.insert(types.end(), environment.vars.size(), llvm::Type::getInt64Ty(context));
  types.insert(types.end(), behind.begin(), behind.end());
  auto* function =
      llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false),
                             llvm::Function::InternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr(llvm::Attribute::MustProgress);
  for (unsigned i = 0; i < environment.buffers.size(); ++i) {
    const tir::BufferNode& buffer = *environment.buffers[i];
    llvm::Argument* argument = function->getArg(i);
    argument->setName(buffer.name);
    argument->addAttr(llvm::Attribute::NoAlias);
    argument->addAttr(
        llvm::Attribute::getWithAlignment(context, llvm::Align(std::max(1, buffer.type.bits / 8))));
    if (const uint64_t bytes = ByteSize(buffer); bytes > 0) {
      argument->addAttr(llvm::Attribute::getWithDereferenceableBytes(context, bytes));
    }
  }
  return function;
}

}  // namespace

void EmitKernel(const tir::Function& function, const std::string& symbol, llvm::Module& module) {
  llvm::IRBuilder<> builder(module.getContext());
  llvm::Type* const pointer = builder.getPtrTy();
  const Environment parameters{function.params, {}, {}};
  llvm::Function* body = NewBody(parameters, {pointer}, symbol + ".body", module);
  builder.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", body));
  FunctionEmitter(body, builder, parameters).Run(function.body);
  auto* kernel =
      llvm::Function::Create(llvm::FunctionType::get(builder.getVoidTy(), {pointer, pointer}, false),
                             llvm::Function::ExternalLinkage, symbol, module);
  kernel->addFnAttr(llvm::Attribute::NoUnwind);
  builder.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", kernel));
  std::vector<Value*> pointers;
  for (size_t i = 0; i < function.params.size(); ++i) {
    Value* slot = builder.CreateConstInBoundsGEP1_64(builder.getPtrTy(), kernel->getArg(0), i);
    pointers.push_back(builder.CreateLoad(builder.getPtrTy(), slot));
  }
  pointers.push_back(kernel->getArg(1));
  builder.CreateCall(body, pointers);
  builder.CreateRetVoid();
}

}  // namespace cosim::cpu
