// SPDX-License-Identifier: Apache-2.0
// Lowering: the nests of bound stages, each with the stages attached to its loops inside.
#include "compiler/te/lower.h"

#include <algorithm>
#include <unordered_map>

#include "compiler/te/loops.h"
#include "compiler/te/region.h"
#include "compiler/tir/operators.h"
#include "compiler/tir/verify.h"
#include "compiler/tir/visitor.h"
#include "isa/check.h"

namespace cosim::te {
namespace {

using tir::Expr;
using tir::Stmt;

Stmt SeqOf(std::vector<Stmt> stmts) {
  return stmts.size() == 1 ? stmts[0] : tir::MakeStmt(tir::Seq{std::move(stmts)});
}

Stmt LoopOf(const Loop& loop, Stmt body) {
  return tir::MakeStmt(tir::For{loop.var, tir::Int(0), loop.extent, loop.kind, std::move(body)});
}

// Indices and conditions become canonical; the arithmetic of values stays as it was written, because the
// accelerator back end recognizes it by its form. An index that is made of values is one.
class IndexSimplifier : public tir::Mutator {
 public:
  explicit IndexSimplifier(tir::Simplifier& simplifier) : simplifier_(simplifier) {}

  Expr MutateExpr(const Expr& expr) override {
    if (const auto* load = tir::As<tir::Load>(expr)) {
      std::vector<Expr> indices;
      for (const Expr& index : load->indices)
        indices.push_back(tir::Loads(index) ? MutateExpr(index) : simplifier_.Simplify(index));
      return tir::MakeLoad(load->buffer, std::move(indices));
    }
    if (const auto* select = tir::As<tir::Select>(expr)) {
      return tir::MakeSelect(simplifier_.Simplify(select->condition), MutateExpr(select->a),
                             MutateExpr(select->b));
    }
    return tir::Mutator::MutateExpr(expr);
  }

 private:
  tir::Simplifier& simplifier_;
};

class Lowerer {
 public:
  explicit Lowerer(const Schedule& schedule) : stages_(InferRegions(schedule)) {
    for (const auto& stage : stages_) by_tensor_[stage->stage->tensor().get()] = stage.get();
    for (const auto& stage : stages_)
      if (stage->stage->in_place()) TakeBuffer(*stage);
  }

  Stmt Run() { return WithAttached(nullptr, 0, nullptr); }

  // Placeholders must be arguments.
  void CheckInputs(const std::vector<Tensor>& args) const {
    for (const auto& bound : stages_) {
      for (const Tensor& input : InputsOf(bound->body)) {
        if (by_tensor_.count(input.get())) continue;
        COSIM_CHECK(std::find(args.begin(), args.end(), input) != args.end(),
                    "'{}' reads '{}', which is no argument", bound->stage->name(), input->name);
      }
    }
  }

 private:
  // Producers come first: the buffer of the source is final.
  void TakeBuffer(BoundStage& bound) const {
    const BoundStage& source = SourceOf(bound);
    COSIM_CHECK(source.parent == bound.parent && source.depth == bound.depth && !source.stage->is_output(),
                "'{}' and '{}', whose place it takes, are not computed at the same loop", bound.stage->name(),
                source.stage->name());
    bound.buffer = source.buffer;
  }

  const BoundStage& SourceOf(const BoundStage& bound) const {
    const auto source = by_tensor_.find(bound.stage->in_place()->source.get());
    COSIM_CHECK(source != by_tensor_.end(), "'{}' is computed in place of '{}', which is not computed",
                bound.stage->name(), bound.stage->in_place()->source->name);
    return *source->second;
  }

  // `body` preceded by the stages computed inside the first `depth` loops of `parent` (at the root: null and
  // 0).
  Stmt WithAttached(const BoundStage* parent, size_t depth, const Stmt& body) {
    std::vector<Stmt> stmts;
    std::vector<tir::Buffer> buffers;
    for (const auto& bound : stages_) {
      if (AllocatedIn(*bound, parent, depth)) buffers.push_back(bound->buffer);
      if (bound->parent == parent && bound->depth == depth) stmts.push_back(NestOf(*bound));
    }
    const auto leave = [&](bool before_body) {
      for (const auto& bound : stages_)
        if (bound->parent == parent && bound->depth == depth && bound->left &&
            IsDoneBeforeBody(*bound) == before_body)
          stmts.push_back(LeaveOf(*bound));
    };
    leave(true);
    if (body) stmts.push_back(body);
    leave(false);
    Stmt stmt = SeqOf(std::move(stmts));
    for (auto it = buffers.rbegin(); it != buffers.rend(); ++it)
      stmt = tir::MakeStmt(tir::Allocate{*it, stmt});
    return stmt;
  }

  // Whether the buffer of `bound` is made there: where it is computed, but around the loop it slides along.
  static bool AllocatedIn(const BoundStage& bound, const BoundStage* parent, size_t depth) {
    if (bound.stage->is_output() || bound.stage->in_place()) return false;
    return bound.parent == parent && (bound.left ? bound.depth - 1 : bound.depth) == depth;
  }

