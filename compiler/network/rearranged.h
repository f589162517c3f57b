// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler/graph/graph.h"
#include "isa/spec/spec.h"

namespace cosim::network {

/// An integer graph as an accelerator likes it better: channels that the host would move by products
/// (graph::PickByProducts and, where the ALU adds activations and all blocks have one size,
/// graph::JoinByProducts), pools before concatenations (graph::PoolBeforeConcat). Doing it twice changes
/// nothing more.
graph::Graph Rearranged(const graph::Graph& graph, const isa::Spec& spec);

}  // namespace cosim::network
