// SPDX-License-Identifier: Apache-2.0
// Simplification of whole expressions and statements on top of the canonical linear form.
#include "compiler/tir/simplify.h"

#include "compiler/tir/operators.h"
#include "compiler/tir/visitor.h"
#include "isa/check.h"

namespace cosim::tir {
namespace {

bool IsOrdering(BinaryOp op) {
  return op == BinaryOp::kLt || op == BinaryOp::kLe || op == BinaryOp::kEq || op == BinaryOp::kNe;
}

// Rewrites the children of a node by the simplifier.
class ChildSimplifier : public Mutator {
 public:
  explicit ChildSimplifier(Simplifier& simplifier) : simplifier_(simplifier) {}
  Expr MutateExpr(const Expr& expr) override { return simplifier_.Simplify(expr); }
  Expr Children(const Expr& expr) { return Mutator::MutateExpr(expr); }

 private:
  Simplifier& simplifier_;
};

class StmtSimplifier : public Mutator {
 public:
  explicit StmtSimplifier(Simplifier& simplifier) : simplifier_(simplifier) {}

  Expr MutateExpr(const Expr& expr) override { return simplifier_.Simplify(expr); }

  // Null when the statement does nothing.
  Stmt Run(const Stmt& stmt) {
    if (const auto* loop = As<For>(stmt)) return RunLoop(stmt, *loop);
    if (const auto* seq = As<Seq>(stmt)) return RunSeq(*seq);
    if (const auto* guard = As<IfThen>(stmt)) {
      Expr condition = MutateExpr(guard->condition);
      if (AsInt(condition) == 0) return nullptr;
      Stmt body = Run(guard->body);
      if (!body || AsInt(condition) == 1) return body;
      return MakeStmt(IfThen{condition, body});
    }
    if (const auto* allocate = As<Allocate>(stmt)) {
      Stmt body = Run(allocate->body);
      return body ? MakeStmt(Allocate{allocate->buffer, body}) : nullptr;
    }
    if (const auto* stage = As<Stage>(stmt)) {
      Stmt body = Run(stage->body);
      return body ? MakeStmt(Stage{stage->name, body}) : nullptr;
    }
    return MutateStmt(stmt);
  }

 private:
  Stmt RunLoop(const Stmt& stmt, const For& loop) {
    Expr min = MutateExpr(loop.min), extent = MutateExpr(loop.extent);
    const Interval bounds = simplifier_.Bounds(extent);
    if (bounds.max && *bounds.max <= 0) return nullptr;
    simplifier_.Bind(loop.var, min, extent);
    Stmt body = Run(loop.body);
    if (!body) return nullptr;
    if (min == loop.min && extent == loop.extent && body == loop.body) return stmt;
    return MakeStmt(For{loop.var, min, extent, loop.kind, body});
  }

  Stmt RunSeq(const Seq& seq) {
    std::vector<Stmt> stmts;
    for (const Stmt& child : seq.stmts) {
      Stmt done = Run(child);
      if (!done) continue;
      if (const auto* nested = As<Seq>(done)) {
        stmts.insert(stmts.end(), nested->stmts.begin(), nested->stmts.end());
      } else {
        stmts.push_back(done);
      }
    }
    if (stmts.empty()) return nullptr;
    return stmts.size() == 1 ? stmts[0] : MakeStmt(Seq{std::move(stmts)});
  }

  Simplifier& simplifier_;
};

class UnitLoopRemover : public Mutator {
 public:
  Expr MutateExpr(const Expr& expr) override {
    if (const auto* ref = As<VarRef>(expr)) {
      auto it = values_.find(ref->var.get());
      return it == values_.end() ? expr : it->second;
    }
    return Mutator::MutateExpr(expr);
  }
  Stmt MutateStmt(const Stmt& stmt) override {
    const auto* loop = As<For>(stmt);
    if (!loop || loop->kind == LoopKind::kTensorized || AsInt(loop->extent) != 1)
      return Mutator::MutateStmt(stmt);
    values_[loop->var.get()] = MutateExpr(loop->min);
    return MutateStmt(loop->body);
  }

 private:
  VarMap values_;
};

}  // namespace

Expr Simplifier::Simplify(const Expr& expr) {
  if (expr->type == DataType::Index()) return SimplifyIndex(expr);
  const auto* node = As<Binary>(expr);
  if (node && IsOrdering(node->op) && node->a->type == DataType::Index()) {
    return SimplifyComparison(node->op, node->a, node->b);
  }
  return SimplifyChildren(expr);
}

// What a min or max gives up may let its surroundings simplify once more.
Expr Simplifier::SimplifyIndex(Expr expr) {
  constexpr int kRounds = 4;
  for (int round = 0; round < kRounds; ++round) {
    const Linear linear = ToLinear(expr);
    Expr simplified = ToExpr(linear);
    if (linear.is_affine() || Equal(simplified, expr)) return simplified;
    expr = simplified;
  }
  return expr;
}

Expr Simplifier::SimplifyChildren(const Expr& expr) {
  Expr simplified = ChildSimplifier(*this).Children(expr);
  if (const auto* select = As<Select>(simplified)) {
    if (Equal(select->a, select->b)) return select->a;
  }
  if (const auto* node = As<Binary>(simplified)) {
    const bool idempotent = node->op == BinaryOp::kLogicalAnd || node->op == BinaryOp::kLogicalOr ||
                            node->op == BinaryOp::kMin || node->op == BinaryOp::kMax;
    if (idempotent && Equal(node->a, node->b)) return node->a;
  }
  return simplified;
}

// Known comparisons become constants; others get their difference spread so that both sides have positive
// terms.
Expr Simplifier::SimplifyComparison(BinaryOp op, const Expr& a, const Expr& b) {
  const Linear difference = Sum(ToLinear(a), ToLinear(b), -1);
  const std::optional<int64_t> low = Lower(difference), high = Upper(difference);
  const int64_t limit = op == BinaryOp::kLt ? -1 : 0;
  if (op == BinaryOp::kLt || op == BinaryOp::kLe) {
    if (high && *high <= limit) return Int(1, DataType::Bool());
    if (low && *low > limit) return Int(0, DataType::Bool());
  } else {
    const bool differ = (low && *low > 0) || (high && *high < 0);
    const bool same = low == 0 && high == 0;
    if (differ || same) return Int(same == (op == BinaryOp::kEq), DataType::Bool());
  }
  Linear left, right;
  for (const auto& [atom, coefficient] : difference.terms) {
    AddTerm(coefficient > 0 ? left : right, atom, coefficient > 0 ? coefficient : -coefficient);
  }
  (difference.constant > 0 ? left : right).constant = std::abs(difference.constant);
  return MakeBinary(op, ToExpr(AbsorbIntoMinMax(std::move(left))),
                    ToExpr(AbsorbIntoMinMax(std::move(right))));
}

Stmt Simplify(const Stmt& stmt, Simplifier outer) {
  Stmt simplified = StmtSimplifier(outer).Run(stmt);
  return simplified ? simplified : MakeStmt(Seq{});
}

Function Simplify(const Function& function) {
  return Function{function.name, function.params, Simplify(function.body)};
}

Stmt RemoveUnitLoops(const Stmt& stmt) { return Simplify(UnitLoopRemover().MutateStmt(stmt)); }

Function RemoveUnitLoops(const Function& function) {
  return Function{function.name, function.params, RemoveUnitLoops(function.body)};
}

}  // namespace cosim::tir
