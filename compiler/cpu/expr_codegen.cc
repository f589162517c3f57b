// SPDX-License-Identifier: Apache-2.0
// Expressions of the loop IR as LLVM values, with the semantics that the head of compiler/tir/ir.h states:
// nothing here may become undefined behaviour of LLVM for operands that are defined there.
#include "compiler/cpu/expr_codegen.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "compiler/cpu/math_codegen.h"
#include "compiler/cpu/narrow.h"
#include "compiler/tir/simplify.h"
#include "compiler/tir/visitor.h"
#include "isa/check.h"

namespace cosim::cpu {
namespace {

using llvm::Value;
using tir::BinaryOp;
using tir::DataType;
using tir::Expr;

bool IsBool(DataType type) { return type == DataType::Bool(); }

template <typename... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <typename... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

bool IsPositiveConstant(const Expr& expr) {
  const auto* imm = std::get_if<tir::IntImm>(&expr->node);
  return imm != nullptr && imm->value > 0;
}

/// True when `expr` may be evaluated although its value is not wanted.
bool IsSpeculatable(const Expr& expr) {
  return std::visit(Overloaded{
                        [](const tir::Load&) { return false; },
                        [](const tir::Binary& n) {
                          const bool divides = n.op == BinaryOp::kFloorDiv || n.op == BinaryOp::kFloorMod;
                          return (!divides || IsPositiveConstant(n.b)) && IsSpeculatable(n.a) &&
                                 IsSpeculatable(n.b);
                        },
                        [](const tir::Select& n) {
                          return IsSpeculatable(n.condition) && IsSpeculatable(n.a) && IsSpeculatable(n.b);
                        },
                        [](const tir::Cast& n) { return IsSpeculatable(n.value); },
                        [](const tir::Math& n) { return IsSpeculatable(n.value); },
                        [](const auto&) { return true; },
                    },
                    expr->node);
}

llvm::CmpInst::Predicate Comparison(BinaryOp op, DataType type) {
  using P = llvm::CmpInst::Predicate;
  const bool is_float = type.is_float(), is_signed = type.is_signed();
  switch (op) {
    case BinaryOp::kLt:
      return is_float ? P::FCMP_OLT : is_signed ? P::ICMP_SLT : P::ICMP_ULT;
    case BinaryOp::kLe:
      return is_float ? P::FCMP_OLE : is_signed ? P::ICMP_SLE : P::ICMP_ULE;
    case BinaryOp::kEq:
      return is_float ? P::FCMP_OEQ : P::ICMP_EQ;
    case BinaryOp::kNe:
      return is_float ? P::FCMP_UNE : P::ICMP_NE;
    default:
      return P::BAD_ICMP_PREDICATE;
  }
}

bool HasDivision(const std::vector<Expr>& indices) {
  bool found = false;
  for (const Expr& index : indices) {
    tir::ForEachExpr(index, [&](const Expr& expr) {
      const auto* binary = tir::As<tir::Binary>(expr);
      found |= binary && (binary->op == BinaryOp::kFloorDiv || binary->op == BinaryOp::kFloorMod);
    });
  }
  return found;
}

/// Whether `expr` is a load, or selects among loads, whose address may be computed although it is not wanted.
bool IsPlace(const Expr& expr) {
  if (const auto* select = tir::As<tir::Select>(expr))
    return IsSpeculatable(select->condition) && IsPlace(select->a) && IsPlace(select->b);
  const auto* load = tir::As<tir::Load>(expr);
  return load && !HasDivision(load->indices) &&
         std::all_of(load->indices.begin(), load->indices.end(), IsSpeculatable);
}

/// The offset of an element in elements, where quotient and remainder of a fused loop become one variable
/// again.
Expr JoinedOffset(const tir::BufferNode& buffer, const std::vector<Expr>& indices) {
  Expr offset = tir::Int(0);
  for (size_t i = 0; i < indices.size(); ++i) offset = offset * tir::Int(buffer.shape[i]) + indices[i];
  return tir::Simplifier().Simplify(offset);
}

/// LLVM's instruction for `fn`; none when the C library computes it.
std::optional<llvm::Intrinsic::ID> InstructionFor(tir::MathFn fn) {
  switch (fn) {
    case tir::MathFn::kSqrt:
      return llvm::Intrinsic::sqrt;
    case tir::MathFn::kFloor:
      return llvm::Intrinsic::floor;
    case tir::MathFn::kCeil:
      return llvm::Intrinsic::ceil;
    case tir::MathFn::kRound:
      return llvm::Intrinsic::roundeven;
    case tir::MathFn::kAbs:
      return llvm::Intrinsic::fabs;
    default:
      return std::nullopt;
  }
}

/// LLVM 19 has no roundeven of vectors for 32-bit ARM, and would end the program where it meets one.
bool RoundsHalfEven(const llvm::Module& module) { return !llvm::Triple(module.getTargetTriple()).isARM(); }

}  // namespace

llvm::Type* RegisterType(DataType type, llvm::LLVMContext& context) {
  if (!type.is_float()) return llvm::IntegerType::get(context, type.bits);
  COSIM_CHECK(type.bits == 32 || type.bits == 64, "float{}", type.bits);
  return type.bits == 32 ? llvm::Type::getFloatTy(context) : llvm::Type::getDoubleTy(context);
}

llvm::Type* MemoryType(DataType type, llvm::LLVMContext& context) {
  return IsBool(type) ? llvm::Type::getInt8Ty(context) : RegisterType(type, context);
}

Value* ExprEmitter::Emit(const Expr& expr) {
  llvm::Type* type = RegisterType(expr->type, b_.getContext());
  if (scope_.ranges && tir::As<tir::Binary>(expr) && FitsInt32(expr, *scope_.ranges))
    return b_.CreateSExt(EmitNarrow(expr), type);
  return std::visit(
      Overloaded{
          [&](const tir::IntImm& n) -> Value* { return llvm::ConstantInt::get(type, n.value, true); },
          [&](const tir::FloatImm& n) -> Value* { return llvm::ConstantFP::get(type, n.value); },
          [&](const tir::VarRef& n) -> Value* {
            const auto it = scope_.vars.find(n.var.get());
            COSIM_CHECK(it != scope_.vars.end(), "'{}' is not a loop variable in scope", n.var->name);
            return it->second;
          },
          [&](const tir::Binary& n) -> Value* { return EmitBinary(n); },
          [&](const tir::Select& n) -> Value* { return EmitSelect(n); },
          [&](const tir::Cast& n) -> Value* { return EmitCast(n.value->type, expr->type, Emit(n.value)); },
          [&](const tir::Load& n) -> Value* { return EmitLoad(n); },
          [&](const tir::Math& n) -> Value* { return EmitMath(n, expr->type); },
      },
      expr->node);
}

Value* ExprEmitter::EmitBinary(const tir::Binary& node) {
  const DataType type = node.a->type;
  Value* a = Emit(node.a);
  Value* b = Emit(node.b);
  if (const auto predicate = Comparison(node.op, type); predicate != llvm::CmpInst::BAD_ICMP_PREDICATE) {
    return b_.CreateCmp(predicate, a, b);
  }
  return type.is_float() ? EmitFloat(node.op, a, b) : EmitInteger(node.op, type.is_signed(), a, b);
}

Value* ExprEmitter::EmitNarrow(const Expr& expr) {
  const auto* binary = tir::As<tir::Binary>(expr);
  if (!binary) return b_.CreateTrunc(Emit(expr), b_.getInt32Ty());
  Value* a = EmitNarrow(binary->a);
  Value* b = EmitNarrow(binary->b);
  switch (binary->op) {
    case BinaryOp::kAdd:
      return b_.CreateNSWAdd(a, b);
    case BinaryOp::kSub:
      return b_.CreateNSWSub(a, b);
    case BinaryOp::kMul:
      return b_.CreateNSWMul(a, b);
    default: {
      const auto least = scope_.ranges->Bounds(binary->a).min;
      const bool divides = binary->op == BinaryOp::kFloorDiv || binary->op == BinaryOp::kFloorMod;
      return EmitInteger(binary->op, !(divides && least && *least >= 0), a, b);
    }
  }
}

Value* ExprEmitter::EmitInteger(BinaryOp op, bool is_signed, Value* a, Value* b) {
  switch (op) {
    case BinaryOp::kAdd:
      return b_.CreateAdd(a, b);
    case BinaryOp::kSub:
      return b_.CreateSub(a, b);
    case BinaryOp::kMul:
      return b_.CreateMul(a, b);
    case BinaryOp::kFloorDiv:
      return EmitFloorDivMod(false, is_signed, a, b);
    case BinaryOp::kFloorMod:
      return EmitFloorDivMod(true, is_signed, a, b);
    case BinaryOp::kMin:
      return b_.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, a, b);
    case BinaryOp::kMax:
      return b_.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, a, b);
    case BinaryOp::kShl:
    case BinaryOp::kShr:
      return EmitShift(op, is_signed, a, b);
    case BinaryOp::kRoundShift:
      return EmitRoundShift(is_signed, a, b);
    case BinaryOp::kAnd:
    case BinaryOp::kLogicalAnd:
      return b_.CreateAnd(a, b);
    case BinaryOp::kOr:
    case BinaryOp::kLogicalOr:
      return b_.CreateOr(a, b);
    case BinaryOp::kXor:
      return b_.CreateXor(a, b);
    default:
      COSIM_CHECK(false, "operation {} is not defined on integers", static_cast<int>(op));
  }
}

