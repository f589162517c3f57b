// SPDX-License-Identifier: Apache-2.0
#include "compiler/cpu/work.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compiler/tir/operators.h"
#include "compiler/tir/simplify.h"
#include "compiler/tir/visitor.h"
#include "isa/check.h"

namespace cosim::cpu {
namespace {

using isa::HostOp;
using tir::BinaryOp;
using tir::Expr;
using tir::Stmt;

constexpr int64_t kVectorBits = 128;
constexpr int64_t kMostInterleaved = 4;  // of as many places, whole vectors are loaded and sorted
constexpr int64_t kSortSteps = 8;
constexpr int64_t kBranches = 5;  // of a conditional load, each as an iteration

// Of a loop over bytes whose rest fills half a vector: LLVM makes a second loop of such vectors.
constexpr int64_t kLanesHalved = 16;

// Of a loop of so many rounds: those behind its last vector, whole or half.
int64_t Rest(int64_t extent, int64_t lanes) {
  const int64_t rest = extent % lanes;
  return lanes >= kLanesHalved ? rest % (lanes / 2) : rest;
}

constexpr int64_t kFunction = 8;  // divisions that a function of the C library takes as long as

bool IsInstruction(tir::MathFn fn) {
  return fn == tir::MathFn::kRound || fn == tir::MathFn::kFloor || fn == tir::MathFn::kCeil ||
         fn == tir::MathFn::kAbs;
}

bool IsSlow(BinaryOp op) { return op == BinaryOp::kDiv || op == BinaryOp::kPow || op == BinaryOp::kFMod; }

struct Loop {
  const tir::VarNode* var;
  int64_t extent;
  bool unrolled;
};

bool HasLoop(const Stmt& stmt) {
  bool found = false;
  tir::ForEachStmt(stmt, [&](const Stmt& s) {
    const auto* loop = tir::As<tir::For>(s);
    found = found || (loop && loop->kind != tir::LoopKind::kUnrolled);
  });
  return found;
}

bool IsZeroShift(const tir::Binary& binary) {
  return binary.op == BinaryOp::kRoundShift && tir::AsInt(binary.b) == 0;
}

// A bound that int8 has anyway.
bool IsFullClip(const tir::Binary& binary) {
  if (binary.a->type != tir::DataType::Int(8)) return false;
  return (binary.op == BinaryOp::kMin && tir::AsInt(binary.b) == 127) ||
         (binary.op == BinaryOp::kMax && tir::AsInt(binary.b) == -128);
}

// Without casts and shifts by nothing.
Expr Bare(Expr expr) {
  while (true) {
    if (const auto* cast = tir::As<tir::Cast>(expr)) {
      expr = cast->value;
    } else if (const auto* binary = tir::As<tir::Binary>(expr); binary && IsZeroShift(*binary)) {
      expr = binary->a;
    } else {
      return expr;
    }
  }
}

// a and b of max(min(a + b, 127), -128) with loads of int8, which processors add at once; else nothing.
std::vector<Expr> SaturatedSum(const Expr& expr) {
  const auto* high = tir::As<tir::Binary>(expr);
  if (!high || high->op != BinaryOp::kMax || tir::AsInt(high->b) != -128) return {};
  const auto* low = tir::As<tir::Binary>(high->a);
  if (!low || low->op != BinaryOp::kMin || tir::AsInt(low->b) != 127) return {};
  const auto* sum = tir::As<tir::Binary>(low->a);
  if (!sum || sum->op != BinaryOp::kAdd) return {};
  const Expr a = Bare(sum->a), b = Bare(sum->b);
  const bool bytes = tir::As<tir::Load>(a) && tir::As<tir::Load>(b) && a->type.bits == 8 && b->type.bits == 8;
  return bytes ? std::vector<Expr>{a, b} : std::vector<Expr>{};
}

// Whether where it stands depends on what another load brings.
bool IsLookedUp(const tir::Load& load) {
  bool looked_up = false;
  for (const Expr& index : load.indices)
    tir::ForEachExpr(index, [&](const Expr& e) { looked_up = looked_up || tir::As<tir::Load>(e); });
  return looked_up;
}

// Whether it is a selection by a single comparison: lanes of a vector can have loads of their own under it.
bool HasOneCondition(const Expr& expr) {
  const auto* select = tir::As<tir::Select>(expr);
  if (!select) return false;
  const auto* condition = tir::As<tir::Binary>(select->condition);
  return condition && condition->op != BinaryOp::kLogicalAnd && !tir::As<tir::Select>(select->a) &&
         !tir::As<tir::Select>(select->b);
}

class Counter {
 public:
  runtime::HostWork Count(const tir::Function& function) {
    for (const tir::Buffer& buffer : function.params) {
      int64_t bytes = (buffer->type.bits + 7) / 8;
      for (int64_t extent : buffer->shape) bytes *= extent;
      work_.bytes += bytes;
    }
    Visit(function.body);
    return work_;
  }

