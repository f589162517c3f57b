// SPDX-License-Identifier: Apache-2.0
// What one kernel of the host computes. Which nodes form a group, and how values stand, is the partitioner's
// decision.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/layouts/layout.h"

namespace cosim::cpu {

/// Nodes in topological order, of operations that Define (definition.h) takes, or one that it does not. The
/// last computes the output; the others are read within the group only.
struct HostGroup {
  std::vector<graph::ValueId> nodes;
  /// How those of its inputs and its output stand that stand in blocks of channels (layouts::InBlocks);
  /// others are plain. Only where TakesBlocks.
  std::map<graph::ValueId, layouts::Blocking> blocks{};
  int64_t groups = 1;  ///< of channels: each is an image of its own where values stand in blocks
};

/// Whether the group may read and write blocks, in which each of `groups` parts of the channels is an image
/// of its own: elements need those of their own pixel alone.
bool TakesBlocks(const graph::Graph& graph, std::span<const graph::ValueId> nodes, int64_t groups);

/// [N,C,…] as [N*groups,C/groups,…].
graph::Shape InGroups(graph::Shape shape, int64_t groups);
/// The same operation on shapes in groups.
graph::Node InGroups(graph::Node node, int64_t groups);

}  // namespace cosim::cpu
