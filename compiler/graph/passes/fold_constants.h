// SPDX-License-Identifier: Apache-2.0
// Evaluation at compile time.
#pragma once

#include "compiler/graph/graph.h"

namespace cosim::graph {

/// Replaces every float operation whose operands are all constants by its result. Before: any graph. After:
/// no float operation has only constant operands. Integer operations are left alone: they are the contract to
/// be executed. Unused constants are left to RemoveDeadValues.
Graph FoldConstants(const Graph& graph);

}  // namespace cosim::graph
