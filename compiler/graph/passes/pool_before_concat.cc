// SPDX-License-Identifier: Apache-2.0
#include "compiler/graph/passes/pool_before_concat.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "compiler/graph/passes/rewriter.h"

namespace cosim::graph {
namespace {

class Mover {
 public:
  explicit Mover(const Graph& graph) : graph_(graph), users_(graph.Users()), rewriter_(graph) {}

  Graph Run() {
    for (ValueId id = 0; id < graph_.size(); ++id) {
      const ValueId pool = PoolOf(id);
      if (pool >= 0) continue;  // its pool stands for both
      if (graph_.node(id).As<MaxPool>() && PoolOf(graph_.node(id).inputs[0]) == id) {
        Move(graph_.node(graph_.node(id).inputs[0]), id);
      } else {
        rewriter_.Copy(id);
      }
    }
    return rewriter_.Finish();
  }

 private:
  /// The only reader of `id`; -1 where others see it.
  ValueId OnlyUser(ValueId id) const {
    return users_[id].size() == 1 && !std::ranges::count(graph_.outputs(), id) ? users_[id][0] : -1;
  }

  /// The pool that moves before the concatenation `id`, else -1.
  ValueId PoolOf(ValueId id) const {
    const Node& concat = graph_.node(id);
    const ValueId pool = OnlyUser(id);
    if (!concat.As<Concat>() || pool < 0 || !graph_.node(pool).As<MaxPool>()) return -1;
    const auto alone = [&](ValueId part) { return OnlyUser(part) == id; };
    const auto convolved = [&](ValueId part) { return IsConvolved(part); };
    return std::ranges::all_of(concat.inputs, alone) && std::ranges::any_of(concat.inputs, convolved) ? pool
                                                                                                      : -1;
  }

  /// Whether a pool can join the convolution of `id`: its requantization, or a clip behind that.
  bool IsConvolved(ValueId id) const {
    if (graph_.node(id).As<Clip>()) id = graph_.node(id).inputs[0];
    if (!graph_.node(id).As<Requantize>()) return false;
    id = graph_.node(id).inputs[0];
    if (graph_.node(id).As<BiasAdd>()) id = graph_.node(id).inputs[0];
    return graph_.node(id).As<Conv2d>() != nullptr;
  }

  void Move(const Node& concat, ValueId id) {
    const Node& pool = graph_.node(id);
    Graph& result = rewriter_.result();
    std::vector<ValueId> parts;
    for (const ValueId part : concat.inputs)
      parts.push_back(result.Add(fmt::format("{}.{}", pool.name, graph_.node(part).name), pool.op,
                                 {rewriter_.Map(part)}, graph_.node(part).quantization));
    rewriter_.Replace(id, result.Add(pool.name, concat.op, std::move(parts), pool.quantization));
  }

  const Graph& graph_;
  std::vector<std::vector<ValueId>> users_;
  Rewriter rewriter_;
};

}  // namespace

Graph PoolBeforeConcat(const Graph& graph) { return Mover(graph).Run(); }

}  // namespace cosim::graph
