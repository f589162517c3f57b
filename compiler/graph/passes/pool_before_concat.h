// SPDX-License-Identifier: Apache-2.0
// A max pool behind a concatenation, as max pools before it: each may then join the convolution that makes
// its part, and what is pooled need not go through memory.
#pragma once

#include "compiler/graph/graph.h"

namespace cosim::graph {

/// Of an integer graph, where nothing but the pool reads the concatenation, nothing but that its parts, and
/// one of them at least is a convolution's. The same values, outputs and inputs; others have new ids. Doing
/// it twice changes nothing more.
Graph PoolBeforeConcat(const Graph& graph);

}  // namespace cosim::graph
