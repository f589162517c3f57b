// SPDX-License-Identifier: Apache-2.0
#include "compiler/cpu/vector_codegen.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsAArch64.h>
#include <llvm/IR/IntrinsicsARM.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

#include <bit>
#include <numeric>
#include <optional>
#include <vector>

#include "compiler/tir/simplify.h"
#include "compiler/tir/visitor.h"
#include "isa/check.h"

namespace cosim::cpu {
namespace {

using llvm::Value;
using tir::Expr;

/// What is under stages, which only name.
const tir::Stmt& Inside(const tir::Stmt& stmt) {
  const auto* stage = tir::As<tir::Stage>(stmt);
  return stage ? Inside(stage->body) : stmt;
}

const tir::Load* LoadUnderCasts(const Expr& expr) {
  if (const auto* cast = tir::As<tir::Cast>(expr)) return LoadUnderCasts(cast->value);
  return tir::As<tir::Load>(expr);
}

bool DependsOn(const Expr& expr, const tir::Var& var) {
  bool found = false;
  tir::ForEachExpr(expr, [&](const Expr& e) {
    const auto* ref = tir::As<tir::VarRef>(e);
    found = found || (ref && ref->var == var);
  });
  return found;
}

/// How far the element moves in memory with `var`.
int64_t StrideOf(const tir::Buffer& buffer, const std::vector<Expr>& indices, const tir::Var& var) {
  Expr offset = tir::Int(0);
  for (size_t i = 0; i < indices.size(); ++i) offset = offset * tir::Int(buffer->shape[i]) + indices[i];
  int64_t stride = 0;
  for (const auto& [atom, coefficient] : tir::Simplifier().ToLinear(offset).terms) {
    const auto* ref = tir::As<tir::VarRef>(atom);
    if (ref && ref->var == var) stride += coefficient;
    COSIM_CHECK(ref || !DependsOn(atom, var), "'{}' is read at {}", buffer->name, ToString(atom));
  }
  return stride;
}

class TensorizedEmitter {
 public:
  TensorizedEmitter(const tir::For& loop, llvm::IRBuilder<>& builder, Scope& scope, ExprEmitter& exprs)
      : lane_(loop.var), b_(builder), scope_(scope), exprs_(exprs) {
    const auto extent = tir::AsInt(loop.extent);
    COSIM_CHECK(extent && tir::AsInt(loop.min) == 0, "lanes of {}", ToString(loop.extent));
    lanes_ = static_cast<unsigned>(*extent);
    scope_.vars[lane_.get()] = b_.getInt64(0);
  }

  void Run(const tir::Stmt& body) {
    if (const auto* inner = tir::As<tir::For>(Inside(body))) {
      const auto* store = tir::As<tir::Store>(Inside(inner->body));
      COSIM_CHECK(store && tir::AsInt(inner->extent), "a tensorized loop over {}", ToString(inner->body));
      scope_.vars[inner->var.get()] = b_.getInt64(0);
      if (Accumulation(*store)) return EmitDot(*inner, *store);
      return StrideOf(store->buffer, store->indices, lane_) == 1 ? EmitTurned(*inner, *store)
                                                                 : EmitInterleaved(*inner, *store);
    }
    const auto* store = tir::As<tir::Store>(Inside(body));
    COSIM_CHECK(store, "a tensorized loop over {}", ToString(body));
    EmitStore(*store);
  }

 private:
  void EmitStore(const tir::Store& store) {
    Value* address = Destination(store);
    if (const auto* sum = Accumulation(store)) {
      Value* old = LoadLanes(address, store.buffer->type, lanes_);
      Value* product = MultiplyAdd(*tir::As<tir::Binary>(sum->b), old);
      b_.CreateAlignedStore(product, address, AlignOf(store.buffer->type));
      return;
    }
    b_.CreateAlignedStore(Lanes(store.value), address, AlignOf(store.buffer->type));
  }