 private:
  using Set = uint64_t;  // of loops, by their places in loops_

  void Visit(const Stmt& stmt) {
    if (const auto* loop = tir::As<tir::For>(stmt)) return VisitLoop(*loop);
    if (const auto* store = tir::As<tir::Store>(stmt)) return VisitStore(*store);
    if (const auto* seq = tir::As<tir::Seq>(stmt)) {
      for (const Stmt& one : seq->stmts) Visit(one);
    } else if (const auto* branch = tir::As<tir::IfThen>(stmt)) {
      CountExpr(branch->condition);
      Visit(branch->body);
    } else if (const auto* allocate = tir::As<tir::Allocate>(stmt)) {
      Visit(allocate->body);
    } else if (const auto* stage = tir::As<tir::Stage>(stmt)) {
      Visit(stage->body);
    }
  }

  void VisitLoop(const tir::For& loop) {
    const tir::Interval extent = simplifier_.Bounds(loop.extent);
    loops_.push_back({loop.var.get(), std::max<int64_t>(extent.max.value_or(1), 0),
                      loop.kind == tir::LoopKind::kUnrolled});
    COSIM_CHECK(loops_.size() < 64);
    simplifier_.Bind(loop.var, loop.min, loop.extent);
    const bool was_innermost = innermost_;
    if (!loops_.back().unrolled) {
      innermost_ = !HasLoop(loop.body);
      widest_ = innermost_ ? VectorElement(loop.body) : 0;
      const int64_t runs = Runs(Set{1} << (loops_.size() - 1)), lanes = widest_ ? kVectorBits / widest_ : 1;
      const int64_t extent_of = std::max<int64_t>(loops_.back().extent, 1);
      const int64_t rest = Rest(extent_of, lanes);
      work_.iterations += runs / extent_of * ((extent_of - rest + lanes - 1) / lanes + rest);
    }
    Visit(loop.body);
    if (!loops_.back().unrolled) widest_ = 0;
    innermost_ = was_innermost;
    loops_.pop_back();
  }

  void VisitStore(const tir::Store& store) {
    seen_.clear();
    seen_reals_.clear();
    looks_up_ = false;
    tir::ForEachExpr(store.value, [&](const Expr& e) {
      const auto* load = tir::As<tir::Load>(e);
      looks_up_ = looks_up_ || (load && IsLookedUp(*load));
    });
    const Set at = CountPlace(PlaceOf(store.indices, store.buffer));
    CountExpr(store.value);
    Add(HostOp::kStore, at, store.buffer->type.bits);
  }

  // ---- which loops an expression depends on, and how often it is computed ----

  Set LoopsOf(const Expr& expr) {
    Set set = 0;
    tir::ForEachExpr(expr, [&](const Expr& e) {
      const auto* ref = tir::As<tir::VarRef>(e);
      if (!ref) return;
      for (size_t i = 0; i < loops_.size(); ++i)
        if (loops_[i].var == ref->var.get()) set |= Set{1} << i;
    });
    return set;
  }

  int Deepest(Set set) const {
    for (int i = static_cast<int>(loops_.size()) - 1; i >= 0; --i)
      if (!loops_[i].unrolled && (set >> i & 1)) return i;
    return -1;
  }

  int64_t Runs(Set set) const {
    const int deepest = Deepest(set);
    int64_t runs = 1;
    for (int i = 0; i < static_cast<int>(loops_.size()); ++i)
      if (i <= deepest || (set >> i & 1)) runs *= loops_[i].extent;
    return runs;
  }

  int InnermostLoop() const { return Deepest(~Set{0}); }

  // ---- vectors ----

  // The place of an element in its array, dimensions joined: what divides a fused loop cancels.
  tir::Linear PlaceOf(const std::vector<Expr>& indices, const tir::Buffer& buffer) {
    Expr place = tir::Int(0);
    for (size_t d = 0; d < indices.size(); ++d) place = place * buffer->shape[d] + indices[d];
    return simplifier_.ToLinear(place);
  }

