// SPDX-License-Identifier: Apache-2.0
// Fusion patterns, and what keeps operations apart.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "compiler/network/epilogue.h"
#include "compiler/network/group.h"
#include "tests/network_unit/testing.h"

namespace cosim::network {
namespace {

using graph::ValueId;

// "conv2d+bias_add+requantize | max_pool"
std::string Fused(const graph::Graph& graph, const FuseOptions& options = {}) {
  std::string text;
  for (const Group& group : Fuse(graph, options)) {
    std::string ops;
    for (ValueId id : group.nodes)
      ops += (ops.empty() ? "" : "+") + std::string(graph::Mnemonic(graph.node(id).op));
    text += (text.empty() ? "" : " | ") + ops;
  }
  return text;
}

std::string Fused(const GraphBuilder& b, std::vector<ValueId> outputs, const FuseOptions& options = {}) {
  graph::Graph graph = b.graph;
  graph.SetOutputs(std::move(outputs));
  return Fused(graph, options);
}

ValueId Conv(GraphBuilder& b, ValueId x) { return b.Conv(x, 4, {}, 1, 1, false); }

TEST(Fuse, ConvolutionTakesBiasRequantizationAndClip) {
  GraphBuilder b;
  const ValueId y = b.Add(graph::Clip{0, 100}, {Conv(b, b.Input({1, 4, 5, 5}))});
  EXPECT_EQ(Fused(b, {y}), "conv2d+bias_add+requantize+clip");
  EXPECT_EQ(Fused(b, {y}, {true}), "conv2d+bias_add+requantize | clip");
}

TEST(Fuse, AnAddJoinsTheLaterOfItsConvolutionsWhicheverSideItIs) {
  for (bool swap : {false, true}) {
    GraphBuilder b;
    const ValueId x = b.Input({1, 4, 5, 5}), one = Conv(b, x), two = Conv(b, one);
    const ValueId sum = b.Add(graph::QAdd{}, swap ? std::vector{two, x} : std::vector{x, two});
    b.graph.SetOutputs({b.Add(graph::Clip{0, 127}, {sum})});
    const auto groups = Fuse(b.graph, {});
    ASSERT_EQ(groups.size(), 2u);
    EXPECT_EQ(groups[1].nodes.size(), 5u);
    EXPECT_EQ(ResidualOf(b.graph, groups[1]), x);
    const Epilogue epilogue = EpilogueOf(b.graph, groups[1]);
    ASSERT_EQ(epilogue.steps.size(), 4u);
    EXPECT_EQ(epilogue.steps[2].from, swap ? 0 : 1) << "which operand of the add the convolution is";
    EXPECT_EQ(epilogue.type, tir::DataType::Int(32));
  }
}

TEST(Fuse, AnAddOfTwoConvolutionsJoinsOnlyOne) {
  GraphBuilder b;
  const ValueId x = b.Input({1, 4, 5, 5});
  const ValueId left = Conv(b, x), right = Conv(b, x);
  EXPECT_EQ(Fused(b, {b.Add(graph::QAdd{}, {left, right})}),
            "conv2d+bias_add+requantize | conv2d+bias_add+requantize+qadd");
}

TEST(Fuse, GroupsComeAfterWhatTheyRead) {
  GraphBuilder b;
  const ValueId x = b.Input({1, 4, 5, 5});
  const ValueId left = Conv(b, x), right = Conv(b, Conv(b, x));
  b.graph.SetOutputs({b.Add(graph::QAdd{}, {left, right})});
  std::set<ValueId> done = {x};
  for (const Group& group : Fuse(b.graph, {})) {
    for (ValueId id : group.nodes)
      for (ValueId input : b.graph.node(id).inputs)
        EXPECT_TRUE(done.count(input) || b.graph.node(input).As<graph::Constant>() ||
                    std::count(group.nodes.begin(), group.nodes.end(), input));
    done.insert(group.nodes.begin(), group.nodes.end());
  }
  EXPECT_EQ(done.size(), 1 + 3 * 3 + 1u);
}

TEST(Fuse, AValueUsedTwiceEndsItsGroup) {
  GraphBuilder b;
  const ValueId y = Conv(b, b.Input({1, 4, 5, 5}));
  const ValueId clip = b.Add(graph::Clip{0, 100}, {y}), pool = b.Add(graph::MaxPool{}, {y});
  EXPECT_EQ(Fused(b, {clip, pool}), "conv2d+bias_add+requantize | clip | max_pool");
}

TEST(Fuse, AMaxPoolJoinsTheConvolutionBeforeIt) {
  GraphBuilder b;
  const ValueId clip = b.Add(graph::Clip{0, 100}, {Conv(b, b.Input({1, 4, 5, 5}))});
  const ValueId pool = b.Add(graph::MaxPool{{2, 2}, {2, 2}}, {clip});
  const ValueId last = b.Add(graph::Clip{3, 90}, {pool});
  EXPECT_EQ(Fused(b, {last}), "conv2d+bias_add+requantize+clip+max_pool+clip");
  EXPECT_EQ(Fused(b, {last}, {true}), "conv2d+bias_add+requantize | clip | max_pool | clip");
  EXPECT_EQ(Fused(b, {clip, last}), "conv2d+bias_add+requantize+clip | max_pool+clip") << "read twice";
  const auto groups = Fuse(b.graph, {});
  const auto parts = SplitBehindRequantization(b.graph, groups.at(0));
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[1].kind, GroupKind::kMaxPool);
  EXPECT_EQ(parts[1].nodes, (std::vector{pool, last}));
  EXPECT_EQ(PoolBehind(b.graph, parts[0]), nullptr);
  ASSERT_NE(PoolBehind(b.graph, groups[0]), nullptr);
  EXPECT_EQ(EpilogueOf(b.graph, groups[0]).steps.size(), 4u) << "bias, requantization and two clips";
}

TEST(Fuse, WhereResultsStandJoinsTheConvolutionBeforeIt) {
  GraphBuilder b;
  const ValueId y = Conv(b, b.Input({1, 4, 5, 5}));
  const ValueId apart = b.Add(graph::DepthToSpace{{2, 2}}, {y});
  const ValueId larger = b.Add(graph::ResizeNearest{{2, 3}}, {apart});
  EXPECT_EQ(Fused(b, {larger}), "conv2d+bias_add+requantize+depth_to_space | resize_nearest");
  EXPECT_EQ(Fused(b, {apart, larger}), "conv2d+bias_add+requantize+depth_to_space | resize_nearest");
  EXPECT_EQ(Fused(b, {larger}, {true}), "conv2d+bias_add+requantize | depth_to_space | resize_nearest");
  const auto groups = Fuse(b.graph, {});
  EXPECT_EQ(SpreadIn(b.graph, groups.at(0)), &b.graph.node(apart));
  EXPECT_EQ(EpilogueOf(b.graph, groups[0]).steps.size(), 2u) << "bias and requantization";
  EXPECT_EQ(groups.at(1).kind, GroupKind::kElementwise);
  const auto parts = SplitBehindRequantization(b.graph, groups[0]);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(SpreadIn(b.graph, parts[0]), nullptr);
  EXPECT_EQ(parts[1].kind, GroupKind::kElementwise);
  EXPECT_EQ(parts[1].nodes, std::vector{apart});
}

TEST(Fuse, AMaxPoolStaysApartBehindAnythingElse) {
  GraphBuilder b;
  const ValueId y = Conv(b, b.Input({1, 4, 5, 5})), r = b.Input({1, 4, 5, 5}, "r");
  const ValueId sum = b.Add(graph::QAdd{}, {y, r});
  EXPECT_EQ(Fused(b, {b.Add(graph::MaxPool{}, {sum})}), "conv2d+bias_add+requantize+qadd | max_pool");
}

TEST(Fuse, AnAddOfAValueToItselfStaysApart) {
  GraphBuilder b;
  const ValueId y = Conv(b, b.Input({1, 4, 5, 5}));
  EXPECT_EQ(Fused(b, {b.Add(graph::QAdd{}, {y, y})}), "conv2d+bias_add+requantize | qadd");
}

TEST(Fuse, AnOutputInTheMiddleEndsItsGroup) {
  GraphBuilder b;
  const ValueId y = Conv(b, b.Input({1, 4, 5, 5}));
  const ValueId clip = b.Add(graph::Clip{0, 100}, {y});
  EXPECT_EQ(Fused(b, {y, clip}), "conv2d+bias_add+requantize | clip");
}

TEST(Fuse, FloatsTakeWhatFollowsElementByElement) {
  graph::Graph graph("floats");
  const auto float32 = [](graph::Shape shape) { return graph::TensorType{graph::DType::kFloat32, shape}; };
  const ValueId x = graph.AddInput("x", float32({1, 4, 5, 5}));
  const ValueId weights = graph.AddConstant("w", graph::Tensor(float32({4, 4, 1, 1})));
  const ValueId bias = graph.AddConstant("b", graph::Tensor(float32({4})));
  const ValueId conv = graph.Add("conv", graph::Conv2d{}, {x, weights});
  const ValueId biased = graph.Add("biased", graph::BiasAdd{}, {conv, bias});
  const ValueId sum = graph.Add("sum", graph::Add{}, {x, biased});
  const ValueId relu = graph.Add("relu", graph::Relu{}, {sum});
  graph.SetOutputs({graph.Add("pool", graph::GlobalAvgPool{}, {relu})});
  EXPECT_EQ(Fused(graph), "conv2d+bias_add+add+relu | global_avg_pool");
  EXPECT_EQ(Fused(graph, {true}), "conv2d | bias_add | add | relu | global_avg_pool");
  graph.SetOutputs({biased, relu});
  EXPECT_EQ(Fused(graph), "conv2d+bias_add | add+relu | global_avg_pool");
}

/// x a value of 6 features and what `make` makes of it, the last of which is the output.
std::string FusedBehindGelu(const std::function<ValueId(graph::Graph&, ValueId x)>& make) {
  graph::Graph graph("forks");
  const graph::TensorType type{graph::DType::kFloat32, {1, 6, 1, 1}};
  const ValueId x = graph.Add("gelu", graph::Gelu{}, {graph.AddInput("x", type)});
  graph.SetOutputs({make(graph, x)});
  return Fused(graph);
}

TEST(Fuse, FloatsTakeForksThatJoinAgain) {
  EXPECT_EQ(FusedBehindGelu([](graph::Graph& graph, ValueId x) {
              const ValueId half = graph.Add("relu", graph::Relu{}, {x});
              const ValueId sum = graph.Add("sum", graph::Add{}, {half, x});
              return graph.Add("end", graph::Relu{}, {graph.Add("product", graph::Mul{}, {sum, half})});
            }),
            "gelu+relu+add+mul+relu");
  EXPECT_EQ(FusedBehindGelu(
                [](graph::Graph& graph, ValueId x) { return graph.Add("twice", graph::Add{}, {x, x}); }),
            "gelu+add");
}

TEST(Fuse, ForksThatGoElsewhereEndAGroup) {
  // The other operand comes of x by what is no element of it.
  EXPECT_EQ(FusedBehindGelu([](graph::Graph& graph, ValueId x) {
              const ValueId pool = graph.Add("pool", graph::GlobalAvgPool{}, {x});
              return graph.Add("sum", graph::Add{}, {x, pool});
            }),
            "gelu | global_avg_pool+add");
  // A value between is an output.
  graph::Graph graph("outputs");
  const ValueId x = graph.AddInput("x", {graph::DType::kFloat32, {1, 6, 1, 1}});
  const ValueId gelu = graph.Add("gelu", graph::Gelu{}, {x}), relu = graph.Add("relu", graph::Relu{}, {gelu});
  graph.SetOutputs({relu, graph.Add("sum", graph::Add{}, {gelu, relu})});
  EXPECT_EQ(Fused(graph), "gelu | relu | add");
}

TEST(Fuse, SplittingAtTheAddKeepsTheClipsWhereTheyStand) {
  GraphBuilder b;
  const ValueId x = b.Input({1, 4, 5, 5});
  const ValueId first = b.Add(graph::Clip{-7, 100}, {Conv(b, x)});
  b.graph.SetOutputs({b.Add(graph::Clip{0, 50}, {b.Add(graph::QAdd{}, {x, first})})});
  const auto groups = Fuse(b.graph, {});
  ASSERT_EQ(groups.size(), 1u);
  const auto parts = SplitBehindRequantization(b.graph, groups[0]);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].result(), first);
  EXPECT_EQ(ResidualOf(b.graph, parts[0]), std::nullopt);
  EXPECT_EQ(parts[1].kind, GroupKind::kElementwise);
  EXPECT_EQ(ResidualOf(b.graph, parts[1]), first);
  EXPECT_EQ(EpilogueOf(b.graph, parts[1]).steps.size(), 2u);
  EXPECT_TRUE(SplitBehindRequantization(b.graph, parts[0]).empty());
}

}  // namespace
}  // namespace cosim::network
