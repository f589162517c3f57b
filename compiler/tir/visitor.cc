// SPDX-License-Identifier: Apache-2.0
// Visitor, mutator and the walks built on them.
#include "compiler/tir/visitor.h"

#include <algorithm>

#include "isa/check.h"

namespace cosim::tir {
namespace {

template <typename... Fns>
struct Overloaded : Fns... {
  using Fns::operator()...;
};
template <typename... Fns>
Overloaded(Fns...) -> Overloaded<Fns...>;

class CallbackVisitor : public Visitor {
 public:
  std::function<void(const Expr&)> on_expr;
  std::function<void(const Stmt&)> on_stmt;

  void VisitExpr(const Expr& expr) override {
    if (on_expr) on_expr(expr);
    Visitor::VisitExpr(expr);
  }
  void VisitStmt(const Stmt& stmt) override {
    if (on_stmt) on_stmt(stmt);
    Visitor::VisitStmt(stmt);
  }
};

class CallbackMutator : public Mutator {
 public:
  explicit CallbackMutator(const std::function<Expr(const Expr&)>& fn) : fn_(fn) {}
  Expr MutateExpr(const Expr& expr) override { return fn_(Mutator::MutateExpr(expr)); }

 private:
  const std::function<Expr(const Expr&)>& fn_;
};

class Substituter : public Mutator {
 public:
  explicit Substituter(const VarMap& values) : values_(values) {}

  Expr MutateExpr(const Expr& expr) override {
    if (const auto* ref = As<VarRef>(expr)) {
      auto it = values_.find(ref->var.get());
      return it == values_.end() ? expr : it->second;
    }
    return Mutator::MutateExpr(expr);
  }
  Stmt MutateStmt(const Stmt& stmt) override {
    if (const auto* loop = As<For>(stmt)) {
      COSIM_CHECK(!values_.count(loop->var.get()), "'{}' is bound inside", loop->var->name);
    }
    return Mutator::MutateStmt(stmt);
  }

