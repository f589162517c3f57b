// SPDX-License-Identifier: Apache-2.0
// Region inference.
#include "compiler/te/region.h"

#include <algorithm>
#include <map>
#include <optional>

#include "compiler/te/inline.h"
#include "compiler/tir/operators.h"
#include "compiler/tir/visitor.h"
#include "isa/check.h"

namespace cosim::te {
namespace {

using tir::BinaryOp;
using tir::Expr;
using tir::Int;

using RangeMap = std::unordered_map<const tir::VarNode*, ExprRange>;

// Symbolic interval arithmetic: the range of an index while some variables run over theirs and the rest stand
// still.
class RangeEvaluator {
 public:
  RangeEvaluator(const RangeMap& ranges, Scope& scope) : ranges_(ranges), scope_(scope) {}

  /// Nothing when the range is not known, as with an index that is loaded.
  std::optional<ExprRange> Evaluate(const Expr& expr) {
    const tir::Linear linear = scope_.simplifier.ToLinear(expr);
    ExprRange sum = {Int(linear.constant), Int(linear.constant)};
    for (const auto& [atom, coefficient] : linear.terms) {
      std::optional<ExprRange> range = EvaluateAtom(atom);
      if (!range) return std::nullopt;
      if (coefficient < 0) std::swap(range->min, range->max);
      sum = {sum.min + range->min * coefficient, sum.max + range->max * coefficient};
    }
    return sum;
  }

 private:
  std::optional<ExprRange> EvaluateAtom(const Expr& atom) {
    if (const auto* ref = tir::As<tir::VarRef>(atom)) {
      auto it = ranges_.find(ref->var.get());
      if (it != ranges_.end()) return it->second;
    }
    if (scope_.Knows(atom) && !tir::Loads(atom)) return ExprRange{atom, atom};
    if (const auto* node = tir::As<tir::Binary>(atom)) return EvaluateBinary(*node);
    if (const auto* node = tir::As<tir::Select>(atom)) {
      const auto a = Evaluate(node->a), b = Evaluate(node->b);
      if (!a || !b) return std::nullopt;
      return ExprRange{tir::Min(a->min, b->min), tir::Max(a->max, b->max)};
    }
    return std::nullopt;
  }

  std::optional<ExprRange> EvaluateBinary(const tir::Binary& node) {
    const bool is_min_max = node.op == BinaryOp::kMin || node.op == BinaryOp::kMax;
    const std::optional<int64_t> divisor = tir::AsInt(node.b);
    const auto a = Evaluate(node.a), b = is_min_max ? Evaluate(node.b) : std::nullopt;
    if (is_min_max) {
      if (!a || !b) return std::nullopt;
      return ExprRange{MakeBinary(node.op, a->min, b->min), MakeBinary(node.op, a->max, b->max)};
    }
    if (!divisor || *divisor <= 0) return std::nullopt;
    if (node.op == BinaryOp::kFloorDiv && a) {
      return ExprRange{FloorDiv(a->min, *divisor), FloorDiv(a->max, *divisor)};
    }
    if (node.op != BinaryOp::kFloorMod) return std::nullopt;
    if (a && scope_.simplifier.ProveEqual(FloorDiv(a->min, *divisor), FloorDiv(a->max, *divisor))) {
      return ExprRange{FloorMod(a->min, *divisor), FloorMod(a->max, *divisor)};
    }
    return ExprRange{Int(0), Int(*divisor - 1)};
  }

  const RangeMap& ranges_;
  Scope& scope_;
};

const Expr& SourceOf(const Body& body) {
  const auto* reduction = std::get_if<Reduction>(&body);
  return reduction ? reduction->source : std::get<Expr>(body);
}

// Origin and extent of a box may have so many nodes together in each dimension. A clamped window takes about
// 30; more comes of hulls over reads in opposite directions, which are close to the whole dimension anyway.
constexpr int kMaxNodes = 100;

// Infers the box of one stage from its readers.
class RegionBuilder {
 public:
  explicit RegionBuilder(BoundStage& producer)
      : producer_(producer), scope_(ScopeInside(*producer.parent, producer.depth)) {}

  void AddReader(const BoundStage& reader) {
    const RangeMap ranges = RangesOf(reader);
    tir::ForEachExpr(SourceOf(reader.body), [&](const Expr& node) {
      const auto* load = tir::As<tir::Load>(node);
      if (load && load->buffer.get() == producer_.stage->tensor().get()) AddRead(*load, ranges);
    });
  }

  void Finish() {
    const std::vector<int64_t>& shape = producer_.stage->tensor().shape();
    for (size_t i = 0; i < shape.size(); ++i) {
      const bool whole = producer_.stage->IsWhole(i) || unknown_.count(i);
      if (whole || !FinishDimension(box_.at(i), shape[i])) {
        producer_.origin.push_back(Int(0));
        producer_.extent.push_back(Int(shape[i]));
      }
    }
  }

