// SPDX-License-Identifier: Apache-2.0
// Residual adds and max pools stand where they take fewer cycles: in the convolution's kernel, or in one of
// their own.
#include <gmock/gmock.h>

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

// Too large for a row, and so measured alone, if at all.
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
      EXPECT_EQ(lowering.QuickerApart(residual.whole, residual.parts, why), two < one) << one << " " << two;
      if (two < one) {
        EXPECT_THAT(why, ::testing::HasSubstr(" takes " + std::to_string(one - two) + " cycles more"));
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
    GraphBuilder b;
    const ValueId y = b.Conv(b.Input({1, 32, 28, 28}), channels, {.pad = {1, 1, 1, 1}}, 3, 3, false);
    b.graph.SetOutputs({b.Add(graph::MaxPool{{kernel, kernel}, {2, 2}, {}}, {y})});
    const Group whole = Fuse(b.graph, {}).at(0);
    const std::vector<Group> parts = SplitBehindRequantization(b.graph, whole);
    GroupLowering lowering(spec, b.graph, {});
    std::string why;
    const bool apart = lowering.QuickerApart(whole, parts, why);
    EXPECT_THAT(why, ::testing::ContainsRegex("the max_pool.* takes [0-9]+ cycles more"));
    const Cycle one = CyclesOf(spec, b.graph, {whole}), two = CyclesOf(spec, b.graph, parts);
    EXPECT_EQ(apart, two < one) << one << " " << two;
    together += !apart;
  }
  EXPECT_GT(together, 0);
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
  const auto spec = Load("", {}, "test/rows.yaml");
  Residual residual(128, 28);
  std::string why, reason;
  GroupLowering measured(spec, residual.b.graph, {}), plain(spec, residual.b.graph, {});
  EXPECT_FALSE(measured.QuickerApart(residual.whole, residual.parts, why));
  EXPECT_NE(why, "");
  const auto a = measured.Lower(residual.whole, reason), b = plain.Lower(residual.whole, reason);
  ASSERT_TRUE(a && b) << reason;
  EXPECT_EQ(a->tile, b->tile);
  EXPECT_EQ(accel::ToString(a->kernel), accel::ToString(b->kernel));
}

}  // namespace
}  // namespace cosim::network
