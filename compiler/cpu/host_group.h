// SPDX-License-Identifier: Apache-2.0
// What one kernel of the host computes. Which nodes form a group, and how values stand, is the partitioner's
// decision.
#pragma once

#include <map>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/layouts/layout.h"

namespace cosim::cpu {

/// Nodes in topological order, of operations that Define (definition.h) takes, or one that it does not. The
/// last computes the output; the others are read within the group only.
struct HostGroup {
  std::vector<graph::ValueId> nodes;
  /// How those of its inputs and its output stand that stand in blocks of channels (layouts::InBlocks);
  /// others are plain. Only as TakesBlocks says.
  std::map<graph::ValueId, layouts::Blocking> blocks{};
  int64_t groups = 1;  ///< of channels: each is an image of its own where values stand in blocks
};

/// Whether the group may read and write its blocks: elements need those of their own pixel alone; and where
/// each needs just the same element of others, FillsBlocks, so that one loop runs along all of them.
bool TakesBlocks(const graph::Graph& graph, const HostGroup& group);

/// Whether channels that only blocking adds may be computed as any others, of whatever stands there: all
/// values stand in the same blocks, and nothing is by channel. Of a softmax they are 0 all the same: matmuls
/// take them by what may mean nothing.
bool FillsBlocks(const graph::Graph& graph, const HostGroup& group);

/// The operation on shapes in groups.
graph::Node InGroups(graph::Node node, int64_t groups);

}  // namespace cosim::cpu
