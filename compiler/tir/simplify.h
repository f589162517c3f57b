// SPDX-License-Identifier: Apache-2.0
// Simplification of index arithmetic with the ranges of loop variables: a canonical linear form, bounds,
// proofs, and the statement pass built on them. Arithmetic of other types is only folded; it wraps, so ranges
// say nothing about it.
//
// Canonical form of an index: `sum of coefficient * atom + constant`, atoms being variables (outer loops
// first), then floordiv, floormod, min, max, select, cast and load nodes that resist further splitting. Index
// arithmetic is taken not to overflow.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/tir/ir.h"

namespace cosim::tir {

/// An index expression as a sum; terms have distinct atoms and coefficients other than 0.
struct Linear {
  std::vector<std::pair<Expr, int64_t>> terms;
  int64_t constant = 0;

  bool is_constant() const { return terms.empty(); }
  /// True when every atom is a variable.
  bool is_affine() const;
};

/// Inclusive bounds; a missing one is unknown.
struct Interval {
  std::optional<int64_t> min, max;
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Knows the ranges of the variables in scope. Bind outer loops before inner ones: a variable's range may
/// mention those bound before it, and canonical order is the order of binding.
class Simplifier {
 public:
  /// min <= var < min + extent.
  void Bind(const Var& var, const Expr& min, const Expr& extent);
  void Bind(const Var& var, int64_t min, int64_t extent);

  /// The same value, canonical. Non-index expressions get their index parts simplified.
  Expr Simplify(const Expr& expr);
  /// The canonical sum of an index expression.
  Linear ToLinear(const Expr& expr);
  Expr ToExpr(const Linear& linear);

  /// Provable bounds of an index expression over all values of the bound variables.
  Interval Bounds(const Expr& expr);
  /// True when it holds for all values of the bound variables, as far as Bounds can tell.
  bool ProveLessEqual(const Expr& a, const Expr& b);
  bool ProveEqual(const Expr& a, const Expr& b);

 private:
  struct Range {
    Expr min, last;  // canonical, inclusive
  };

  int RankOf(const VarNode* var);
  int CompareAtoms(const Expr& a, const Expr& b);
  void AddTerm(Linear& linear, const Expr& atom, int64_t coefficient);
  void AddScaled(Linear& to, const Linear& from, int64_t scale);
  Linear Sum(Linear a, const Linear& b, int64_t scale_of_b);
  void JoinDivMod(Linear& linear);
  Linear LinearOfCanonical(const Expr& expr);

  Linear LinearOfBinary(const Expr& expr, const Binary& node);
  Linear LinearOfAtom(const Expr& atom);
  Linear LinearOfDivision(BinaryOp op, const Linear& value, int64_t divisor);
  std::optional<Linear> DivideAtom(BinaryOp op, const Linear& rest, int64_t divisor);
  std::optional<Linear> DivideThroughMinMax(const Linear& value, int64_t divisor);
  Linear LinearOfMinMax(BinaryOp op, const std::vector<Linear>& operands);
  void Flatten(BinaryOp op, const Linear& operand, std::vector<Linear>& operands);
  void DropDominated(BinaryOp op, std::vector<Linear>& operands);
  Linear AbsorbIntoMinMax(Linear linear);
  Linear FactorMinMax(BinaryOp op, std::vector<Linear> operands);

  Expr SimplifyComparison(BinaryOp op, const Expr& a, const Expr& b);
  Expr SimplifyIndex(Expr expr);
  Expr SimplifyChildren(const Expr& expr);

  std::optional<int64_t> Upper(const Linear& linear);
  std::optional<int64_t> Lower(const Linear& linear);
  std::optional<int64_t> UpperWithin(Linear linear, int& budget);
  std::optional<int64_t> UpperThroughBinary(const Linear& rest, const Binary& node, int64_t coefficient,
                                            int& budget);

  std::unordered_map<const VarNode*, Range> ranges_;
  std::unordered_map<const VarNode*, int> ranks_;
  std::vector<Var> kept_;  // so that no key above is freed and used again
};

/// Simplifies every expression in `stmt` with the ranges of the loops around it, drops loops that provably
/// never run and conditions that are provably true. `outer` holds the ranges of free variables, if any. Loops
/// of extent 1 stay.
Stmt Simplify(const Stmt& stmt, Simplifier outer = {});
Function Simplify(const Function& function);

/// Replaces loops of constant extent 1 by their body. Tensorized loops stay: intrinsics are matched against
/// them.
Stmt RemoveUnitLoops(const Stmt& stmt);
Function RemoveUnitLoops(const Function& function);

}  // namespace cosim::tir
