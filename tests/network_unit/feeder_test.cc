// SPDX-License-Identifier: Apache-2.0
// Two convolutions as one kernel, the value between them on chip, with random schedules, against the golden
// model; and which convolutions become one.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/network_unit/golden_group.h"

namespace cosim::network {
namespace {

using graph::ValueId;

/// A convolution that keeps its channels, as wide as the instruction along rows has taps, and a 1x1 behind
/// it.
ValueId AddPair(GraphBuilder& b, int64_t taps) {
  graph::Conv2d first;
  first.groups = b.Pick(2, 40);
  first.stride = {b.Pick(1, 2), b.Pick(1, 2)};
  first.pad = {b.Pick(0, 2), b.Pick(0, taps - 1), b.Pick(0, 2), b.Pick(0, taps - 1)};
  first.input_zero_point = static_cast<int32_t>(b.Pick(-9, 9));
  b.wide_weights = b.Pick(0, 3) == 0;
  const ValueId x = b.Input({1, first.groups, b.Pick(5, 14), b.Pick(5, 14)});
  ValueId between = b.Conv(x, first.groups, first, 3, taps, false);
  if (b.Pick(0, 1)) between = b.Add(graph::Clip{-90, 100}, {between});
  ValueId y = b.Conv(between, b.Pick(1, 40), {}, 1, 1, false);
  if (b.Pick(0, 1)) y = b.Add(graph::Clip{-100, 90}, {y});
  if (b.Pick(0, 2) == 0) y = b.Add(graph::QAdd{}, {y, b.Input(b.graph.node(y).type.shape, "residual")});
  return y;
}

std::optional<Group> FedGroup(const graph::Graph& graph) {
  const auto groups = Fuse(graph, {});
  return Feed(graph, groups[0], groups[1]);
}

TEST(Feeder, WhatStaysOnChipIsWhatTheGoldenModelSays) {
  const std::vector<std::vector<isa::Override>> specs = {
      {{"parameters.block_in", "8"}, {"parameters.block_out", "8"}},
      {{"parameters.block_in", "16"}, {"parameters.block_out", "16"}, {"parameters.inp_banks", "2"}},
      {{"parameters.block_in", "8"},
       {"parameters.block_out", "8"},
       {"parameters.acc_banks", "1"},
       {"parameters.inp_banks", "1"}}};
  for (size_t s = 0; s < specs.size(); ++s) {
    const auto spec = Load(s == 1 ? "cosim" : "test/feeds", specs[s]);
    const std::string writes_activations = "alu " + std::to_string(spec.AluOpIndex("requant_inp")) + " ";
    int ran = 0, in_parts = 0;
    for (uint32_t seed = 1; seed <= 30; ++seed) {
      SCOPED_TRACE(::testing::Message() << "spec " << s << ", seed " << seed);
      GraphBuilder b(seed);
      b.graph.SetOutputs({AddPair(b, spec.Param("taps"))});
      const auto group = FedGroup(b.graph);
      ASSERT_TRUE(group);
      const LowerOptions options{.virtual_threads = static_cast<int>(b.Pick(1, 3)), .after_pass = {}};
      const GroupLowering lowering(spec, b.graph, options);
      ASSERT_TRUE(lowering.CanFeed());
      const auto space = lowering.SpaceOf(*group, options.virtual_threads, 10'000).tiles;
      if (space.empty()) continue;
      const Tile tile = space[b.Pick(0, std::ssize(space) - 1)].tile;
      const LoweredTile made = lowering.LowerAs(*group, tile);
      if (!made.refusal.empty()) continue;
      EXPECT_NE(ToString(made.kernel).find(writes_activations), std::string::npos) << ToString(made.kernel);
      const TunedTiles tuned = {{{group->name, lowering.WorkloadOf(*group)}, tile}};
      const bool runs = RunsAsGolden(spec, b, *group, {.after_pass = {}, .tuned = &tuned});
      ran += runs;
      in_parts += runs && b.wide_weights;
    }
    EXPECT_GT(ran, 20) << "spec " << s;
    EXPECT_GT(in_parts, 3) << "spec " << s;
  }
}

TEST(Feeder, OnlyWhatOneConvolutionReadsStaysOnChip) {
  graph::Conv2d depthwise, strided;
  depthwise.groups = 8;
  strided.stride = {2, 2};
  const auto fed = [&](bool read_twice, bool is_output, const graph::Conv2d& second, int64_t kernel) {
    GraphBuilder b;
    const ValueId between = b.Conv(b.Input({1, 8, 9, 9}), 8, depthwise, 3, 3, false);
    std::vector<ValueId> outputs = {b.Conv(between, 8, second, kernel, kernel, false)};
    if (read_twice) outputs.push_back(b.Conv(between, 8, {}, 1, 1, false));
    if (is_output) outputs.push_back(between);
    b.graph.SetOutputs(outputs);
    return FedGroup(b.graph).has_value();
  };
  EXPECT_TRUE(fed(false, false, {}, 1));
  EXPECT_FALSE(fed(true, false, {}, 1));
  EXPECT_FALSE(fed(false, true, {}, 1));
  EXPECT_FALSE(fed(false, false, strided, 1));
  EXPECT_FALSE(fed(false, false, {}, 3));
}

TEST(Feeder, HasTheNodesAndTheNamesOfBoth) {
  GraphBuilder b;
  graph::Conv2d depthwise;
  depthwise.groups = 8;
  b.graph.SetOutputs({b.Conv(b.Conv(b.Input({1, 8, 9, 9}), 8, depthwise, 3, 3, false), 8, {}, 1, 1, false)});
  const auto apart = Fuse(b.graph, {});
  const auto together = FedGroup(b.graph);
  ASSERT_TRUE(together);
  EXPECT_EQ(together->name, apart[0].name + "+" + apart[1].name);
  EXPECT_EQ(together->feeder, apart[0].nodes);
  EXPECT_EQ(together->nodes, apart[1].nodes);
}

TEST(Feeder, AnAluThatWritesNoActivationsFeedsNothing) {
  GraphBuilder b;
  EXPECT_FALSE(GroupLowering(Load("vta"), b.graph, {}).CanFeed());
  EXPECT_TRUE(GroupLowering(Load("cosim"), b.graph, {}).CanFeed());
  for (const char* isa : {"cosim", "test/feeds"}) {
    const auto unlike = Load(isa, {{"parameters.block_in", "4"}, {"parameters.block_out", "8"}});
    EXPECT_FALSE(GroupLowering(unlike, b.graph, {}).CanFeed()) << isa << ": its blocks differ";
  }
  EXPECT_FALSE(GroupLowering(Load("cosim", {{"parameters.inp_bits", "4"}}), b.graph, {}).CanFeed())
      << "a load writes no half bytes beside an ALU of fewer lanes";
}

}  // namespace
}  // namespace cosim::network
