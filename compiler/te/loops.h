// SPDX-License-Identifier: Apache-2.0
// The loops of one stage: what splits and fuses make of the box of elements that the stage computes. Which
// box that is comes from region.h; statements are built in lower.cc.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/te/schedule.h"
#include "compiler/tir/ir.h"
#include "compiler/tir/simplify.h"

namespace cosim::te {

/// The loops around a point of the program, outermost first.
struct Scope {
  tir::Simplifier simplifier;
  std::unordered_set<const tir::VarNode*> vars;

  void Enter(const tir::Var& var, const tir::Expr& extent);
  /// True when every variable of `expr` is one of these loops.
  bool Knows(const tir::Expr& expr) const;
};

/// Inclusive symbolic bounds.
struct ExprRange {
  tir::Expr min, max;
};

struct Loop {
  Axis axis;
  tir::Var var;  // made for this nest: an axis may be shared between tensors
  tir::Expr extent;
  tir::LoopKind kind;
};

/// 0 <= value(axis) < extent(axis) has to be checked in the body, as the loops overshoot.
struct Guard {
  AxisKind kind;
  tir::Expr condition;
};

class StageLoops {
 public:
  StageLoops() = default;
  /// Loops over a box of `extents` (one for each dimension) inside `outer`.
  StageLoops(const Stage& stage, const std::vector<tir::Expr>& extents, const Scope& outer);

  const std::vector<Loop>& loops() const { return loops_; }
  const std::vector<Guard>& guards() const { return guards_; }
  size_t PositionOf(const Axis& leaf) const;
  /// The axis' value, from 0, in terms of the loop variables.
  const tir::Expr& ValueOf(const Axis& axis) const { return facts_.at(axis.get()).value; }

  /// The values, from 0, that `axis` takes while the first `fixed` loops stand still and the others run.
  /// `scope`: those first loops and what is around them.
  ExprRange RangeOf(const Axis& axis, size_t fixed, Scope& scope) const;

 private:
  struct Facts {
    int64_t bound = 0;  // constant upper bound of the extent
    tir::Expr extent;   // exact, in terms of loops outside the axis' first one
    tir::Expr value;
    size_t first = 0, last = 0;  // positions of the loops it is made of
  };

  void FindPositions(const Stage& stage);
  void FindBounds(const Stage& stage, tir::Simplifier& outer);
  void FindValues(const Stage& stage);
  void FindExtents(const Stage& stage, tir::Simplifier simplifier);
  tir::Expr ExtentOfInner(const SplitRelation& split, tir::Simplifier& simplifier);
  void AddGuard(const Axis& axis);
  void DropProvenGuards(Scope scope);

  const Stage* stage_ = nullptr;
  std::vector<Loop> loops_;
  std::vector<Guard> guards_;
  std::unordered_map<const AxisNode*, Facts> facts_;
};

}  // namespace cosim::te
