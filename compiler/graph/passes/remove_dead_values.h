// SPDX-License-Identifier: Apache-2.0
// Removal of what nothing reads.
#pragma once

#include "compiler/graph/graph.h"

namespace cosim::graph {

/// Drops every value that no output depends on. Inputs stay: they are the caller's interface. The order of
/// the rest is kept.
Graph RemoveDeadValues(const Graph& graph);

}  // namespace cosim::graph
