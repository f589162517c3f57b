// SPDX-License-Identifier: Apache-2.0
#include "compiler/network/epilogue.h"

#include <algorithm>

#include "isa/check.h"

namespace cosim::network {
namespace {

/// Where the nodes of the epilogue begin.
size_t FirstStep(const Group& group) { return group.kind == GroupKind::kElementwise ? 0 : 1; }

}  // namespace

std::optional<graph::ValueId> ResidualOf(const graph::Graph& graph, const Group& group) {
  for (size_t k = FirstStep(group); k < group.nodes.size(); ++k) {
    const graph::Node& node = graph.node(group.nodes[k]);
    if (!TakesTwoValues(node)) continue;
    const bool second = k == 0 || node.inputs[0] == group.nodes[k - 1];
    return node.inputs[second ? 1 : 0];
  }
  return std::nullopt;
}

Epilogue EpilogueOf(const graph::Graph& graph, const Group& group) {
  Epilogue epilogue;
  const size_t first = FirstStep(group);
  const graph::Node& anchor = graph.node(group.anchor());
  const graph::ValueId begins = first == 0 ? anchor.inputs[0] : group.anchor();
  epilogue.type = tir::DataType::Int(8 * static_cast<int>(graph::SizeOf(graph.node(begins).type.dtype)));
  for (size_t k = first; k < group.nodes.size(); ++k) {
    const graph::Node& node = graph.node(group.nodes[k]);
    int from = 0;
    if (k > 0) {
      const auto at = std::ranges::find(node.inputs, group.nodes[k - 1]);
      COSIM_CHECK(at != node.inputs.end(), "'{}' does not read the node before it", node.name);
      from = static_cast<int>(at - node.inputs.begin());
    }
    // A pool is one of the sums, and where results stand is no step.
    if (node.As<graph::MaxPool>() || node.As<graph::DepthToSpace>() || node.As<graph::ResizeNearest>())
      continue;
    epilogue.steps.push_back({&node, from});
  }
  return epilogue;
}

}  // namespace cosim::network
