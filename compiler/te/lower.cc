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
// accelerator back end recognizes it by its form.
class IndexSimplifier : public tir::Mutator {
 public:
  explicit IndexSimplifier(tir::Simplifier& simplifier) : simplifier_(simplifier) {}

  Expr MutateExpr(const Expr& expr) override {
    if (const auto* load = tir::As<tir::Load>(expr)) {
      std::vector<Expr> indices;
      for (const Expr& index : load->indices) indices.push_back(simplifier_.Simplify(index));
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
  // `body` preceded by the stages computed inside the first `depth` loops of `parent` (at the root: null and
  // 0).
  Stmt WithAttached(const BoundStage* parent, size_t depth, const Stmt& body) {
    std::vector<Stmt> stmts;
    std::vector<tir::Buffer> buffers;
    for (const auto& bound : stages_) {
      if (bound->parent != parent || bound->depth != depth) continue;
      stmts.push_back(NestOf(*bound));
      if (!bound->stage->is_output()) buffers.push_back(bound->buffer);
    }
    if (body) stmts.push_back(body);
    Stmt stmt = SeqOf(std::move(stmts));
    for (auto it = buffers.rbegin(); it != buffers.rend(); ++it)
      stmt = tir::MakeStmt(tir::Allocate{*it, stmt});
    return stmt;
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
      return other->parent == &bound && other->depth == depth;
    });
    return any ? WithAttached(&bound, depth, body) : body;
  }

  Stmt NestOf(const BoundStage& bound) {
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
    for (const Axis& axis : bound.stage->axes()) {
      indices.push_back(scope.simplifier.Simplify(bound.loops.ValueOf(axis)));
    }
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
    std::vector<Expr> indices;
    for (size_t i = 0; i < load->indices.size(); ++i) indices.push_back(load->indices[i] - source.origin[i]);
    return tir::MakeLoad(source.buffer, std::move(indices));
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