Value* ExprEmitter::EmitFloat(BinaryOp op, Value* a, Value* b) {
  switch (op) {
    case BinaryOp::kAdd:
      return b_.CreateFAdd(a, b);
    case BinaryOp::kSub:
      return b_.CreateFSub(a, b);
    case BinaryOp::kMul:
      return b_.CreateFMul(a, b);
    case BinaryOp::kDiv:
      return b_.CreateFDiv(a, b);
    case BinaryOp::kPow:
      return CallLibrary("pow", {a, b});
    case BinaryOp::kFMod:
      return b_.CreateFRem(a, b);
    case BinaryOp::kMin:
      return b_.CreateSelect(b_.CreateFCmpOLT(b, a), b, a);
    case BinaryOp::kMax:
      return b_.CreateSelect(b_.CreateFCmpOLT(a, b), b, a);
    default:
      COSIM_CHECK(false, "operation {} is not defined on floats", static_cast<int>(op));
  }
}

Value* ExprEmitter::EmitFloorDivMod(bool mod, bool is_signed, Value* a, Value* b) {
  if (!is_signed) return mod ? b_.CreateURem(a, b) : b_.CreateUDiv(a, b);
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(b);
      constant && constant->getValue().isPowerOf2()) {
    if (mod) return b_.CreateAnd(a, b_.CreateSub(b, llvm::ConstantInt::get(b->getType(), 1)));
    return b_.CreateAShr(a, llvm::ConstantInt::get(b->getType(), constant->getValue().logBase2()));
  }
  // Division rounds towards zero; with a positive divisor a negative remainder says that it rounded up.
  Value* remainder = b_.CreateSRem(a, b);
  Value* rounded_up = b_.CreateICmpSLT(remainder, llvm::Constant::getNullValue(a->getType()));
  if (mod) return b_.CreateSelect(rounded_up, b_.CreateAdd(remainder, b), remainder);
  return b_.CreateAdd(b_.CreateSDiv(a, b), b_.CreateSExt(rounded_up, a->getType()));
}

