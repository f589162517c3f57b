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

bool TakesBlocks(const graph::Graph& graph, const HostGroup& group) {
  const graph::Shape& shape = graph.node(group.nodes.back()).type.shape;
  if (shape.size() != 2 && shape.size() != 4) return false;
  const auto is_of_pixels = [&](graph::ValueId id) { return IsOfPixels(graph.node(id)); };
  const auto takes = [&](graph::ValueId id) {
    const graph::Node& node = graph.node(id);
    const auto has_the_shape = [&](graph::ValueId value) {
      return graph.node(value).As<graph::Constant>() || graph.node(value).type.shape == shape;
    };
    return has_the_shape(id) && std::ranges::all_of(node.inputs, has_the_shape) &&
           (is_of_pixels(id) || ops::IsDefinedByElements(graph, id)) &&
           (group.groups == 1 || KeepsGroupsApart(node, group.groups));
  };
  return std::ranges::all_of(group.nodes, takes) &&
         (std::ranges::any_of(group.nodes, is_of_pixels) || FillsBlocks(graph, group));
}

bool FillsBlocks(const graph::Graph& graph, const HostGroup& group) {
  const auto is_alike = [&](graph::ValueId id) {
    const auto blocks = group.blocks.find(id);
    return blocks != group.blocks.end() && blocks->second == group.blocks.begin()->second;
  };
  const auto fills = [&](graph::ValueId id) {
    const graph::Node& node = graph.node(id);
    return (node.As<graph::QSoftmax>() || node.As<graph::Table>() ||
            ops::IsDefinedByElementsAlone(graph, id)) &&
           std::ranges::all_of(node.inputs, [&](graph::ValueId input) {
             return std::ranges::count(group.nodes, input) > 0 || is_alike(input);
           });
  };
  return is_alike(group.nodes.back()) && std::ranges::all_of(group.nodes, fills);
}

graph::Node InGroups(graph::Node node, int64_t groups) {
  node.type.shape = layouts::InGroups(std::move(node.type.shape), groups);
  if (auto* softmax = std::get_if<graph::QSoftmax>(&node.op)) softmax->groups /= groups;
  return node;
}

}  // namespace cosim::cpu