 private:
  // Clamps the range to [0, size). False when it is too intricate to be worth more than the whole dimension.
  bool FinishDimension(const ExprRange& range, int64_t size) {
    tir::Simplifier& simplifier = scope_.simplifier;
    const bool starts_inside = simplifier.ProveLessEqual(Int(0), range.min);
    const bool ends_inside = simplifier.ProveLessEqual(range.max, Int(size - 1));
    const Expr min = simplifier.Simplify(starts_inside ? range.min : tir::Max(range.min, Int(0)));
    const Expr max = simplifier.Simplify(ends_inside ? range.max : tir::Min(range.max, Int(size - 1)));
    const Expr extent = simplifier.Simplify(tir::Max(max - min + 1, Int(0)));
    if (CountNodes(min) + CountNodes(extent) > kMaxNodes || !simplifier.Bounds(extent).max) return false;
    producer_.origin.push_back(min);
    producer_.extent.push_back(extent);
    return true;
  }

  static int CountNodes(const Expr& expr) {
    int count = 0;
    tir::ForEachExpr(expr, [&](const Expr&) { ++count; });
    return count;
  }

  // What each axis of the reader runs over while the producer's region stands still.
  RangeMap RangesOf(const BoundStage& reader) {
    RangeMap ranges;
    const size_t fixed = FixedLoops(reader, ranges);
    RangeEvaluator evaluator(ranges, scope_);
    RangeMap axes;
    for (size_t i = 0; i < reader.stage->axes().size(); ++i) {
      const Axis& axis = reader.stage->axes()[i];
      const ExprRange local = Relax(evaluator, reader.loops.RangeOf(axis, fixed, scope_));
      const ExprRange origin = Relax(evaluator, {reader.origin[i], reader.origin[i]});
      axes[axis->var.get()] = {origin.min + local.min, origin.max + local.max};
    }
    for (const Axis& axis : reader.stage->reduce_axes()) {
      axes[axis->var.get()] = Relax(evaluator, reader.loops.RangeOf(axis, fixed, scope_));
    }
    return axes;
  }

  static ExprRange Relax(RangeEvaluator& evaluator, const ExprRange& range) {
    const auto min = evaluator.Evaluate(range.min), max = evaluator.Evaluate(range.max);
    COSIM_CHECK(min && max, "no range for {} .. {}", ToString(range.min), ToString(range.max));
    return {min->min, max->max};
  }

  // How many of the reader's own loops are around the producer; `ranges` gets the loops between the
  // producer's place and the reader's, which run.
  size_t FixedLoops(const BoundStage& reader, RangeMap& ranges) {
    if (&reader == producer_.parent) return producer_.depth;
    std::vector<const BoundStage*> path;  // from the reader outwards
    const BoundStage* at = &reader;
    while (at->parent && at->parent != producer_.parent) path.push_back(at), at = at->parent;
    COSIM_CHECK(at->parent && at->depth >= producer_.depth,
                "'{}' is computed at loop '{}' of '{}', but its reader '{}' is not inside that loop",
                producer_.stage->name(), producer_.stage->attachment().axis.name(),
                producer_.parent->stage->name(), reader.stage->name());
    path.push_back(at);
    size_t first = producer_.depth;
    for (auto it = path.rbegin(); it != path.rend(); ++it, first = 0) {
      const std::vector<Loop>& loops = (*it)->parent->loops.loops();
      for (size_t i = first; i < (*it)->depth; ++i) {
        RangeEvaluator evaluator(ranges, scope_);
        ranges[loops[i].var.get()] = {Int(0), Relax(evaluator, {Int(0), loops[i].extent - 1}).max};
      }
    }
    return 0;
  }

  void AddRead(const tir::Load& load, const RangeMap& ranges) {
    RangeEvaluator evaluator(ranges, scope_);
    for (size_t i = 0; i < load.indices.size(); ++i) {
      const std::optional<ExprRange> range = evaluator.Evaluate(load.indices[i]);
      if (!range) {
        unknown_.insert(i);
      } else if (auto [it, is_new] = box_.emplace(i, *range); !is_new) {
        it->second = {scope_.simplifier.Simplify(tir::Min(it->second.min, range->min)),
                      scope_.simplifier.Simplify(tir::Max(it->second.max, range->max))};
      }
    }
  }