Value* ExprEmitter::EmitShift(BinaryOp op, bool is_signed, Value* a, Value* b) {
  if (op == BinaryOp::kShl) return b_.CreateShl(a, b);
  return is_signed ? b_.CreateAShr(a, b) : b_.CreateLShr(a, b);
}

Value* ExprEmitter::EmitRoundShift(bool is_signed, Value* a, Value* b) {
  llvm::Type* type = a->getType();
  // All bits but the last, then that one both shifted out and added: no intermediate sum that could overflow.
  Value* last = b_.CreateZExt(b_.CreateICmpNE(b, llvm::Constant::getNullValue(type)), type);
  Value* shifted = EmitShift(BinaryOp::kShr, is_signed, a, b_.CreateSub(b, last));
  return b_.CreateAdd(EmitShift(BinaryOp::kShr, is_signed, shifted, last), b_.CreateAnd(shifted, last));
}

Value* ExprEmitter::EmitSelect(const tir::Select& node) {
  Value* condition = Emit(node.condition);
  if (IsSpeculatable(node.a) && IsSpeculatable(node.b)) {
    return b_.CreateSelect(condition, Emit(node.a), Emit(node.b));
  }
  if (IsPlace(node.a) && IsPlace(node.b)) return EmitSelectedLoad(node);
  llvm::Function* function = b_.GetInsertBlock()->getParent();
  auto* then_block = llvm::BasicBlock::Create(b_.getContext(), "select.then", function);
  auto* else_block = llvm::BasicBlock::Create(b_.getContext(), "select.else", function);
  auto* join = llvm::BasicBlock::Create(b_.getContext(), "select.join", function);
  b_.CreateCondBr(condition, then_block, else_block);
  b_.SetInsertPoint(then_block);
  Value* a = Emit(node.a);
  then_block = b_.GetInsertBlock();
  b_.CreateBr(join);
  b_.SetInsertPoint(else_block);
  Value* b = Emit(node.b);
  else_block = b_.GetInsertBlock();
  b_.CreateBr(join);
  b_.SetInsertPoint(join);
  llvm::PHINode* phi = b_.CreatePHI(a->getType(), 2);
  phi->addIncoming(a, then_block);
  phi->addIncoming(b, else_block);
  return phi;
}