  // How far a place moves with the innermost loop; nothing: not evenly.
  std::optional<int64_t> StrideOf(const tir::Linear& place) {
    int64_t stride = 0;
    for (const auto& [atom, coefficient] : place.terms) {
      const auto* ref = tir::As<tir::VarRef>(atom);
      if (ref && ref->var.get() == loops_[InnermostLoop()].var) stride += coefficient;
      if (!ref && (LoopsOf(atom) >> InnermostLoop() & 1)) return std::nullopt;
    }
    return stride;
  }

  // Bits of the widest array that the innermost loop, whose body this is, reads or writes; 0: no vectors.
  int VectorElement(const Stmt& body) {
    int widest = 8;
    bool possible = true;
    const auto see = [&](const tir::Buffer& buffer, bool fits) {
      possible = possible && fits;
      widest = std::max(widest, buffer->type.bits);
    };
    tir::ForEachStmt(body, [&](const Stmt& s) {
      possible = possible && !tir::As<tir::IfThen>(s);
      const auto* store = tir::As<tir::Store>(s);
      if (!store) return;
      const auto to = StrideOf(PlaceOf(store->indices, store->buffer));
      see(store->buffer, to == 0 || to == 1);
      const bool simple = HasOneCondition(store->value);
      tir::ForEachExpr(store->value, [&](const Expr& e) {
        if (const auto* load = tir::As<tir::Load>(e))
          see(load->buffer, !IsLookedUp(*load) && (simple || StrideOf(PlaceOf(load->indices, load->buffer))));
        possible = possible && !tir::As<tir::Math>(e) && !(e->type.is_float() && e->type.bits > 32);
      });
    });
    const int64_t extent = loops_.back().extent;
    return possible && Rest(extent, kVectorBits / widest) < extent ? widest : 0;
  }

  bool IsVector(Set set) const { return innermost_ && widest_ > 0 && Deepest(set) == InnermostLoop(); }

  // ---- counting ----

  void Add(HostOp op, Set set, int bits, int64_t times = 1) {
    const int64_t runs = Runs(set);
    const auto kind = static_cast<size_t>(op);
    int64_t scalar = runs;
    if (IsVector(set)) {
      const int64_t extent = loops_[InnermostLoop()].extent, lanes = kVectorBits / widest_;
      scalar = runs / extent * Rest(extent, lanes);
      work_.vector[kind] += (runs - scalar) * (op == HostOp::kGather ? 1 : std::max(bits, 8) / 8) *
                            (op == HostOp::kGather ? 1 : times);
    }
    const bool arithmetic = op == HostOp::kSimple || op == HostOp::kMultiply;
    const HostOp alone = op == HostOp::kGather ? HostOp::kLoad : arithmetic && bits > 32 ? HostOp::kWide : op;
    work_.scalar[static_cast<size_t>(alone)] += scalar * times;
  }

  // 64-bit operations of a vector loop that there are no vector instructions for.
  void AddOutsideVectors(Set set, int64_t times) {
    work_.scalar[static_cast<size_t>(HostOp::kWide)] += Runs(set) * times;
  }

  // An address: what is no sum of loop variables.
  void CountIndex(const Expr& expr) {
    if (!LoopsOf(expr)) return;
    if (const auto* cast = tir::As<tir::Cast>(expr)) return CountIndex(cast->value);
    if (tir::As<tir::Load>(expr) || tir::As<tir::Select>(expr)) return CountExpr(expr);
    const auto* binary = tir::As<tir::Binary>(expr);
    if (!binary || !seen_.insert(expr.get()).second) return;
    CountIndex(binary->a);
    CountIndex(binary->b);
    const BinaryOp op = binary->op;
    if (op == BinaryOp::kAdd || op == BinaryOp::kSub || op == BinaryOp::kMul) return;
    AddBinary(*binary, LoopsOf(expr), 32);
  }

  void AddBinary(const tir::Binary& binary, Set set, int bits) {
    const bool vector = IsVector(set);
    switch (binary.op) {
      case BinaryOp::kMul:
        return Add(HostOp::kMultiply, set, bits);
      case BinaryOp::kFloorDiv:
      case BinaryOp::kFloorMod: {
        const auto divisor = tir::AsInt(binary.b);
        const bool shift = divisor && std::has_single_bit(static_cast<uint64_t>(*divisor));
        return Add(shift ? HostOp::kSimple : HostOp::kDivide, set, bits);
      }
      case BinaryOp::kDiv:
        return Add(HostOp::kDivide, set, bits);
      case BinaryOp::kPow:
      case BinaryOp::kFMod:
        return Add(HostOp::kDivide, set, bits, kFunction);
      case BinaryOp::kMin:
      case BinaryOp::kMax:
        if (vector && bits > 32) return AddOutsideVectors(set, 2);
        return Add(HostOp::kSimple, set, bits, vector ? 1 : 2);
      case BinaryOp::kRoundShift:
        return Add(HostOp::kSimple, set, bits, 3);
      default:
        return Add(HostOp::kSimple, set, bits);
    }
  }

