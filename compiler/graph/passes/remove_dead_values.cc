// SPDX-License-Identifier: Apache-2.0
// Marks backwards from the outputs, then copies what is marked.
#include "compiler/graph/passes/remove_dead_values.h"

#include "compiler/graph/passes/rewriter.h"

namespace cosim::graph {

Graph RemoveDeadValues(const Graph& graph) {
  std::vector<bool> live(graph.nodes().size(), false);
  for (ValueId id : graph.outputs()) live[id] = true;
  for (ValueId id : graph.inputs()) live[id] = true;
  for (ValueId id = graph.size() - 1; id >= 0; --id) {
    if (!live[id]) continue;
    for (ValueId input : graph.node(id).inputs) live[input] = true;
  }
  Rewriter rewriter(graph);
  for (ValueId id = 0; id < graph.size(); ++id) {
    if (live[id]) rewriter.Copy(id);
  }
  return rewriter.Finish();
}

}  // namespace cosim::graph