Value* ExprEmitter::EmitPlace(const Expr& expr) {
  if (const auto* select = tir::As<tir::Select>(expr))
    return b_.CreateSelect(Emit(select->condition), EmitPlace(select->a), EmitPlace(select->b));
  // In two steps, of which the second is often the same on both sides; beyond the buffer when it is not
  // wanted.
  const auto* load = tir::As<tir::Load>(expr);
  llvm::Type* type = MemoryType(load->buffer->type, b_.getContext());
  std::vector<Expr> first = load->indices;
  first.back() = tir::Int(0);
  Value* row = b_.CreateGEP(type, scope_.buffers.at(load->buffer.get()), EmitOffset(*load->buffer, first));
  return b_.CreateGEP(type, row, Emit(load->indices.back()));
}

Value* ExprEmitter::EmitSelectedLoad(const tir::Select& node) {
  const DataType type = node.a->type;
  Value* place = b_.CreateSelect(Emit(node.condition), EmitPlace(node.a), EmitPlace(node.b));
  llvm::LoadInst* value = b_.CreateLoad(MemoryType(type, b_.getContext()), place);
  bool local = false;
  const auto look = [&](const Expr& expr) {
    const auto* load = tir::As<tir::Load>(expr);
    local = local || (load && scope_.loop_local.contains(load->buffer.get()));
  };
  tir::ForEachExpr(node.a, look);
  tir::ForEachExpr(node.b, look);
  if (scope_.access_group && !local)
    value->setMetadata(llvm::LLVMContext::MD_access_group, scope_.access_group);
  return IsBool(type) ? b_.CreateTrunc(value, b_.getInt1Ty()) : value;
}

Value* ExprEmitter::EmitCast(DataType from, DataType to, Value* value) {
  llvm::Type* type = RegisterType(to, b_.getContext());
  if (const auto* vector = llvm::dyn_cast<llvm::VectorType>(value->getType()))
    type = llvm::VectorType::get(type, vector->getElementCount());
  if (from.is_float() && to.is_float()) return b_.CreateFPCast(value, type);
  if (to.is_float()) return from.is_signed() ? b_.CreateSIToFP(value, type) : b_.CreateUIToFP(value, type);
  if (!from.is_float()) return b_.CreateIntCast(value, type, from.is_signed());
  // Saturates where C++ would be undefined.
  const auto intrinsic = to.is_signed() ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
  return b_.CreateIntrinsic(intrinsic, {type, value->getType()}, {value});
}