  // Whether all that reads the buffer is computed where it is.
  bool IsDoneBeforeBody(const BoundStage& bound) const {
    return std::all_of(stages_.begin(), stages_.end(), [&](const auto& reader) {
      if (reader->parent == bound.parent && reader->depth == bound.depth) return true;
      const std::vector<Tensor> inputs = InputsOf(reader->body);
      return std::none_of(inputs.begin(), inputs.end(), [&](const Tensor& input) {
        const auto source = by_tensor_.find(input.get());
        return source != by_tensor_.end() && source->second->buffer == bound.buffer;
      });
    });
  }

  // Moves what the next round needs too to where that one has it.
  Stmt LeaveOf(const BoundStage& bound) const {
    const size_t along = *bound.stage->slides_along();
    Scope scope = ScopeInside(*bound.parent, bound.depth);
    std::vector<Expr> to, from;
    std::vector<Loop> loops;
    for (size_t i = 0; i < bound.extent.size(); ++i) {
      const Axis& axis = bound.stage->axes()[i];
      const Expr& extent = i == along ? bound.left : bound.extent[i];
      loops.push_back({axis, tir::MakeVar(axis.name()), extent, tir::LoopKind::kSerial});
      to.push_back(tir::Ref(loops.back().var));
      const Expr moved = to.back() + (bound.next_begin - bound.begin[along]);
      from.push_back(i == along ? scope.simplifier.Simplify(moved) : to.back());
    }
    Stmt stmt = tir::MakeStmt(tir::Store{bound.buffer, to, tir::MakeLoad(bound.buffer, from)});
    for (auto it = loops.rbegin(); it != loops.rend(); ++it) stmt = LoopOf(*it, stmt);
    return tir::MakeStmt(tir::Stage{bound.stage->name() + ".leave", stmt});
  }

  // How many loops of `bound` are around the innermost stage computed inside them.
  size_t AttachedDepth(const BoundStage& bound) const {
    size_t depth = 0;
    for (const auto& other : stages_) {
      if (other->parent == &bound) depth = std::max(depth, other->depth);
    }
    return depth;
  }

  // Loops [begin, end) around `body`, with what is attached to them; `named` and further in, the stage is
  // alone.
  Stmt Wrap(const BoundStage& bound, size_t begin, size_t end, Stmt body, size_t named,
            const std::string& name) {
    const std::vector<Loop>& loops = bound.loops.loops();
    for (size_t depth = end;; --depth) {
      if (depth == named) body = tir::MakeStmt(tir::Stage{name, body});
      if (depth > 0 && depth > begin) body = LoopOf(loops[depth - 1], WithAttachedAt(bound, depth, body));
      if (depth == begin) return body;
    }
  }

  Stmt WithAttachedAt(const BoundStage& bound, size_t depth, const Stmt& body) {
    const bool any = std::any_of(stages_.begin(), stages_.end(), [&](const auto& other) {
      return (other->parent == &bound && other->depth == depth) || AllocatedIn(*other, &bound, depth);
    });
    return any ? WithAttached(&bound, depth, body) : body;
  }

  Stmt NestOf(const BoundStage& bound) { return WithAttachedAt(bound, 0, LoopsOf(bound)); }

  Stmt LoopsOf(const BoundStage& bound) {
    const std::string& name = bound.stage->name();
    const std::vector<Loop>& loops = bound.loops.loops();
    const size_t attached = AttachedDepth(bound);
    if (!bound.stage->is_reduction()) {
      return Wrap(bound, 0, loops.size(), Guarded(bound, StoreOf(bound, std::get<Expr>(bound.body)), true),
                  attached, name);
    }
    const size_t first = std::find_if(loops.begin(), loops.end(),
                                      [](const Loop& loop) { return loop.axis->kind == AxisKind::kReduce; }) -
                         loops.begin();
    const auto& reduction = std::get<Reduction>(bound.body);
    Stmt update =
        Guarded(bound, StoreOf(bound, Combine(reduction.op, SelfOf(bound), reduction.source)), true);
    update = Wrap(bound, first, loops.size(), update, std::max(first, attached), name + ".update");
    Stmt both = tir::MakeStmt(tir::Seq{{InitOf(bound, first, reduction), update}});
    return Wrap(bound, 0, first, both, loops.size() + 1, "");
  }

