// SPDX-License-Identifier: Apache-2.0
// Residual adds and max pools stand where they take fewer cycles: in the convolution's kernel, or in one of
// their own.
#include <gmock/gmock.h>

#include <regex>

#include "compiler/cpu/jit.h"
#include "compiler/network/compile.h"
#include "compiler/network/lower_group.h"
#include "compiler/network/measure.h"
#include "tests/network_unit/testing.h"

namespace cosim::network {
namespace {

using graph::ValueId;
using runtime::Cycle;

/// A convolution of a square image and a value added to it.
struct Residual {
  Residual(int64_t channels, int64_t size) {
    const ValueId x = b.Input({1, channels, size, size}), r = b.Input({1, channels, size, size}, "r");
    const ValueId y = b.Conv(x, channels, {.pad = {1, 1, 1, 1}}, 3, 3, false);
    b.graph.SetOutputs({b.Add(graph::QAdd{{3, 77, 6}, {-4, 90, 7}, 5}, {y, r})});
    whole = Fuse(b.graph, {}).at(0);
    parts = SplitBehindRequantization(b.graph, whole);
  }
  GraphBuilder b;
  Group whole;
  std::vector<Group> parts;
};

/// A convolution and a pool of its results.
struct Pooled {
  Pooled(int64_t channels, int64_t kernel) {
    const ValueId y = b.Conv(b.Input({1, 32, 28, 28}), channels, {.pad = {1, 1, 1, 1}}, 3, 3, false);
    b.graph.SetOutputs({b.Add(graph::MaxPool{{kernel, kernel}, {2, 2}, {}}, {y})});
    whole = Fuse(b.graph, {}).at(0);
    parts = SplitBehindRequantization(b.graph, whole);
  }
  GraphBuilder b;
  Group whole;
  std::vector<Group> parts;
};

Cycle CyclesOf(const isa::Spec& spec, const graph::Graph& graph, const std::vector<Group>& groups) {
  GroupLowering lowering(spec, graph, {.timing_only = true, .after_pass = {}});
  std::vector<accel::Kernel> kernels;
  for (const Group& group : groups) {
    std::string reason;
    const auto lowered = lowering.Lower(group, reason);
    EXPECT_TRUE(lowered) << reason;
    if (lowered) kernels.push_back(lowered->kernel);
  }
  std::vector<const accel::Kernel*> row;
  for (const accel::Kernel& kernel : kernels) row.push_back(&kernel);
  return CyclesInARow(spec, row).value();
}

TEST(ChooseFusion, TakesWhatTakesFewerCycles) {
  int together = 0, apart = 0;
  for (const char* config : {"pynq.yaml", "test/lanes16.yaml", "test/rows.yaml"}) {
    const auto spec = Load("", {}, config);
    for (const auto& [channels, size] : {std::pair<int64_t, int64_t>{64, 56}, {256, 14}}) {
      SCOPED_TRACE(::testing::Message() << config << ", " << size);
      Residual residual(channels, size);
      const Cycle one = CyclesOf(spec, residual.b.graph, {residual.whole}),
                  two = CyclesOf(spec, residual.b.graph, residual.parts);
      GroupLowering lowering(spec, residual.b.graph, {});
      std::string why;
      EXPECT_EQ(lowering.QuickerApart(residual.whole, residual.parts, nullptr, why), two < one)
          << one << " " << two;
      if (two < one) {
        std::smatch more;
        ASSERT_TRUE(std::regex_search(why, more, std::regex(" takes ([0-9]+) cycles more"))) << why;
        EXPECT_GE(std::stoll(more[1]), one - two) << "the two may take turns";
      }
      ++(two < one ? apart : together);
    }
  }
  EXPECT_GE(together, 2);
  EXPECT_GE(apart, 2);
}

TEST(ChooseFusion, PoolsStandWhereTheyTakeFewerCycles) {
  const auto spec = Load("", {}, "pynq.yaml");
  int together = 0;
  for (const auto& [channels, kernel] : {std::pair<int64_t, int64_t>{16, 2}, {64, 3}}) {
    SCOPED_TRACE(kernel);
    const Pooled pooled(channels, kernel);
    GroupLowering lowering(spec, pooled.b.graph, {});
    std::string why;
    const bool apart = lowering.QuickerApart(pooled.whole, pooled.parts, nullptr, why);
    EXPECT_THAT(why, ::testing::ContainsRegex("the max_pool.* takes [0-9]+ cycles more"));
    const Cycle one = CyclesOf(spec, pooled.b.graph, {pooled.whole}),
                two = CyclesOf(spec, pooled.b.graph, pooled.parts);
    EXPECT_EQ(apart, two < one) << one << " " << two;
    together += !apart;
  }
  EXPECT_GT(together, 0);
}

// ResNet-18's begin, a quarter as large: by itself the pool takes few cycles more, in which the array waits.
TEST(ChooseFusion, WhatIsBehindAPoolHasAWord) {
  const auto spec =
      Load("", {{"parameters.acc_bytes", "262144"}, {"parameters.alu_lanes", "8"}}, "ultra96.yaml");
  GraphBuilder b;
  const ValueId y =
      b.Conv(b.Input({1, 3, 112, 112}), 64, {.stride = {2, 2}, .pad = {3, 3, 3, 3}}, 7, 7, false);
  const ValueId pool = b.Add(graph::MaxPool{{3, 3}, {2, 2}, {1, 1, 1, 1}}, {y});
  b.graph.SetOutputs({b.Conv(pool, 64, {.pad = {1, 1, 1, 1}}, 3, 3, false)});
  const std::vector<Group> groups = Fuse(b.graph, {});
  ASSERT_EQ(groups.size(), 2u);
  const std::vector<Group> parts = SplitBehindRequantization(b.graph, groups[0]);
  std::string why;
  EXPECT_TRUE(GroupLowering(spec, b.graph, {}).QuickerApart(groups[0], parts, nullptr, why)) << why;
  EXPECT_FALSE(GroupLowering(spec, b.graph, {}).QuickerApart(groups[0], parts, &groups[1], why)) << why;
}

TEST(ChooseFusion, LayersSayWhatWasMeasured) {
  const auto spec = Load("", {}, "test/lanes16.yaml");
  Residual residual(64, 56);
  cpu::JitCompiler cpu;
  const auto network = Compile(residual.b.graph, spec, {.timing_only = true, .after_pass = {}}, cpu);
  std::vector<std::string> ops;
  for (const auto& layer : network.layers) {
    if (!layer.on_accelerator) continue;
    ops.push_back(layer.op);
    EXPECT_THAT(layer.reason, ::testing::StartsWith("the add by itself: one kernel for both takes "))
        << layer.op;
  }
  EXPECT_THAT(ops, ::testing::ElementsAre("conv2d+bias_add+requantize", "qadd"));
}

// A measurement leaves nothing behind: the same layers get the same tiles with it and without.
TEST(ChooseFusion, AMeasurementChangesNoTile) {
  const auto spec = Load("", {}, "pynq.yaml");
  const Pooled pooled(16, 2);
  std::string why, reason;
  GroupLowering measured(spec, pooled.b.graph, {}), plain(spec, pooled.b.graph, {});
  EXPECT_FALSE(measured.QuickerApart(pooled.whole, pooled.parts, nullptr, why));
  EXPECT_NE(why, "");
  const auto a = measured.Lower(pooled.whole, reason), b = plain.Lower(pooled.whole, reason);
  ASSERT_TRUE(a && b) << reason;
  EXPECT_EQ(a->tile, b->tile);
  EXPECT_EQ(accel::ToString(a->kernel), accel::ToString(b->kernel));
}

}  // namespace
}  // namespace cosim::network
