// SPDX-License-Identifier: Apache-2.0
// The golden model: executes a graph exactly as compiler/graph/ops.h defines it where it is of integers, and
// to the accuracy of its references where it is of floats. It shares nothing with the compiler, the spec or
// the simulators except the graph's data structures, so that what it says can check them.
#pragma once

#include <vector>

#include "compiler/graph/graph.h"

namespace cosim::golden {

/// Every value of `graph` by ValueId. `inputs` are in the order of graph.inputs() and have their types. Float
/// operations and HostOps are evaluated by their references (graph::EvaluateFloat). A compiled network calls
/// these only where an operator has no tensor expression; such a layer is not checked by this.
std::vector<graph::TensorPtr> Run(const graph::Graph& graph, const std::vector<graph::Tensor>& inputs);

}  // namespace cosim::golden
