// SPDX-License-Identifier: Apache-2.0
// Walking and rewriting loop IR: a read-only visitor, a mutator that rebuilds only what changed, substitution
// and structural comparison. What the nodes mean is ir.h's; range-based rewriting is simplify.h's.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/tir/ir.h"

namespace cosim::tir {

/// The node as a `T`, or null.
template <typename T>
const T* As(const Expr& expr) {
  return std::get_if<T>(&expr->node);
}
template <typename T>
const T* As(const Stmt& stmt) {
  return std::get_if<T>(&stmt->node);
}

/// The value of an integer constant.
std::optional<int64_t> AsInt(const Expr& expr);

/// Visits in program order, parents first. Override one or both; call the base to go on into the children.
class Visitor {
 public:
  virtual ~Visitor() = default;
  virtual void VisitExpr(const Expr& expr);
  virtual void VisitStmt(const Stmt& stmt);
};

/// Rebuilds through the makers (so constants fold); a node none of whose children changed is returned as it
/// is. Override one or both; call the base to rewrite the children.
class Mutator {
 public:
  virtual ~Mutator() = default;
  virtual Expr MutateExpr(const Expr& expr);
  virtual Stmt MutateStmt(const Stmt& stmt);
};

/// Calls `fn` for every expression below, parents first.
void ForEachExpr(const Expr& expr, const std::function<void(const Expr&)>& fn);
/// Whether it reads a buffer anywhere.
bool Loads(const Expr& expr);
/// Calls `fn` for every statement below, parents first.
void ForEachStmt(const Stmt& stmt, const std::function<void(const Stmt&)>& fn);

/// Bottom-up rewriting: `fn` gets each node after its children are rewritten, and returns it or its
/// replacement.
Expr RewriteExpr(const Expr& expr, const std::function<Expr(const Expr&)>& fn);

using VarMap = std::unordered_map<const VarNode*, Expr>;

/// Replaces references to the mapped variables. The variables of loops inside must not be among them.
Expr Substitute(const Expr& expr, const VarMap& values);
Stmt Substitute(const Stmt& stmt, const VarMap& values);

/// The distinct variables of `expr` in order of first use.
std::vector<Var> VarsOf(const Expr& expr);

/// Structural equality; variables and buffers by identity.
bool Equal(const Expr& a, const Expr& b);
/// A total order of structures that agrees with Equal: negative, 0 or positive. Variables are ordered by
/// `rank`.
int Compare(const Expr& a, const Expr& b, const std::function<int(const VarNode*)>& rank);

}  // namespace cosim::tir
