// SPDX-License-Identifier: Apache-2.0
// Expressions of the loop IR as LLVM values. Private to compiler/cpu: it includes LLVM. Statements, loops and
// functions are codegen.cc's.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <unordered_map>

#include "compiler/tir/ir.h"
#include "compiler/tir/simplify.h"

namespace cosim::cpu {

/// What the names of a function stand for at the point where code is being emitted.
struct Scope {
  std::unordered_map<const tir::VarNode*, llvm::Value*> vars;        ///< as i64
  std::unordered_map<const tir::BufferNode*, llvm::Value*> buffers;  ///< pointer to the first element
  /// Within a vectorized loop: the access group by which its memory accesses are known to be independent.
  llvm::MDNode* access_group = nullptr;
  /// Buffers allocated within that loop; its iterations share their memory, so their accesses are not.
  std::unordered_map<const tir::BufferNode*, bool> loop_local;
  /// Where addresses have 32 bits, the variables' ranges: what fits is computed in as many. Else null.
  tir::Simplifier* ranges = nullptr;
};

/// The type of a value in a register; a bool is i1.
llvm::Type* RegisterType(tir::DataType type, llvm::LLVMContext& context);
/// The type of an element in memory; a bool takes a byte.
llvm::Type* MemoryType(tir::DataType type, llvm::LLVMContext& context);

class ExprEmitter {
 public:
  ExprEmitter(llvm::IRBuilder<>& builder, Scope& scope) : b_(builder), scope_(scope) {}

  llvm::Value* Emit(const tir::Expr& expr);
  void EmitStore(const tir::Store& store);
  /// Where an element is.
  llvm::Value* Address(const tir::Buffer& buffer, const std::vector<tir::Expr>& indices);
  /// `value`, or each element of a vector, as another type.
  llvm::Value* EmitCast(tir::DataType from, tir::DataType to, llvm::Value* value);

 private:
  llvm::Value* EmitBinary(const tir::Binary& node);
  /// Of what FitsInt32.
  llvm::Value* EmitNarrow(const tir::Expr& expr);
  llvm::Value* EmitInteger(tir::BinaryOp op, bool is_signed, llvm::Value* a, llvm::Value* b);
  llvm::Value* EmitFloat(tir::BinaryOp op, llvm::Value* a, llvm::Value* b);
  llvm::Value* EmitFloorDivMod(bool mod, bool is_signed, llvm::Value* a, llvm::Value* b);
  llvm::Value* EmitShift(tir::BinaryOp op, bool is_signed, llvm::Value* a, llvm::Value* b);
  llvm::Value* EmitRoundShift(bool is_signed, llvm::Value* a, llvm::Value* b);
  llvm::Value* EmitSelect(const tir::Select& node);
  /// Of a selection among loads: where to load from is selected, so that there is no branch.
  llvm::Value* EmitSelectedLoad(const tir::Select& node);
  llvm::Value* EmitPlace(const tir::Expr& expr);
  llvm::Value* EmitLoad(const tir::Load& node);
  llvm::Value* EmitMath(const tir::Math& node, tir::DataType type);
  /// The C library's `name` on double; on float with an "f" behind it.
  llvm::Value* CallLibrary(std::string name, llvm::ArrayRef<llvm::Value*> arguments);
  llvm::Value* EmitOffset(const tir::BufferNode& buffer, const std::vector<tir::Expr>& indices);
  template <typename Access>
  Access* Annotate(const tir::Buffer& buffer, Access* access);

  llvm::IRBuilder<>& b_;
  Scope& scope_;
};

}  // namespace cosim::cpu