 private:
  const VarMap& values_;
};

// Rewrites a list; true when an element changed.
template <typename T, typename Fn>
bool MutateList(const std::vector<T>& in, std::vector<T>& out, Fn fn) {
  bool changed = false;
  out.reserve(in.size());
  for (const T& item : in) {
    out.push_back(fn(item));
    changed |= out.back() != item;
  }
  return changed;
}

}  // namespace

std::optional<int64_t> AsInt(const Expr& expr) {
  const auto* imm = As<IntImm>(expr);
  return imm ? std::optional<int64_t>(imm->value) : std::nullopt;
}

void Visitor::VisitExpr(const Expr& expr) {
  std::visit(
      Overloaded{[](const IntImm&) {}, [](const FloatImm&) {}, [](const VarRef&) {},
                 [&](const Binary& node) { VisitExpr(node.a), VisitExpr(node.b); },
                 [&](const Select& node) { VisitExpr(node.condition), VisitExpr(node.a), VisitExpr(node.b); },
                 [&](const Cast& node) { VisitExpr(node.value); },
                 [&](const Load& node) {
                   for (const Expr& index : node.indices) VisitExpr(index);
                 },
                 [&](const Math& node) { VisitExpr(node.value); }},
      expr->node);
}

void Visitor::VisitStmt(const Stmt& stmt) {
  std::visit(
      Overloaded{[&](const For& node) { VisitExpr(node.min), VisitExpr(node.extent), VisitStmt(node.body); },
                 [&](const Store& node) {
                   for (const Expr& index : node.indices) VisitExpr(index);
                   VisitExpr(node.value);
                 },
                 [&](const Seq& node) {
                   for (const Stmt& child : node.stmts) VisitStmt(child);
                 },
                 [&](const IfThen& node) { VisitExpr(node.condition), VisitStmt(node.body); },
                 [&](const Allocate& node) { VisitStmt(node.body); },
                 [&](const Stage& node) { VisitStmt(node.body); }},
      stmt->node);
}

Expr Mutator::MutateExpr(const Expr& expr) {
  return std::visit(Overloaded{[&](const Binary& node) {
                                 Expr a = MutateExpr(node.a), b = MutateExpr(node.b);
                                 return a == node.a && b == node.b ? expr : MakeBinary(node.op, a, b);
                               },
                               [&](const Select& node) {
                                 Expr condition = MutateExpr(node.condition), a = MutateExpr(node.a),
                                      b = MutateExpr(node.b);
                                 if (condition == node.condition && a == node.a && b == node.b) return expr;
                                 return MakeSelect(condition, a, b);
                               },
                               [&](const Cast& node) {
                                 Expr value = MutateExpr(node.value);
                                 return value == node.value ? expr : MakeCast(expr->type, value);
                               },
                               [&](const Load& node) {
                                 std::vector<Expr> indices;
                                 bool changed = MutateList(node.indices, indices,
                                                           [&](const Expr& e) { return MutateExpr(e); });
                                 return changed ? MakeLoad(node.buffer, std::move(indices)) : expr;
                               },
                               [&](const Math& node) {
                                 Expr value = MutateExpr(node.value);
                                 return value == node.value ? expr : MakeMath(node.fn, value);
                               },
                               [&](const auto&) { return expr; }},
                    expr->node);
}

Stmt Mutator::MutateStmt(const Stmt& stmt) {
  return std::visit(
      Overloaded{[&](const For& node) {
                   Expr min = MutateExpr(node.min), extent = MutateExpr(node.extent);
                   Stmt body = MutateStmt(node.body);
                   if (min == node.min && extent == node.extent && body == node.body) return stmt;
                   return MakeStmt(For{node.var, min, extent, node.kind, body});
                 },
                 [&](const Store& node) {
                   std::vector<Expr> indices;
                   bool changed =
                       MutateList(node.indices, indices, [&](const Expr& e) { return MutateExpr(e); });
                   Expr value = MutateExpr(node.value);
                   if (!changed && value == node.value) return stmt;
                   return MakeStmt(Store{node.buffer, std::move(indices), value});
                 },
                 [&](const Seq& node) {
                   std::vector<Stmt> stmts;
                   bool changed = MutateList(node.stmts, stmts, [&](const Stmt& s) { return MutateStmt(s); });
                   return changed ? MakeStmt(Seq{std::move(stmts)}) : stmt;
                 },
                 [&](const IfThen& node) {
                   Expr condition = MutateExpr(node.condition);
                   Stmt body = MutateStmt(node.body);
                   if (condition == node.condition && body == node.body) return stmt;
                   return MakeStmt(IfThen{condition, body});
                 },
                 [&](const Allocate& node) {
                   Stmt body = MutateStmt(node.body);
                   return body == node.body ? stmt : MakeStmt(Allocate{node.buffer, body});
                 },
                 [&](const Stage& node) {
                   Stmt body = MutateStmt(node.body);
                   return body == node.body ? stmt : MakeStmt(Stage{node.name, body});
                 }},
      stmt->node);
}

void ForEachExpr(const Expr& expr, const std::function<void(const Expr&)>& fn) {
  CallbackVisitor visitor;
  visitor.on_expr = fn;
  visitor.VisitExpr(expr);
}

bool Loads(const Expr& expr) {
  bool loads = false;
  ForEachExpr(expr, [&](const Expr& node) { loads |= As<Load>(node) != nullptr; });
  return loads;
}

void ForEachStmt(const Stmt& stmt, const std::function<void(const Stmt&)>& fn) {
  CallbackVisitor visitor;
  visitor.on_stmt = fn;
  visitor.VisitStmt(stmt);
}

Expr RewriteExpr(const Expr& expr, const std::function<Expr(const Expr&)>& fn) {
  return CallbackMutator(fn).MutateExpr(expr);
}

Expr Substitute(const Expr& expr, const VarMap& values) { return Substituter(values).MutateExpr(expr); }
Stmt Substitute(const Stmt& stmt, const VarMap& values) { return Substituter(values).MutateStmt(stmt); }

std::vector<Var> VarsOf(const Expr& expr) {
  std::vector<Var> vars;
  ForEachExpr(expr, [&](const Expr& node) {
    const auto* ref = As<VarRef>(node);
    if (ref && std::find(vars.begin(), vars.end(), ref->var) == vars.end()) vars.push_back(ref->var);
  });
  return vars;
}

}  // namespace cosim::tir
