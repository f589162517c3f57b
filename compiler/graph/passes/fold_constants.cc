// SPDX-License-Identifier: Apache-2.0
// Evaluates with the float executor, one operation at a time.
#include "compiler/graph/passes/fold_constants.h"

#include <algorithm>

#include "compiler/graph/float_executor.h"
#include "compiler/graph/passes/rewriter.h"

namespace cosim::graph {

Graph FoldConstants(const Graph& graph) {
  Rewriter rewriter(graph);
  for (ValueId id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    std::vector<TensorPtr> operands;
    for (ValueId input : node.inputs) {
      const auto* constant = rewriter.result().node(rewriter.Map(input)).As<Constant>();
      if (constant && constant->data->dtype() == DType::kFloat32) operands.push_back(constant->data);
    }
    const bool foldable =
        !node.inputs.empty() && operands.size() == node.inputs.size() && node.type.dtype == DType::kFloat32;
    if (foldable) {
      rewriter.Replace(id, rewriter.result().AddConstant(node.name, EvaluateFloat(node, operands)));
    } else {
      rewriter.Copy(id);
    }
  }
  return rewriter.Finish();
}

}  // namespace cosim::graph
