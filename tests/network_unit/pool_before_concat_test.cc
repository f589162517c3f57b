// SPDX-License-Identifier: Apache-2.0
// Max pools that move before a concatenation: the values stay, and convolutions take them in.
#include "compiler/graph/passes/pool_before_concat.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/golden/golden.h"
#include "compiler/network/group.h"
#include "tests/network_unit/testing.h"

namespace cosim::network {
namespace {

using graph::ValueId;

graph::Tensor Draw(GraphBuilder& b, const graph::Graph& graph) {
  graph::Tensor x(graph.node(graph.inputs()[0]).type);
  for (int8_t& value : x.mutable_data<int8_t>()) value = static_cast<int8_t>(b.Pick(-128, 127));
  return x;
}

/// Two branches, the second clipped, side by side.
struct Branches {
  GraphBuilder b;
  ValueId x = b.Input({1, 4, 9, 8});
  ValueId one = b.Conv(x, 3, {}, 1, 1, false);
  ValueId two = b.Add(graph::Clip{-5, 90}, {b.Conv(x, 5, {.pad = {1, 1, 1, 1}}, 3, 3, false)});
  ValueId side_by_side = b.Add(graph::Concat{}, {one, two});
  ValueId pool = b.Add(graph::MaxPool{{3, 2}, {2, 3}, {1, 0, 1, 1}}, {side_by_side});

  graph::Graph With(std::vector<ValueId> outputs) {
    graph::Graph graph = b.graph;
    graph.SetOutputs(std::move(outputs));
    return graph;
  }
};

TEST(PoolBeforeConcat, EachPartIsPooledByItsConvolutionAndTheValuesStay) {
  Branches branches;
  const ValueId behind = branches.b.Conv(branches.pool, 2, {}, 1, 1, false);
  const graph::Graph graph = branches.With({behind, branches.pool});
  const graph::Graph moved = graph::PoolBeforeConcat(graph);
  EXPECT_EQ(Ops(moved),
            "input conv2d bias_add requantize conv2d bias_add requantize clip max_pool max_pool concat "
            "conv2d bias_add requantize ");
  const auto groups = Fuse(moved, {});
  const auto pooled = [&](const Group& group) { return PoolBehind(moved, group) != nullptr; };
  EXPECT_EQ(std::ranges::count_if(groups, pooled), 2);
  const std::vector<graph::Tensor> inputs = {Draw(branches.b, graph)};
  const auto before = golden::Run(graph, inputs), after = golden::Run(moved, inputs);
  for (size_t i = 0; i < graph.outputs().size(); ++i)
    EXPECT_EQ(*before[graph.outputs()[i]], *after[moved.outputs()[i]]) << "output " << i;
  EXPECT_EQ(moved.node(moved.outputs()[1]).name, graph.node(branches.pool).name);
  EXPECT_EQ(Ops(graph::PoolBeforeConcat(moved)), Ops(moved));
}

TEST(PoolBeforeConcat, WhatOthersReadStaysAsItIs) {
  for (const int reads : {0, 1, 2}) {
    Branches branches;
    const std::vector<ValueId> outputs[] = {
        {branches.pool, branches.side_by_side},
        {branches.pool, branches.one},
        {branches.pool, branches.b.Add(graph::Clip{0, 9}, {branches.side_by_side})}};
    const graph::Graph graph = branches.With(outputs[reads]);
    EXPECT_EQ(Ops(graph::PoolBeforeConcat(graph)), Ops(graph)) << reads;
  }
}

TEST(PoolBeforeConcat, WithoutAConvolutionNothingIsGained) {
  GraphBuilder b;
  const ValueId x = b.Input({1, 4, 8, 8});
  const ValueId one = b.Add(graph::Clip{0, 9}, {x}), two = b.Add(graph::Clip{-9, 0}, {x});
  b.graph.SetOutputs({b.Add(graph::MaxPool{}, {b.Add(graph::Concat{}, {one, two})})});
  EXPECT_EQ(Ops(graph::PoolBeforeConcat(b.graph)), Ops(b.graph));
}

}  // namespace
}  // namespace cosim::network
