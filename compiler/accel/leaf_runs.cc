// SPDX-License-Identifier: Apache-2.0
#include "compiler/accel/leaf_runs.h"

namespace cosim::accel {
namespace {

bool Visit(const Nodes& nodes, Environment& env, const LeafVisitor& visit) {
  for (const Node& node : nodes) {
    if (const auto* loop = std::get_if<Loop>(&node.node)) {
      const int64_t min = Evaluate(loop->min, env), extent = Evaluate(loop->extent, env);
      for (int64_t v = min; v < min + extent; ++v) {
        env.Push(loop->var, v);
        if (!Visit(loop->body, env, visit)) return false;
        env.Pop();
      }
    } else if (const auto* guard = std::get_if<Guard>(&node.node)) {
      if (Evaluate(guard->condition, env) && !Visit(guard->body, env, visit)) return false;
    } else if (!visit(node, env)) {
      return false;
    }
  }
  return true;
}

}  // namespace

void VisitLeaves(const Kernel& kernel, const LeafVisitor& visit) {
  Environment env;
  Visit(kernel.body, env, visit);
}

std::vector<LeafRun> LeafRuns(const Kernel& kernel) {
  std::vector<LeafRun> runs;
  VisitLeaves(kernel, [&](const Node& leaf, const Environment& env) {
    runs.push_back({&leaf, env});
    return true;
  });
  return runs;
}

}  // namespace cosim::accel
