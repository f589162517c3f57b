// SPDX-License-Identifier: Apache-2.0
#include "compiler/cpu/host_group.h"

#include <algorithm>

#include "compiler/ops/definition.h"

namespace cosim::cpu {
namespace {

/// What reduces over the channels of a pixel, and what looks each element up.
bool IsOfPixels(const graph::Node& node) {
  return node.As<graph::QLayerNorm>() || node.As<graph::QSoftmax>() || node.As<graph::Table>();
}

/// Whether the groups' channels have nothing to do with each other, nor with where they stand among all.
bool KeepsGroupsApart(const graph::Node& node, int64_t groups) {
  const auto* softmax = node.As<graph::QSoftmax>();
  return softmax ? softmax->groups % groups == 0 : node.As<graph::Table>() != nullptr;
}

}  // namespace

bool TakesBlocks(const graph::Graph& graph, std::span<const graph::ValueId> nodes, int64_t groups) {
  const graph::Shape& shape = graph.node(nodes.back()).type.shape;
  if (shape.size() != 2 && shape.size() != 4) return false;
  return std::ranges::all_of(nodes, [&](graph::ValueId id) {
    const graph::Node& node = graph.node(id);
    const auto has_the_shape = [&](graph::ValueId value) {
      return graph.node(value).As<graph::Constant>() || graph.node(value).type.shape == shape;
    };
    return has_the_shape(id) && std::ranges::all_of(node.inputs, has_the_shape) &&
           (IsOfPixels(node) || ops::IsDefinedByElements(graph, id)) &&
           (groups == 1 || KeepsGroupsApart(node, groups));
  });
}

graph::Shape InGroups(graph::Shape shape, int64_t groups) {
  shape[0] *= groups;
  shape[1] /= groups;
  return shape;
}

graph::Node InGroups(graph::Node node, int64_t groups) {
  node.type.shape = InGroups(std::move(node.type.shape), groups);
  if (auto* softmax = std::get_if<graph::QSoftmax>(&node.op)) softmax->groups /= groups;
  return node;
}

}  // namespace cosim::cpu
