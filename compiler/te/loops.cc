// SPDX-License-Identifier: Apache-2.0
// Extents, values and guards of a stage's loops.
#include "compiler/te/loops.h"

#include <algorithm>

#include "compiler/tir/operators.h"
#include "compiler/tir/visitor.h"
#include "isa/check.h"

namespace cosim::te {

using tir::Expr;
using tir::Int;

void Scope::Enter(const tir::Var& var, const Expr& extent) {
  simplifier.Bind(var, Int(0), extent);
  vars.insert(var.get());
}

bool Scope::Knows(const Expr& expr) const {
  const std::vector<tir::Var> used = tir::VarsOf(expr);
  return std::all_of(used.begin(), used.end(),
                     [&](const tir::Var& var) { return vars.count(var.get()) != 0; });
}

StageLoops::StageLoops(const Stage& stage, const std::vector<Expr>& extents, const Scope& outer)
    : stage_(&stage) {
  for (size_t i = 0; i < extents.size(); ++i) facts_[stage.axes()[i].get()].extent = extents[i];
  for (const Axis& axis : stage.reduce_axes()) facts_[axis.get()].extent = Int(axis->extent);
  for (const Axis& leaf : stage.leaf_axes()) {
    loops_.push_back(Loop{leaf, tir::MakeVar(leaf.name()), nullptr, stage.KindOf(leaf)});
  }
  Scope scope = outer;
  FindPositions(stage);
  FindBounds(stage, scope.simplifier);
  FindValues(stage);
  FindExtents(stage, scope.simplifier);
  DropProvenGuards(scope);
}

size_t StageLoops::PositionOf(const Axis& leaf) const {
  auto it = std::find_if(loops_.begin(), loops_.end(), [&](const Loop& loop) { return loop.axis == leaf; });
  COSIM_CHECK(it != loops_.end(), "'{}' is not a loop of '{}' (any more)", leaf.name(), stage_->name());
  return it - loops_.begin();
}

// Bottom up.
void StageLoops::FindPositions(const Stage& stage) {
  for (size_t i = 0; i < loops_.size(); ++i) {
    Facts& facts = facts_[loops_[i].axis.get()];
    facts.first = facts.last = i;
  }
  const std::vector<Relation>& relations = stage.relations();
  for (auto it = relations.rbegin(); it != relations.rend(); ++it) {
    if (const auto* split = std::get_if<SplitRelation>(&*it)) {
      const Facts outer = facts_[split->outer.get()], inner = facts_[split->inner.get()];
      Facts& parent = facts_[split->parent.get()];
      parent.first = std::min(outer.first, inner.first);
      parent.last = std::max(outer.last, inner.last);
    } else {
      const auto& fuse = std::get<FuseRelation>(*it);
      const Facts fused = facts_[fuse.fused.get()];
      for (const Axis& axis : {fuse.outer, fuse.inner}) {
        facts_[axis.get()].first = fused.first;
        facts_[axis.get()].last = fused.last;
      }
    }
  }
}

// Top down.
void StageLoops::FindBounds(const Stage& stage, tir::Simplifier& outer) {
  for (auto& [axis, facts] : facts_) {
    if (!facts.extent) continue;
    const std::optional<int64_t> bound = outer.Bounds(facts.extent).max;
    COSIM_CHECK(bound.has_value(), "'{}' of '{}' has no bound: {}", axis->var->name, stage.name(),
                ToString(facts.extent));
    facts.bound = std::max<int64_t>(*bound, 1);
  }
  for (const Relation& relation : stage.relations()) {
    if (const auto* split = std::get_if<SplitRelation>(&relation)) {
      const int64_t bound = facts_[split->parent.get()].bound;
      facts_[split->outer.get()].bound = (bound + split->factor - 1) / split->factor;
      facts_[split->inner.get()].bound = std::min(bound, split->factor);
    } else {
      const auto& fuse = std::get<FuseRelation>(relation);
      facts_[fuse.fused.get()].bound = facts_[fuse.outer.get()].bound * facts_[fuse.inner.get()].bound;
    }
  }
}

// Bottom up.
void StageLoops::FindValues(const Stage& stage) {
  for (const Loop& loop : loops_) facts_[loop.axis.get()].value = tir::Ref(loop.var);
  const std::vector<Relation>& relations = stage.relations();
  for (auto it = relations.rbegin(); it != relations.rend(); ++it) {
    if (const auto* split = std::get_if<SplitRelation>(&*it)) {
      const Expr outer = facts_[split->outer.get()].value, inner = facts_[split->inner.get()].value;
      facts_[split->parent.get()].value = outer * split->factor + inner;
    } else {
      const auto& fuse = std::get<FuseRelation>(*it);
      const int64_t bound = facts_[fuse.inner.get()].bound;
      const Expr fused = facts_[fuse.fused.get()].value;
      facts_[fuse.outer.get()].value = FloorDiv(fused, bound);
      facts_[fuse.inner.get()].value = FloorMod(fused, bound);
    }
  }
}

// Top down. An extent mentions only loops outside the first loop of its axis: either the loops that determine
// it stand there, or the upper bound and a guard take its place.
void StageLoops::FindExtents(const Stage& stage, tir::Simplifier simplifier) {
  for (const Relation& relation : stage.relations()) {
    if (const auto* split = std::get_if<SplitRelation>(&relation)) {
      const Expr parent = facts_[split->parent.get()].extent;
      facts_[split->outer.get()].extent =
          simplifier.Simplify(FloorDiv(parent + (split->factor - 1), split->factor));
      facts_[split->inner.get()].extent = ExtentOfInner(*split, simplifier);
    } else {
      const auto& fuse = std::get<FuseRelation>(relation);
      const Facts& inner = facts_[fuse.inner.get()];
      facts_[fuse.fused.get()].extent = simplifier.Simplify(facts_[fuse.outer.get()].extent * inner.bound);
      if (tir::AsInt(inner.extent) != inner.bound) AddGuard(fuse.inner);
    }
  }
  for (Loop& loop : loops_) loop.extent = facts_[loop.axis.get()].extent;
}

Expr StageLoops::ExtentOfInner(const SplitRelation& split, tir::Simplifier& simplifier) {
  const Facts& parent = facts_[split.parent.get()];
  const std::optional<int64_t> known = tir::AsInt(parent.extent);
  if (known && *known % split.factor == 0) return Int(split.factor);
  if (parent.bound <= split.factor) return parent.extent;  // one round of the outer loop
  const Facts& outer = facts_[split.outer.get()];
  if (outer.last < facts_[split.inner.get()].first) {
    return simplifier.Simplify(tir::Min(Int(split.factor), parent.extent - outer.value * split.factor));
  }
  AddGuard(split.parent);
  return Int(split.factor);
}

void StageLoops::AddGuard(const Axis& axis) {
  const Facts& facts = facts_[axis.get()];
  guards_.push_back(Guard{axis->kind, Lt(facts.value, facts.extent)});
}

void StageLoops::DropProvenGuards(Scope scope) {
  for (const Loop& loop : loops_) scope.Enter(loop.var, loop.extent);
  for (Guard& guard : guards_) guard.condition = scope.simplifier.Simplify(guard.condition);
  std::erase_if(guards_, [](const Guard& guard) { return tir::AsInt(guard.condition) == 1; });
}

ExprRange StageLoops::RangeOf(const Axis& axis, size_t fixed, Scope& scope) const {
  const Facts& facts = facts_.at(axis.get());
  const Expr last = scope.Knows(facts.extent) ? facts.extent - 1 : nullptr;
  if (facts.last < fixed) return {facts.value, facts.value};
  const ExprRange whole = {Int(0), last ? last : Int(facts.bound - 1)};
  if (facts.first >= fixed) return whole;
  for (const Relation& relation : stage_->relations()) {
    if (const auto* split = std::get_if<SplitRelation>(&relation); split && split->parent == axis) {
      const ExprRange outer = RangeOf(split->outer, fixed, scope),
                      inner = RangeOf(split->inner, fixed, scope);
      const Expr max = outer.max * split->factor + inner.max;
      const bool is_inside = scope.simplifier.ProveLessEqual(max, whole.max);
      return {outer.min * split->factor + inner.min, is_inside ? max : tir::Min(max, whole.max)};
    }
    const auto* fuse = std::get_if<FuseRelation>(&relation);
    if (fuse && fuse->outer == axis) {
      const ExprRange fused = RangeOf(fuse->fused, fixed, scope);
      const int64_t bound = facts_.at(fuse->inner.get()).bound;
      return {FloorDiv(fused.min, bound), FloorDiv(fused.max, bound)};
    }
  }
  return whole;  // The inner part of a fusion that only partly stands still.
}

}  // namespace cosim::te
