// SPDX-License-Identifier: Apache-2.0
// Padding by the nearest elements: loads repeat them, for a kernel that does nothing else and for
// convolutions.
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/cpu/jit.h"
#include "compiler/network/compile.h"
#include "tests/network_unit/golden_group.h"
#include "tests/sanitized.h"

namespace cosim::network {
namespace {

using graph::ValueId;

std::vector<isa::Override> Square(const char* block, const char* taps) {
  return {{"parameters.block_in", block}, {"parameters.block_out", block}, {"parameters.taps", taps}};
}

graph::Pad EdgeOf(GraphBuilder& b, int64_t most) {
  return {.pad = {b.Pick(0, most), b.Pick(0, most), b.Pick(0, most), b.Pick(1, most)}, .edge = true};
}

TEST(Edge, FramesRunAsTheGoldenModelSays) {
  for (const auto& array : {std::vector<isa::Override>{}, Square("4", "2"), Square("8", "3")}) {
    const auto spec = Load("cosim", array);
    for (int seed = 1; seed <= Cases(6); ++seed) {
      SCOPED_TRACE(seed);
      GraphBuilder b(seed);
      const ValueId x = b.Input({b.Pick(1, 2), b.Pick(1, 20), b.Pick(1, 9), b.Pick(1, 9)});
      EXPECT_TRUE(RunsAsGolden(spec, b, b.Add(EdgeOf(b, 4), {x})));
    }
  }
}

// Dense convolutions, depthwise ones along rows and lane by lane.
TEST(Edge, ConvolutionsBehindItReadWhatItReads) {
  const std::vector<isa::Spec> specs = {Load("cosim"), Load("cosim", Square("8", "3")),
                                        Load("cosim", Square("4", "2")), Load("", {}, "test/lanes16.yaml")};
  for (const isa::Spec& spec : specs) {
    int ran = 0;
    for (int seed = 1; seed <= Cases(10); ++seed) {
      SCOPED_TRACE(::testing::Message() << spec.config << " " << spec.isa << ", seed " << seed);
      GraphBuilder b(seed);
      const bool depthwise = seed % 2 == 0;
      const int64_t channels = b.Pick(6, 20), kernel = b.Pick(1, 3);
      graph::Conv2d conv;
      conv.groups = depthwise ? channels : 1;
      conv.stride = {b.Pick(1, 2), b.Pick(1, 2)};
      conv.dilation = {b.Pick(1, 2), 1};
      conv.input_zero_point = static_cast<int32_t>(b.Pick(-9, 9));
      const ValueId x = b.Input({b.Pick(1, 2), channels, b.Pick(5, 11), b.Pick(5, 11)});
      const ValueId edge = b.Add(EdgeOf(b, 3), {x});
      b.graph.SetOutputs({b.Conv(edge, depthwise ? channels : b.Pick(1, 20), conv, kernel, kernel, false)});
      const auto groups = Fuse(b.graph, {});
      ASSERT_EQ(groups.size(), 2u);
      GroupLowering lowering(spec, b.graph, {});
      std::string reason;
      const auto lowered = lowering.Lower(groups[1], reason);
      if (!lowered || lowered->input_layout.kind != Layout::Kind::kBlocked) continue;
      EXPECT_EQ(lowered->input, x);
      ran += RunsAsGolden(spec, b, groups[1], {});
    }
    EXPECT_GE(2 * ran, Cases(10));
  }
}

// Where nothing else reads it, no layer is left of it.
TEST(Edge, IsALayerOnlyWhereSomethingElseReadsIt) {
  const auto spec = Load("cosim", Square("8", "3"));
  for (const bool shown : {false, true}) {
    GraphBuilder b;
    const ValueId edge = b.Add(graph::Pad{.pad = {1, 1, 1, 1}, .edge = true}, {b.Input({1, 16, 6, 6})});
    const ValueId y = b.Conv(edge, 16, {.groups = 16}, 3, 3, false);
    b.graph.SetOutputs(shown ? std::vector{edge, y} : std::vector{y});
    cpu::JitCompiler cpu;
    const auto network = Compile(b.graph, spec, {.timing_only = true, .after_pass = {}}, cpu);
    const auto is_pad = [](const runtime::Layer& layer) { return layer.op == "pad"; };
    EXPECT_EQ(std::ranges::count_if(network.layers, is_pad), shown ? 1 : 0);
    for (const runtime::Layer& layer : network.layers)
      if (is_pad(layer)) EXPECT_TRUE(layer.on_accelerator) << layer.reason;
  }
}

}  // namespace
}  // namespace cosim::network