  /// Each of `inner`'s rounds gives a vector; lanes' elements of all of them stand side by side.
  void EmitInterleaved(const tir::For& inner, const tir::Store& store) {
    const auto depth = static_cast<int>(*tir::AsInt(inner.extent));
    COSIM_CHECK(StrideOf(store.buffer, store.indices, lane_) == depth &&
                    StrideOf(store.buffer, store.indices, inner.var) == 1,
                "lanes of '{}' apart", store.buffer->name);
    Value* address = exprs_.Address(store.buffer, store.indices);
    Value* all = nullptr;  // one vector after the other
    for (int d = 0; d < depth; ++d) {
      scope_.vars[inner.var.get()] = b_.getInt64(static_cast<uint64_t>(d));
      Value* vector = Lanes(store.value);
      all = all ? Concatenate(all, vector) : vector;
    }
    std::vector<int> order;
    for (int l = 0; l < static_cast<int>(lanes_); ++l)
      for (int d = 0; d < depth; ++d) order.push_back(d * static_cast<int>(lanes_) + l);
    b_.CreateAlignedStore(b_.CreateShuffleVector(all, order), address, AlignOf(store.buffer->type));
  }

  /// Rows of a rectangle are loaded, its columns stored, each one of `inner`'s rounds. In squares, halves of
  /// rows change places with those of rows half as far away, then halves of these.
  void EmitTurned(const tir::For& inner, const tir::Store& store) {
    const auto* load = tir::As<tir::Load>(store.value);
    const auto columns = static_cast<unsigned>(*tir::AsInt(inner.extent));
    COSIM_CHECK(load && columns % lanes_ == 0 && std::has_single_bit(lanes_) &&
                    StrideOf(load->buffer, load->indices, inner.var) == 1,
                "lanes that become columns of {}", ToString(inner.body));
    std::vector<Value*> rows;
    for (unsigned l = 0; l < lanes_; ++l) {
      scope_.vars[lane_.get()] = b_.getInt64(l);
      rows.push_back(LoadLanes(exprs_.Address(load->buffer, load->indices), load->buffer->type, columns));
    }
    scope_.vars[lane_.get()] = b_.getInt64(0);
    for (unsigned first = 0; first < columns; first += lanes_) {
      std::vector<int> part(lanes_);
      std::iota(part.begin(), part.end(), static_cast<int>(first));
      std::vector<Value*> square;
      for (Value* row : rows) square.push_back(columns == lanes_ ? row : b_.CreateShuffleVector(row, part));
      for (unsigned half = lanes_ / 2; half > 0; half /= 2) Swap(square, half);
      for (unsigned d = 0; d < lanes_; ++d) {
        scope_.vars[inner.var.get()] = b_.getInt64(first + d);
        b_.CreateAlignedStore(square[d], exprs_.Address(store.buffer, store.indices),
                              AlignOf(store.buffer->type));
      }
    }
  }

  /// Of rows `apart` from each other, elements that are `apart` further in the first with those in the
  /// second.
  void Swap(std::vector<Value*>& rows, unsigned apart) {
    std::vector<int> first, second;
    for (unsigned l = 0; l < lanes_; ++l) {
      const bool low = (l & apart) == 0;
      first.push_back(static_cast<int>(low ? l : lanes_ + l - apart));
      second.push_back(static_cast<int>(low ? l + apart : lanes_ + l));
    }
    for (unsigned r = 0; r < lanes_; ++r) {
      if ((r & apart) != 0) continue;
      Value *a = rows[r], *b = rows[r + apart];
      rows[r] = b_.CreateShuffleVector(a, b, first);
      rows[r + apart] = b_.CreateShuffleVector(a, b, second);
    }
  }

  Value* Concatenate(Value* a, Value* b) {
    const auto size = [](Value* v) {
      return llvm::cast<llvm::FixedVectorType>(v->getType())->getNumElements();
    };
    std::vector<int> order(size(a) + size(b));
    std::iota(order.begin(), order.end(), 0);
    if (size(a) == size(b)) return b_.CreateShuffleVector(a, b, order);
    std::vector<int> widened(size(a), -1);
    std::iota(widened.begin(), widened.begin() + size(b), 0);
    return b_.CreateShuffleVector(a, b_.CreateShuffleVector(b, widened), order);
  }

  /// old + x * y.
  Value* MultiplyAdd(const tir::Binary& product, Value* old) {
    if (Value* longer = LongProduct(product)) return b_.CreateAdd(old, longer);
    Value* x = Lanes(product.a);
    Value* y = Lanes(product.b);
    if (x->getType()->isFPOrFPVectorTy())
      return b_.CreateIntrinsic(llvm::Intrinsic::fmuladd, {x->getType()}, {x, y, old});
    return b_.CreateAdd(old, b_.CreateMul(x, y));
  }

