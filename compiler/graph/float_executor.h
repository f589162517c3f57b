// SPDX-License-Identifier: Apache-2.0
// Runs a float graph on the host, for calibration and as the reference that quantization error is measured
// against. Integer graphs are run by compiler/golden.
#pragma once

#include <functional>
#include <vector>

#include "compiler/graph/graph.h"

namespace cosim::graph {

/// Every value of `graph` by ValueId. `inputs` are in the order of graph.inputs() and have their types. All
/// operations must be float ones or HostOps. Convolutions go the fastest way (winograd.h), and so round
/// otherwise than EvaluateFloat's.
std::vector<TensorPtr> RunFloat(const Graph& graph, const std::vector<Tensor>& inputs);

/// Calls visit(id, the value on each sample) for every value of `graph`, in order; a value that nothing reads
/// any more is let go. `samples`: inputs as those of RunFloat, all run at a time.
void ForEachFloatValue(const Graph& graph, const std::vector<std::vector<Tensor>>& samples,
                       const std::function<void(ValueId, const std::vector<TensorPtr>&)>& visit);

/// The result of the float operation or HostOp of `node` on `operands`, for a caller that walks the graph
/// itself.
Tensor EvaluateFloat(const Node& node, const std::vector<TensorPtr>& operands);

}  // namespace cosim::graph
