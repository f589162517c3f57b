// SPDX-License-Identifier: Apache-2.0
// Fused groups: the nodes of an integer graph that become one kernel. A group is its anchor (what moves most
// data) and elementwise operations behind it, each of which reads the one before it; groups without such a
// shape hold one node.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace cosim::network {

enum class GroupKind {
  kConvolution,  ///< conv2d, dense or matmul, with bias, requantize, clips, qadd, table or (conv2d) max_pool,
                 ///< depth_to_space or resize_nearest, clips as far as they follow
  kMaxPool,      ///< max_pool or pad, clip
  kSumPool,      ///< global_sum_pool or sum_pool, bias, requantize, clip
  kElementwise,  ///< qadd, scaled_add, qmul, rescale or clip, clip; table; depth_to_space or resize_nearest
  kView,         ///< flatten: no data moves
  kConcat,       ///< concat
  kOther,        ///< of floats, with what follows element by element
};

struct Group {
  GroupKind kind = GroupKind::kOther;
  std::string name;                   ///< of the anchor node
  std::vector<graph::ValueId> nodes;  ///< in order; the last is the result
  /// kConvolution: the nodes of the convolution whose result it reads, where that stays on chip between the
  /// two.
  std::vector<graph::ValueId> feeder;
  graph::ValueId anchor() const { return nodes.front(); }
  graph::ValueId result() const { return nodes.back(); }
};

struct FuseOptions {
  /// Every quantized value stays a value of its own, so that each can be compared.
  bool keep_every_value = false;
};

/// The max pool behind a convolution's requantization; nothing where there is none.
const graph::MaxPool* PoolBehind(const graph::Graph& graph, const Group& group);

/// The depth_to_space or resize_nearest of a group of quantized values, or null.
const graph::Node* SpreadIn(const graph::Graph& graph, const Group& group);

/// The pad by the nearest elements whose result a convolution without padding reads; null where there is
/// none. A kernel may repeat those itself.
const graph::Node* EdgeBefore(const graph::Graph& graph, const graph::Node& convolution);

/// A convolution with an operation behind its requantization and clip as two groups, what comes before that
/// operation and the rest; nothing for any other group.
std::vector<Group> SplitBehindRequantization(const graph::Graph& graph, const Group& group);

/// A convolution that keeps its channels and the 1x1 convolution behind it, which alone reads what it makes,
/// as one group; nothing for any other two.
std::optional<Group> Feed(const graph::Graph& graph, const Group& first, const Group& second);

/// Every node but inputs and constants in exactly one group, groups in a topological order.
std::vector<Group> Fuse(const graph::Graph& graph, const FuseOptions& options);

/// The first behind group `i` that is more than another view of a value; null: there is none.
const Group* NextKernel(std::span<const Group> groups, size_t i);

/// The nodes of each kernel when all of `graph` is the host's.
std::vector<std::vector<graph::ValueId>> HostGroups(const graph::Graph& graph);

}  // namespace cosim::network
