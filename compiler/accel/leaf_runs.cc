// SPDX-License-Identifier: Apache-2.0
#include "compiler/accel/leaf_runs.h"

namespace cosim::accel {
namespace {

void Collect(const Nodes& nodes, Environment& env, std::vector<LeafRun>& runs) {
  for (const Node& node : nodes) {
    if (const auto* loop = std::get_if<Loop>(&node.node)) {
      const int64_t min = Evaluate(loop->min, env), extent = Evaluate(loop->extent, env);
      for (int64_t v = min; v < min + extent; ++v) {
        env.Push(loop->var, v);
        Collect(loop->body, env, runs);
        env.Pop();
      }
    } else if (const auto* guard = std::get_if<Guard>(&node.node)) {
      if (Evaluate(guard->condition, env)) Collect(guard->body, env, runs);
    } else {
      runs.push_back({&node, env});
    }
  }
}

}  // namespace

std::vector<LeafRun> LeafRuns(const Kernel& kernel) {
  std::vector<LeafRun> runs;
  Environment env;
  Collect(kernel.body, env, runs);
  return runs;
}

}  // namespace cosim::accel
