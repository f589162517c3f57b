// SPDX-License-Identifier: Apache-2.0
// Index expressions split into numbers and what depends on the loops around, and evaluated for one iteration
// of those.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "compiler/tir/ir.h"

namespace cosim::accel {

/// rest + sum of coefficients[i] * vars[i]; `rest` mentions none of the vars.
struct Affine {
  tir::Expr rest;
  std::vector<int64_t> coefficients;
};

/// Nothing if `expr` is not affine in `vars`.
std::optional<Affine> SplitAffine(const tir::Expr& expr, std::span<const tir::Var> vars);

/// Values of the loop variables in scope.
class Environment {
 public:
  void Push(const tir::Var& var, int64_t value) { bindings_.emplace_back(var.get(), value); }
  void Pop() { bindings_.pop_back(); }
  int64_t Lookup(const tir::VarNode* var) const;

 private:
  std::vector<std::pair<const tir::VarNode*, int64_t>> bindings_;
};

/// Value of an integer expression without loads.
int64_t Evaluate(const tir::Expr& expr, const Environment& env);

/// An index expression made ready to be evaluated many times: where it is affine, as numbers.
class IndexFunction {
 public:
  explicit IndexFunction(const tir::Expr& expr);
  int64_t operator()(const Environment& env) const;

 private:
  bool AddTerms(const tir::Expr& expr, int64_t factor);

  tir::Expr expr_;  ///< null where it is affine
  int64_t constant_ = 0;
  std::vector<std::pair<const tir::VarNode*, int64_t>> terms_;
};

/// True if `var` occurs in `expr`.
bool Mentions(const tir::Expr& expr, const tir::Var& var);

/// `expr` with every occurrence of `var` replaced.
tir::Expr Substitute(const tir::Expr& expr, const tir::Var& var, const tir::Expr& by);

}  // namespace cosim::accel
