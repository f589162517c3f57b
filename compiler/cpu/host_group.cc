// SPDX-License-Identifier: Apache-2.0
#include "compiler/cpu/host_group.h"

#include <algorithm>

#include "compiler/ops/definition.h"
#include "compiler/tir/rounding.h"

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

/// Whether each element is computed from the same element of others, and of nothing by channel.
bool IsOfElements(const graph::Graph& graph, const HostGroup& group) {
  return std::ranges::all_of(group.nodes,
                             [&](graph::ValueId id) { return ops::IsDefinedByElementsAlone(graph, id); });
}

/// Whether all that the group reads and writes stands in the same blocks, in one shape.
bool AreAlike(const graph::Graph& graph, const HostGroup& group) {
  const auto is_alike = [&](graph::ValueId id) {
    const auto blocks = group.blocks.find(id);
    return blocks != group.blocks.end() && blocks->second == group.blocks.begin()->second &&
           graph.node(id).type.shape == graph.node(group.nodes.back()).type.shape;
  };
  return is_alike(group.nodes.back()) && std::ranges::all_of(group.nodes, [&](graph::ValueId node) {
           return std::ranges::all_of(graph.node(node).inputs, [&](graph::ValueId input) {
             return std::ranges::count(group.nodes, input) > 0 || is_alike(input);
           });
         });
}

}  // namespace

bool TakesBlocks(const graph::Graph& graph, const HostGroup& group) {
  const graph::Shape& shape = graph.node(group.nodes.back()).type.shape;
  if (shape.size() != 2 && shape.size() != 4) return false;
  if (IsOfElements(graph, group)) return group.groups == 1 && AreAlike(graph, group);
  return std::ranges::all_of(group.nodes, [&](graph::ValueId id) {
    const graph::Node& node = graph.node(id);
    const auto has_the_shape = [&](graph::ValueId value) {
      return graph.node(value).As<graph::Constant>() || graph.node(value).type.shape == shape;
    };
    return has_the_shape(id) && std::ranges::all_of(node.inputs, has_the_shape) &&
           (IsOfPixels(node) || ops::IsDefinedByElements(graph, id)) &&
           (group.groups == 1 || KeepsGroupsApart(node, group.groups));
  });
}

graph::Shape InGroups(graph::Shape shape, int64_t groups) {
  shape[0] *= groups;
  shape[1] /= groups;
  return shape;
}

graph::Shape ShapeIn(const graph::Graph& graph, const HostGroup& group, graph::Shape shape) {
  if (group.groups > 1) return InGroups(std::move(shape), group.groups);
  if (group.blocks.empty() || !IsOfElements(graph, group)) return shape;
  const layouts::Blocking& blocking = group.blocks.begin()->second;
  shape[0] = tir::RoundUp(shape[0], blocking.outer);
  shape[1] = tir::RoundUp(shape[1], blocking.inner);
  return shape;
}

bool FillsBlocks(const graph::Graph& graph, const HostGroup& group) {
  return AreAlike(graph, group) && std::ranges::all_of(group.nodes, [&](graph::ValueId id) {
           const graph::Node& node = graph.node(id);
           return node.As<graph::QSoftmax>() || node.As<graph::Table>() ||
                  ops::IsDefinedByElementsAlone(graph, id);
         });
}

graph::Node NodeIn(const graph::Graph& graph, const HostGroup& group, graph::Node node) {
  node.type.shape = ShapeIn(graph, group, std::move(node.type.shape));
  if (auto* softmax = std::get_if<graph::QSoftmax>(&node.op)) softmax->groups /= group.groups;
  return node;
}

}  // namespace cosim::cpu