Value* ExprEmitter::EmitMath(const tir::Math& node, DataType type) {
  Value* value = Emit(node.value);
  COSIM_CHECK(type.is_float(), "math functions take floats");
  if (node.fn == tir::MathFn::kRound && !RoundsHalfEven(*b_.GetInsertBlock()->getModule()))
    return EmitRoundHalfEven(value, b_);
  if (const auto instruction = InstructionFor(node.fn)) return b_.CreateUnaryIntrinsic(*instruction, value);
  if (type.bits == 32 && HasPolynomial(node.fn)) return EmitPolynomial(node.fn, value, b_);
  return CallLibrary(tir::NameOf(node.fn), {value});
}

Value* ExprEmitter::CallLibrary(std::string name, llvm::ArrayRef<Value*> arguments) {
  llvm::Type* type = arguments.front()->getType();
  if (type->isFloatTy()) name += 'f';
  const std::vector<llvm::Type*> types(arguments.size(), type);
  llvm::Module* module = b_.GetInsertBlock()->getModule();
  llvm::CallInst* call = b_.CreateCall(
      module->getOrInsertFunction(name, llvm::FunctionType::get(type, types, false)), arguments);
  call->setDoesNotAccessMemory();
  call->setDoesNotThrow();
  return call;
}

Value* ExprEmitter::EmitOffset(const tir::BufferNode& buffer, const std::vector<Expr>& indices) {
  // The offset of an element that exists is below 2^63 bytes, so these cannot overflow.
  Value* offset = b_.getInt64(0);
  for (size_t i = 0; i < indices.size(); ++i) {
    offset = b_.CreateNSWAdd(b_.CreateNSWMul(offset, b_.getInt64(buffer.shape[i])), Emit(indices[i]));
  }
  return offset;
}

Value* ExprEmitter::Address(const tir::Buffer& buffer, const std::vector<Expr>& indices) {
  const auto it = scope_.buffers.find(buffer.get());
  COSIM_CHECK(it != scope_.buffers.end(), "buffer '{}' is neither a parameter nor allocated here",
              buffer->name);
  COSIM_CHECK(indices.size() == buffer->shape.size(), "'{}' has {} dimensions, {} indices", buffer->name,
              buffer->shape.size(), indices.size());
  Value* offset = HasDivision(indices) ? Emit(JoinedOffset(*buffer, indices)) : EmitOffset(*buffer, indices);
  return b_.CreateInBoundsGEP(MemoryType(buffer->type, b_.getContext()), it->second, offset);
}

template <typename Access>
Access* ExprEmitter::Annotate(const tir::Buffer& buffer, Access* access) {
  if (scope_.access_group != nullptr && !scope_.loop_local.contains(buffer.get())) {
    access->setMetadata(llvm::LLVMContext::MD_access_group, scope_.access_group);
  }
  return access;
}

Value* ExprEmitter::EmitLoad(const tir::Load& node) {
  Value* address = Address(node.buffer, node.indices);
  llvm::Type* type = MemoryType(node.buffer->type, b_.getContext());
  Value* value = Annotate(node.buffer, b_.CreateLoad(type, address));
  return IsBool(node.buffer->type) ? b_.CreateTrunc(value, b_.getInt1Ty()) : value;
}

void ExprEmitter::EmitStore(const tir::Store& store) {
  Value* value = Emit(store.value);
  if (IsBool(store.buffer->type)) value = b_.CreateZExt(value, b_.getInt8Ty());
  Annotate(store.buffer, b_.CreateStore(value, Address(store.buffer, store.indices)));
}

}  // namespace cosim::cpu