  void CountExpr(const Expr& expr) {
    if (!seen_.insert(expr.get()).second) return;
    if (expr->type.is_float() && !seen_reals_.insert(tir::ToString(expr)).second) return;
    if (const auto* load = tir::As<tir::Load>(expr)) return CountLoad(*load);
    if (const auto loads = SaturatedSum(expr); loads.size() == 2) {
      for (const Expr& load : loads) CountExpr(load);
      return Add(HostOp::kSimple, LoopsOf(expr), 8);
    }
    const Set set = LoopsOf(expr);
    const int bits = expr->type.bits;
    const bool is_float = expr->type.is_float();
    if (const auto* binary = tir::As<tir::Binary>(expr)) {
      const bool compares = expr->type == tir::DataType::Bool();
      const tir::DataType type = binary->a->type;
      if (compares && type == tir::DataType::Index()) {
        CountIndex(binary->a);
        CountIndex(binary->b);
        return Add(HostOp::kSimple, set, 32);
      }
      CountExpr(binary->a);
      CountExpr(binary->b);
      if (IsZeroShift(*binary) || IsFullClip(*binary)) return;
      if ((is_float || type.is_float()) && !IsSlow(binary->op)) return Add(HostOp::kFloat, set, type.bits);
      AddBinary(*binary, set, type.bits);
    } else if (const auto* select = tir::As<tir::Select>(expr)) {
      CountExpr(select->condition);
      const bool was_conditional = std::exchange(conditional_, true);
      CountExpr(select->a);
      CountExpr(select->b);
      conditional_ = was_conditional;
      Add(HostOp::kSimple, set, bits, IsVector(set) ? 1 : 2);
    } else if (const auto* cast = tir::As<tir::Cast>(expr)) {
      CountExpr(cast->value);
      const int from = cast->value->type.bits;
      const bool to_float = is_float || cast->value->type.is_float();
      if (to_float) return Add(HostOp::kFloat, set, std::max(from, bits));
      // Outside of vectors a load extends and a store truncates.
      if (IsVector(set)) Add(HostOp::kSimple, set, std::max(from, bits));
    } else if (const auto* math = tir::As<tir::Math>(expr)) {
      CountExpr(math->value);
      Add(HostOp::kDivide, set, bits, IsInstruction(math->fn) ? 1 : kFunction);
    }
  }

  Set CountPlace(const tir::Linear& place) {
    Set set = 0;
    for (const auto& [atom, coefficient] : place.terms) {
      CountIndex(atom);
      set |= LoopsOf(atom);
    }
    return set;
  }

  void CountLoad(const tir::Load& load) {
    const tir::Linear place = PlaceOf(load.indices, load.buffer);
    const Set set = CountPlace(place);
    const int bits = load.buffer->type.bits;
    if (!IsVector(set)) {
      if (conditional_ && looks_up_) work_.iterations += Runs(set) * kBranches;
      return Add(HostOp::kLoad, set, bits);
    }
    const int64_t stride = StrideOf(place).value_or(0);
    if (stride >= 1 && stride <= kMostInterleaved && !conditional_) {
      if (stride > 1) Add(HostOp::kSimple, set, bits, kSortSteps);
      return Add(HostOp::kLoad, set, bits, stride);
    }
    Add(HostOp::kGather, set, bits);
    // In one vector alone, places are constants and conditions known. Else each lane's place is computed, and
    // a condition takes branches and registers that have to be saved.
    const bool known = loops_[InnermostLoop()].extent <= kVectorBits / widest_;
    AddOutsideVectors(set, (known ? 0 : 1) + (conditional_ ? known ? 1 : 2 : 0));
    if (conditional_ && !known) work_.iterations += Runs(set) * kBranches;
  }

  tir::Simplifier simplifier_;
  std::vector<Loop> loops_;
  std::unordered_set<const tir::ExprNode*> seen_;  // of a statement
  std::unordered_set<std::string> seen_reals_;     // likewise, by what they are
  bool looks_up_ = false;                          // likewise
  bool innermost_ = false, conditional_ = false;
  int widest_ = 0;  // bits of the elements that the innermost loop's vectors have; 0: it has none
  runtime::HostWork work_;
};

}  // namespace

runtime::HostWork WorkOf(const tir::Function& function) { return Counter().Count(function); }

}  // namespace cosim::cpu
