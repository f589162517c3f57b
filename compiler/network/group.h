// SPDX-License-Identifier: Apache-2.0
// Fused groups: the nodes of an integer graph that become one kernel. A group is written as its anchor (what
// moves most data) and an epilogue over the anchor's int32 results; groups without such a shape hold one
// node.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"

namespace cosim::network {

enum class GroupKind {
  kConvolution,  ///< conv2d, dense or matmul, with bias, requantize, clips, qadd, clips as far as they follow
  kMaxPool,      ///< max_pool or pad, clip
  kSumPool,      ///< global_sum_pool or sum_pool, bias, requantize, clip
  kElementwise,  ///< qadd, scaled_add, qmul, rescale or clip, clip
  kView,         ///< flatten: no data moves
  kConcat,       ///< concat
  kOther,
};

/// What follows the anchor. Values are of the graph.
struct Epilogue {
  std::optional<graph::ValueId> bias;  ///< an int32 constant [C]
  const graph::Requantize* requantize = nullptr;
  const graph::QAdd* add = nullptr;
  const graph::QMul* mul = nullptr;         ///< only an anchor; its second operand is the residual
  const graph::Rescale* rescale = nullptr;  ///< only an anchor
  graph::ValueId residual = -1;             ///< the operand of `add` or `mul` that the group does not compute
  bool residual_is_a = false;
  int32_t first_low = -128, first_high = 127;  ///< clip before the add
  int32_t low = -128, high = 127;              ///< last clip
};

struct Group {
  GroupKind kind = GroupKind::kOther;
  std::string name;                   ///< of the anchor node
  std::vector<graph::ValueId> nodes;  ///< in order; the last is the result
  Epilogue epilogue;
  graph::ValueId anchor() const { return nodes.front(); }
  graph::ValueId result() const { return nodes.back(); }
};

struct FuseOptions {
  /// Every quantized value stays a value of its own, so that each can be compared.
  bool keep_every_value = false;
};

/// A convolution with a residual add as two groups, what comes before the add and the rest; nothing for any
/// other group.
std::vector<Group> SplitAtAdd(const graph::Graph& graph, const Group& group);

/// Every node but inputs and constants in exactly one group, groups in a topological order.
std::vector<Group> Fuse(const graph::Graph& graph, const FuseOptions& options);

}  // namespace cosim::network
