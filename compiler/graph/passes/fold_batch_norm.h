// SPDX-License-Identifier: Apache-2.0
// Batch normalization into the convolution or dense layer before it.
#pragma once

#include "compiler/graph/graph.h"

namespace cosim::graph {

/// Replaces BatchNorm(Conv2d|Dense(x, w)) by BiasAdd(Conv2d|Dense(x, w'), b'), also where a BiasAdd stands
/// between. Before: a float graph. After: a BatchNorm is left only where its operand has another user or is
/// an output, is no convolution or dense layer, or where weights or statistics are no constants. The BiasAdd
/// keeps the name of the BatchNorm. Unused constants are left to RemoveDeadValues, but weights that nothing
/// else reads are gone, one after the other: who moves `graph` in never has all of them twice.
Graph FoldBatchNorm(Graph graph);

}  // namespace cosim::graph