  // The initial values of what the loops from `first` on reduce into, in loops of their own.
  Stmt InitOf(const BoundStage& bound, size_t first, const Reduction& reduction) {
    const Expr identity = IdentityOf(reduction.op, bound.stage->tensor().type());
    Stmt init = Guarded(bound, StoreOf(bound, identity), false);
    const std::vector<Loop>& loops = bound.loops.loops();
    tir::VarMap renamed;
    std::vector<Loop> copies;
    for (size_t i = first; i < loops.size(); ++i) {
      if (loops[i].axis->kind == AxisKind::kReduce) continue;
      copies.push_back(loops[i]);
      copies.back().var = tir::MakeVar(loops[i].var->name);
      renamed[loops[i].var.get()] = tir::Ref(copies.back().var);
    }
    init = tir::Substitute(init, renamed);
    for (auto it = copies.rbegin(); it != copies.rend(); ++it) {
      it->extent = tir::Substitute(it->extent, renamed);
      init = LoopOf(*it, init);
    }
    return tir::MakeStmt(tir::Stage{bound.stage->name() + ".init", init});
  }

  Stmt Guarded(const BoundStage& bound, Stmt body, bool with_reduce_loops) const {
    Expr condition;
    for (const Guard& guard : bound.loops.guards()) {
      if (guard.kind == AxisKind::kReduce && !with_reduce_loops) continue;
      condition = condition ? And(condition, guard.condition) : guard.condition;
    }
    return condition ? tir::MakeStmt(tir::IfThen{condition, std::move(body)}) : body;
  }

  std::vector<Expr> LocalIndices(const BoundStage& bound, Scope& scope) const {
    std::vector<Expr> indices;
    const std::vector<Axis>& axes = bound.stage->axes();
    const bool elsewhere = bound.stage->in_place() || bound.left;  // than from the buffer's begin on
    for (size_t i = 0; i < axes.size(); ++i) {
      const Expr& value = bound.loops.ValueOf(axes[i]);
      indices.push_back(elsewhere ? bound.origin[i] + value : value);
    }
    if (elsewhere) indices = Place(bound, std::move(indices));
    for (Expr& index : indices) index = scope.simplifier.Simplify(index);
    return indices;
  }

  // Where the element of `bound` at `indices` stands in its buffer.
  std::vector<Expr> Place(const BoundStage& bound, std::vector<Expr> indices) const {
    if (const auto& place = bound.stage->in_place()) {
      tir::VarMap axes;
      for (size_t i = 0; i < indices.size(); ++i) axes[bound.stage->axes()[i]->var.get()] = indices[i];
      std::vector<Expr> there;
      for (const Expr& index : place->at) there.push_back(tir::Substitute(index, axes));
      return Place(SourceOf(bound), std::move(there));
    }
    for (size_t i = 0; i < indices.size(); ++i) indices[i] = indices[i] - bound.begin[i];
    return indices;
  }

  Expr SelfOf(const BoundStage& bound) const {
    std::vector<Expr> indices(bound.stage->axes().begin(), bound.stage->axes().end());
    return tir::MakeLoad(bound.stage->tensor().buffer(), indices);
  }

  // Stores `value`, an expression over the stage's axes and other tensors, with both translated to loops and
  // buffers.
  Stmt StoreOf(const BoundStage& bound, const Expr& value) const {
    Scope scope = ScopeInside(bound, bound.loops.loops().size());
    tir::VarMap axes;
    for (size_t i = 0; i < bound.stage->axes().size(); ++i) {
      const Axis& axis = bound.stage->axes()[i];
      axes[axis->var.get()] = bound.origin[i] + bound.loops.ValueOf(axis);
    }
    for (const Axis& axis : bound.stage->reduce_axes()) axes[axis->var.get()] = bound.loops.ValueOf(axis);
    const Expr over_loops = tir::Substitute(value, axes);
    const Expr over_buffers = tir::RewriteExpr(over_loops, [&](const Expr& node) { return ToBuffer(node); });
    return tir::MakeStmt(tir::Store{bound.buffer, LocalIndices(bound, scope),
                                    IndexSimplifier(scope.simplifier).MutateExpr(over_buffers)});
  }

  // A read of a computed tensor becomes a read of its buffer, relative to the box's origin.
  Expr ToBuffer(const Expr& node) const {
    const auto* load = tir::As<tir::Load>(node);
    auto it = load ? by_tensor_.find(load->buffer.get()) : by_tensor_.end();
    if (it == by_tensor_.end()) return node;
    const BoundStage& source = *it->second;
    return tir::MakeLoad(source.buffer, Place(source, load->indices));
  }

  std::vector<std::unique_ptr<BoundStage>> stages_;
  std::unordered_map<const tir::BufferNode*, const BoundStage*> by_tensor_;
};

}  // namespace

tir::Function Lower(const Schedule& schedule, const std::vector<Tensor>& args, std::string name) {
  tir::Function function;
  function.name = std::move(name);
  for (const Tensor& arg : args) function.params.push_back(arg.buffer());
  for (const Tensor& output : schedule.outputs()) {
    COSIM_CHECK(std::find(args.begin(), args.end(), output) != args.end(), "output '{}' is no argument",
                output->name);
  }
  Lowerer lowerer(schedule);
  lowerer.CheckInputs(args);
  function.body = lowerer.Run();
  tir::CheckWellFormed(function, "lowering");
  return function;
}

}  // namespace cosim::te