  /// x * y of two int16 in 4 lanes by armv7's vmull, which LLVM does not see where one of them is in all
  /// lanes.
  Value* LongProduct(const tir::Binary& product) {
    const auto *a = tir::As<tir::Cast>(product.a), *b = tir::As<tir::Cast>(product.b);
    const auto is_short = [](const tir::Cast* cast) {
      return cast && cast->value->type == tir::DataType::Int(16);
    };
    const llvm::Triple triple(b_.GetInsertBlock()->getModule()->getTargetTriple());
    if (!triple.isARM() || lanes_ != 4 || !is_short(a) || !is_short(b)) return nullptr;
    Value* x = Lanes(a->value);
    return b_.CreateIntrinsic(llvm::Intrinsic::arm_neon_vmulls,
                              {llvm::FixedVectorType::get(b_.getInt32Ty(), 4)}, {x, Lanes(b->value)});
  }

  void EmitDot(const tir::For& inner, const tir::Store& store) {
    const int64_t depth = *tir::AsInt(inner.extent);
    const auto& product = *tir::As<tir::Binary>(Accumulation(store)->b);
    const bool a_is_shared = !DependsOn(product.a, lane_);
    const tir::Load* shared = LoadUnderCasts(a_is_shared ? product.a : product.b);
    const tir::Load* own = LoadUnderCasts(a_is_shared ? product.b : product.a);
    COSIM_CHECK(shared && own && StrideOf(shared->buffer, shared->indices, inner.var) == 1 &&
                    StrideOf(own->buffer, own->indices, inner.var) == 1 &&
                    StrideOf(own->buffer, own->indices, lane_) == depth,
                "a dot product of {}", ToString(inner.body));
    llvm::Type* packed = b_.getInt32Ty();  // the factors of a lane
    auto* x = b_.CreateAlignedLoad(packed, exprs_.Address(shared->buffer, shared->indices),
                                   AlignOf(shared->buffer->type));
    auto* y = b_.CreateAlignedLoad(llvm::FixedVectorType::get(packed, lanes_),
                                   exprs_.Address(own->buffer, own->indices), AlignOf(own->buffer->type));
    Value* address = Destination(store);
    Value* old = LoadLanes(address, store.buffer->type, lanes_);
    Value* dot = Dot(shared->buffer->type, own->buffer->type, depth, old, b_.CreateVectorSplat(lanes_, x), y);
    b_.CreateAlignedStore(dot, address, AlignOf(store.buffer->type));
  }

  /// old plus products: vpdpbusd of four uint8 by int8, vpmaddwd of two int16, in 4, 8 or 16 lanes; sdot of
  /// four int8 in 4 lanes.
  Value* Dot(tir::DataType x_type, tir::DataType y_type, int64_t depth, Value* old, Value* x, Value* y) {
    using tir::DataType;
    namespace id = llvm::Intrinsic;
    COSIM_CHECK(lanes_ == 4 || lanes_ == 8 || lanes_ == 16, "a dot product in {} lanes", lanes_);
    const auto by_lanes = [&](id::ID four, id::ID eight, id::ID sixteen) {
      return lanes_ == 4 ? four : lanes_ == 8 ? eight : sixteen;
    };
    if (depth == 4 && x_type == DataType::UInt(8) && y_type == DataType::Int(8)) {
      const auto quads =
          by_lanes(id::x86_avx512_vpdpbusd_128, id::x86_avx512_vpdpbusd_256, id::x86_avx512_vpdpbusd_512);
      return b_.CreateIntrinsic(quads, {}, {old, x, y});
    }
    if (depth == 4 && x_type == DataType::Int(8) && y_type == DataType::Int(8)) {
      auto* bytes = llvm::FixedVectorType::get(b_.getInt8Ty(), 4 * lanes_);
      return b_.CreateIntrinsic(id::aarch64_neon_sdot, {old->getType(), bytes},
                                {old, b_.CreateBitCast(x, bytes), b_.CreateBitCast(y, bytes)});
    }
    COSIM_CHECK(depth == 2 && x_type == DataType::Int(16) && y_type == DataType::Int(16),
                "no dot product of {} {} and {}", depth, ToString(x_type), ToString(y_type));
    auto* halves = llvm::FixedVectorType::get(b_.getInt16Ty(), 2 * lanes_);
    const auto pairs = by_lanes(id::x86_sse2_pmadd_wd, id::x86_avx2_pmadd_wd, id::x86_avx512_pmaddw_d_512);
    return b_.CreateAdd(
        old, b_.CreateIntrinsic(pairs, {}, {b_.CreateBitCast(x, halves), b_.CreateBitCast(y, halves)}));
  }

