// SPDX-License-Identifier: Apache-2.0
// Checks the invariants of a graph (graph.h). Run in tests after every pass, and on whatever an importer
// built.
#pragma once

#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace cosim::graph {

/// What is wrong with `graph`, one message a fault, each naming the value; empty when nothing is.
std::vector<std::string> Verify(const Graph& graph);

}  // namespace cosim::graph