  BoundStage& producer_;
  Scope scope_;
  std::map<size_t, ExprRange> box_;
  std::unordered_set<size_t> unknown_;
};

bool Reads(const BoundStage& reader, const Tensor& tensor) {
  const std::vector<Tensor> inputs = InputsOf(reader.body);
  return std::find(inputs.begin(), inputs.end(), tensor) != inputs.end();
}

void MakeBufferOf(BoundStage& bound) {
  const Stage& stage = *bound.stage;
  if (stage.is_output()) {
    bound.buffer = stage.tensor().buffer();
    return;
  }
  Scope scope = bound.parent ? ScopeInside(*bound.parent, bound.depth) : Scope{};
  std::vector<int64_t> shape;
  for (size_t i = 0; i < bound.extent.size(); ++i) {
    const std::optional<int64_t> most = scope.simplifier.Bounds(bound.extent[i]).max;
    const int64_t whole = stage.tensor().shape()[i];
    shape.push_back(std::clamp<int64_t>(most.value_or(whole), 1, whole));
  }
  bound.buffer = tir::MakeBuffer(stage.name(), stage.tensor().type(), shape, stage.scope());
}

void FindBox(BoundStage& bound, const std::vector<const BoundStage*>& readers) {
  if (!bound.parent) {
    for (int64_t extent : bound.stage->tensor().shape()) {
      bound.origin.push_back(Int(0));
      bound.extent.push_back(Int(extent));
    }
    return;
  }
  RegionBuilder builder(bound);
  for (const BoundStage* reader : readers) builder.AddReader(*reader);
  builder.Finish();
}

// The box becomes what the round before has not left; before: the buffer is made for all of it.
void Slide(BoundStage& bound) {
  bound.begin = bound.origin;
  if (!bound.stage->slides_along()) return;
  const size_t dim = *bound.stage->slides_along();
  const Loop& loop = bound.parent->loops.loops()[bound.depth - 1];
  const auto at = [&](const Expr& expr, const Expr& round) {
    return tir::Substitute(expr, {{loop.var.get(), round}});
  };
  Scope scope = ScopeInside(*bound.parent, bound.depth);
  tir::Simplifier& simplifier = scope.simplifier;
  const Expr round = tir::Ref(loop.var), begin = bound.origin[dim], end = begin + bound.extent[dim];
  Expr done = at(end, round - 1);
  if (!simplifier.ProveLessEqual(at(end, Int(-1)), Int(0)))
    done = MakeSelect(tir::Le(1, round), done, Int(0));
  bound.origin[dim] = simplifier.Simplify(tir::Max(begin, done));
  bound.extent[dim] = simplifier.Simplify(tir::Max(end - bound.origin[dim], Int(0)));
  bound.next_begin = simplifier.Simplify(at(begin, round + 1));
  const Expr left = tir::Max(end - bound.next_begin, Int(0));
  bound.left = simplifier.Simplify(MakeSelect(tir::Lt(round + 1, loop.extent), left, Int(0)));
}

void FindParent(BoundStage& bound, const std::vector<std::unique_ptr<BoundStage>>& later) {
  const Attachment& attachment = bound.stage->attachment();
  if (attachment.kind != Attachment::Kind::kLoop) return;
  for (const auto& candidate : later) {
    if (candidate->stage == attachment.stage) bound.parent = candidate.get();
  }
  COSIM_CHECK(bound.parent != nullptr, "'{}' is computed at '{}', which does not come after it",
              bound.stage->name(), attachment.stage->name());
  bound.depth = bound.parent->loops.PositionOf(attachment.axis) + 1;
}

}  // namespace

Scope ScopeInside(const BoundStage& stage, size_t depth) {
  Scope scope = stage.parent ? ScopeInside(*stage.parent, stage.depth) : Scope{};
  for (size_t i = 0; i < depth; ++i) {
    const Loop& loop = stage.loops.loops()[i];
    scope.Enter(loop.var, loop.extent);
  }
  return scope;
}

std::vector<std::unique_ptr<BoundStage>> InferRegions(const Schedule& schedule) {
  const std::vector<const Stage*> stages = schedule.stages();
  const std::vector<Body> bodies = InlineBodies(stages);
  std::vector<std::unique_ptr<BoundStage>> bound;  // consumers first, until the end
  for (size_t i = stages.size(); i-- > 0;) {
    if (stages[i]->attachment().kind == Attachment::Kind::kInline) continue;
    auto next = std::make_unique<BoundStage>();
    next->stage = stages[i];
    next->body = bodies[i];
    std::vector<const BoundStage*> readers;
    for (const auto& later : bound) {
      if (Reads(*later, stages[i]->tensor())) readers.push_back(later.get());
    }
    if (readers.empty() && !stages[i]->is_output()) continue;
    FindParent(*next, bound);
    FindBox(*next, readers);
    const Scope outer = next->parent ? ScopeInside(*next->parent, next->depth) : Scope{};
    MakeBufferOf(*next);
    Slide(*next);
    next->loops = StageLoops(*next->stage, next->extent, outer);
    bound.push_back(std::move(next));
  }
  std::reverse(bound.begin(), bound.end());
  return bound;
}

}  // namespace cosim::te