  /// The sum that `store` stores when it adds a product to what is there.
  static const tir::Binary* Accumulation(const tir::Store& store) {
    const auto* sum = tir::As<tir::Binary>(store.value);
    if (!sum || sum->op != tir::BinaryOp::kAdd) return nullptr;
    const auto* old = tir::As<tir::Load>(sum->a);
    const auto* product = tir::As<tir::Binary>(sum->b);
    if (!old || old->buffer != store.buffer || !product || product->op != tir::BinaryOp::kMul) return nullptr;
    for (size_t i = 0; i < old->indices.size(); ++i)
      if (!tir::Equal(old->indices[i], store.indices[i])) return nullptr;
    return sum;
  }

  Value* Destination(const tir::Store& store) {
    COSIM_CHECK(StrideOf(store.buffer, store.indices, lane_) == 1, "lanes of '{}' apart", store.buffer->name);
    return exprs_.Address(store.buffer, store.indices);
  }

  /// A vector of the values that `expr` has in the lanes, or, with `mask`, in those that it chooses.
  Value* Lanes(const Expr& expr, Value* mask = nullptr) {
    if (!DependsOn(expr, lane_) && (!mask || !LoadUnderCasts(expr)))
      return b_.CreateVectorSplat(lanes_, exprs_.Emit(expr));
    if (const auto* cast = tir::As<tir::Cast>(expr))
      return exprs_.EmitCast(cast->value->type, expr->type, Lanes(cast->value, mask));
    if (const auto* node = tir::As<tir::Binary>(expr)) return Arithmetic(*node, mask);
    if (const auto* select = tir::As<tir::Select>(expr)) {
      if (const auto known = Known(select->condition)) return Lanes(*known ? select->a : select->b, mask);
      COSIM_CHECK(!mask && !LoadUnderCasts(select->b), "lanes of {}", ToString(expr));
      Value* chosen = Mask(select->condition);
      return b_.CreateSelect(chosen, Lanes(select->a, chosen), Lanes(select->b));
    }
    const auto* load = tir::As<tir::Load>(expr);
    const int64_t stride = load ? StrideOf(load->buffer, load->indices, lane_) : 0;
    const bool is_apart = (stride == 2 || stride == 4) && !mask && lanes_ % 4 == 0;
    COSIM_CHECK(stride == 1 || is_apart, "lanes of {}", ToString(expr));
    Value* address = exprs_.Address(load->buffer, load->indices);
    const tir::DataType type = load->buffer->type;
    if (mask) {
      auto* vector = llvm::FixedVectorType::get(MemoryType(type, b_.getContext()), lanes_);
      return b_.CreateMaskedLoad(vector, address, AlignOf(type), mask, llvm::Constant::getNullValue(vector));
    }
    return stride == 1 ? LoadLanes(address, type, lanes_)
                       : LoadApart(address, type, static_cast<unsigned>(stride));
  }

  /// A sum, a difference, or a product of floats. Where a product of floats is added, both round once.
  Value* Arithmetic(const tir::Binary& node, Value* mask) {
    using tir::BinaryOp;
    const bool is_float = node.a->type.is_float();
    const auto* product = tir::As<tir::Binary>(node.b);
    if (is_float && node.op == BinaryOp::kAdd && product && product->op == BinaryOp::kMul)
      return MultiplyAdd(*product, Lanes(node.a, mask));
    Value* a = Lanes(node.a, mask);
    Value* b = Lanes(node.b, mask);
    if (node.op == BinaryOp::kAdd) return is_float ? b_.CreateFAdd(a, b) : b_.CreateAdd(a, b);
    if (node.op == BinaryOp::kSub) return is_float ? b_.CreateFSub(a, b) : b_.CreateSub(a, b);
    COSIM_CHECK(is_float && node.op == BinaryOp::kMul, "lanes of {}", ToString(node.a));
    return b_.CreateFMul(a, b);
  }

  /// A condition that is the same whatever runs, as in loops that are written out.
  std::optional<bool> Known(const Expr& condition) {
    if (DependsOn(condition, lane_)) return std::nullopt;
    const auto* value = llvm::dyn_cast<llvm::ConstantInt>(exprs_.Emit(condition));
    return value ? std::optional(value->isOne()) : std::nullopt;
  }

  /// The lanes in which `condition` holds.
  Value* Mask(const Expr& condition) {
    if (!DependsOn(condition, lane_)) return b_.CreateVectorSplat(lanes_, exprs_.Emit(condition));
    const auto* node = tir::As<tir::Binary>(condition);
    COSIM_CHECK(node, "lanes where {}", ToString(condition));
    if (node->op == tir::BinaryOp::kLogicalAnd) return b_.CreateAnd(Mask(node->a), Mask(node->b));
    COSIM_CHECK(node->op == tir::BinaryOp::kLt || node->op == tir::BinaryOp::kLe, "lanes where {}",
                ToString(condition));
    Value* a = Places(node->a);
    Value* b = Places(node->b);
    return node->op == tir::BinaryOp::kLt ? b_.CreateICmpSLT(a, b) : b_.CreateICmpSLE(a, b);
  }

  /// An index in the lanes: a sum with the lane as one of its terms.
  Value* Places(const Expr& index) {
    int64_t step = 0;
    for (const auto& [atom, coefficient] : tir::Simplifier().ToLinear(index).terms) {
      const auto* ref = tir::As<tir::VarRef>(atom);
      COSIM_CHECK((ref && ref->var == lane_) || !DependsOn(atom, lane_), "lanes of {}", ToString(index));
      if (ref && ref->var == lane_) step += coefficient;
    }
    std::vector<llvm::Constant*> steps;
    for (unsigned l = 0; l < lanes_; ++l)
      steps.push_back(llvm::ConstantInt::getSigned(b_.getInt64Ty(), step * static_cast<int64_t>(l)));
    return b_.CreateAdd(b_.CreateVectorSplat(lanes_, exprs_.Emit(index)), llvm::ConstantVector::get(steps));
  }

  /// Every `stride`-th element from `address`: of as many vectors that follow each other, but that the last
  /// one ends with the last element wanted.
  Value* LoadApart(Value* address, tir::DataType type, unsigned stride) {
    llvm::Type* element = MemoryType(type, b_.getContext());
    std::vector<Value*> parts;
    std::vector<unsigned> begins;
    for (unsigned v = 0; v < stride; ++v) {
      begins.push_back(v + 1 < stride ? v * lanes_ : (lanes_ - 1) * (stride - 1));
      parts.push_back(LoadLanes(b_.CreateConstInBoundsGEP1_64(element, address, begins[v]), type, lanes_));
    }
    const unsigned of_pair = 2 * lanes_ / stride;  // wanted elements of two neighbouring vectors
    std::vector<Value*> pairs;
    for (unsigned v = 0; v < stride; v += 2) {
      std::vector<int> wanted(lanes_, -1);
      for (unsigned i = 0; i < of_pair; ++i) {
        const unsigned at = (v / 2 * of_pair + i) * stride;
        wanted[i] = static_cast<int>(i < of_pair / 2 ? at - begins[v] : lanes_ + at - begins[v + 1]);
      }
      pairs.push_back(b_.CreateShuffleVector(parts[v], parts[v + 1], wanted));
    }
    if (pairs.size() == 1) return pairs[0];
    std::vector<int> halves(lanes_);
    for (unsigned i = 0; i < lanes_; ++i)
      halves[i] = static_cast<int>(i < of_pair ? i : lanes_ + i - of_pair);
    return b_.CreateShuffleVector(pairs[0], pairs[1], halves);
  }

  Value* LoadLanes(Value* address, tir::DataType type, unsigned lanes) {
    auto* vector = llvm::FixedVectorType::get(MemoryType(type, b_.getContext()), lanes);
    return b_.CreateAlignedLoad(vector, address, AlignOf(type));
  }

  static llvm::Align AlignOf(tir::DataType type) { return llvm::Align(std::max(1, type.bits / 8)); }

  const tir::Var lane_;
  llvm::IRBuilder<>& b_;
  Scope& scope_;
  ExprEmitter& exprs_;
  unsigned lanes_ = 0;
};

}  // namespace

void EmitTensorized(const tir::For& loop, llvm::IRBuilder<>& builder, Scope& scope, ExprEmitter& exprs) {
  TensorizedEmitter(loop, builder, scope, exprs).Run(loop.body);
}

}  // namespace cosim::cpu
