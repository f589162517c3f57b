// SPDX-License-Identifier: Apache-2.0
// Units and instructions that an ISA gets by edits of its YAML: a second gemm unit, products lane by lane.
// Cycles and instructions show that they are used.
#include "tests/network_fuzz/isa_variants.h"

namespace cosim::testing {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(TwoUnits, ShareALayerThatTheArrayBounds) {
  const graph::Graph graph = ResidualBlock(32, 14);
  const Ran one = RunVariant(SpecAfter({}, Roomy(4)), graph);
  ExpectExact(one);
  for (const Edits& edits : {SecondUnit(), SecondUnitWithWeights()}) {
    const Ran two = RunVariant(SpecAfter(edits, Roomy(4)), graph);
    ExpectExact(two);
    EXPECT_LE(10 * two.cycles, 6 * one.cycles) << one.cycles << " by one unit, " << two.cycles << " by two";
    EXPECT_GT(two.Count("gemm"), 0);
    EXPECT_GT(two.Count("gemm2"), 0);
    EXPECT_THAT(two.warnings, Not(HasSubstr("unit")));
    EXPECT_THAT(two.warnings, Not(HasSubstr("intrinsic")));
    RecordProperty("one", std::to_string(one.cycles));
    RecordProperty("two", std::to_string(two.cycles));
  }
}

// On small buffers everything is tiled, and threads come out uneven.
TEST(TwoUnits, StayExactWhereMemoryIsShort) {
  for (const Edits& edits : {SecondUnit(), SecondUnitWithWeights()})
    for (const int64_t size : {5, 9}) ExpectExact(RunVariant(SpecAfter(edits, {}), ResidualBlock(12, size)));
}

TEST(TwoUnits, ShareMatricesOfActivationsToo) {
  GraphBuilder b;
  const auto x = b.Input({1, 12, 8, 5});
  const auto product = b.Add(graph::MatMul{}, {x, b.Input({1, 12, 8, 5}, "y")});
  b.graph.SetOutputs(
      {b.Add(graph::Requantize{.multiplier = {1 << 30}, .shift = {40}, .zero_point = 0}, {product})});
  for (const Edits& edits : {SecondUnit(), SecondUnitWithWeights()})
    ExpectExact(RunVariant(SpecAfter(edits, Roomy(4)), b.graph));
}

TEST(TwoUnits, AnOrderThatNoQueueGivesIsNamed) {
  const Ran ran = RunVariant(
      SpecAfter(Join({SecondUnit(), {"drop:queues/load_to_gemm2", "drop:queues/alu_to_gemm2"}}), {}),
      ResidualBlock(8, 5));
  EXPECT_THAT(ran.reasons, Each("no chain of queues leads from unit 'load' to unit 'gemm2'"));
  EXPECT_FALSE(ran.reasons.empty());
  EXPECT_EQ(ran.fault, "");
}

TEST(Lanes, ADepthwiseConvolutionTakesThemAndFewerCycles) {
  const graph::Graph graph = Depthwise(256, 5);
  auto without_rows = Roomy(16);
  without_rows.push_back({"parameters.taps", "0"});
  const Ran dense = RunVariant(SpecAfter({}, without_rows), graph);
  ExpectExact(dense);
  const Ran rows = RunVariant(SpecAfter(LaneInstruction(), Roomy(16)), graph);
  ExpectExact(rows);
  EXPECT_GT(rows.Count("gemm_rows"), 0);
  for (const Edits& edits : {LaneUnit(), LaneInstruction()}) {
    const Ran lanes = RunVariant(SpecAfter(edits, without_rows), graph);
    ExpectExact(lanes);
    EXPECT_LT(rows.cycles, lanes.cycles);
    EXPECT_GT(lanes.Count("mac"), 0);
    EXPECT_EQ(lanes.Count("gemm"), 0);
    EXPECT_LT(lanes.cycles, dense.cycles);
    RecordProperty("dense", std::to_string(dense.cycles));
    RecordProperty("lanes", std::to_string(lanes.cycles));
  }
}

// The dense array takes groups together until they fill blocks, or all of them.
TEST(Lanes, HalveWhatDoesNotFillBlocks) {
  const Ran dense = RunVariant(SpecAfter({}, {}), Depthwise(6, 9));
  const Ran lanes = RunVariant(SpecAfter(LaneUnit(), {}), Depthwise(6, 9));
  ExpectExact(lanes);
  EXPECT_LT(10 * lanes.cycles, 6 * dense.cycles);
  RecordProperty("dense", std::to_string(dense.cycles));
  RecordProperty("lanes", std::to_string(lanes.cycles));
}

TEST(Lanes, AreExactForOddShapes) {
  for (const int64_t channels : {6, 10})
    for (const int64_t stride : {1, 2}) {
      const Ran ran = RunVariant(SpecAfter(LaneUnit(), {}), Depthwise(channels, 9, stride));
      ExpectExact(ran);
      EXPECT_GT(ran.Count("mac"), 0);
    }
  ExpectExact(RunVariant(SpecAfter(LaneUnit(), {{"parameters.batch", "2"}}), Depthwise(8, 6)));
}

// Weights that its lanes do not hold, and convolutions of another shape, are the dense array's.
TEST(Lanes, WhatTheyCannotDoIsTheArrays) {
  GraphBuilder b;
  graph::Conv2d attributes{.pad = {1, 1, 1, 1}};
  attributes.groups = 4;
  b.graph.SetOutputs({b.Conv(b.Input({1, 8, 6, 6}), 8, attributes, 3, 3, false)});
  const Ran grouped = RunVariant(SpecAfter(LaneUnit(), {}), b.graph);
  ExpectExact(grouped);
  EXPECT_EQ(grouped.Count("mac"), 0);
  const Ran narrow =
      RunVariant(SpecAfter(Join({LaneUnit(), {"set:memories/dw/type=int(4)"}}), {}), Depthwise(8, 6));
  ExpectExact(narrow);
  EXPECT_EQ(narrow.Count("mac"), 0);
}

// One build of the RTL for a second unit and for lanes.
TEST(UnitsOnTheRtl, AreTheModels) {
  const isa::Spec spec = SpecAfter(Join({SecondUnit(), LaneUnit()}), Roomy(4));
  GraphBuilder b;
  const graph::Conv2d attributes{.pad = {1, 1, 1, 1}};
  graph::Conv2d depthwise = attributes;
  depthwise.groups = 18;  // which two dense units would take longer for
  const auto x = b.Conv(b.Input({1, 16, 8, 8}), 18, attributes, 3, 3, false);
  b.graph.SetOutputs({b.Conv(x, 18, depthwise, 3, 3, false)});
  const Ran ran = RunVariant(spec, b.graph, true);
  ExpectExact(ran);
  for (const char* name : {"gemm", "gemm2", "mac"}) EXPECT_GT(ran.Count(name), 0) << name;
}

TEST(UnitsOnTheRtl, WithoutATemplateAreRefused) {
  const Ran two = RunVariant(SpecAfter(LaneInstruction(), {}), Depthwise(8, 5), true);
  EXPECT_EQ(two.fault, "");
  EXPECT_THAT(two.refusal,
              HasSubstr("error[E0701]: no RTL for this: unit 'gemm' has 2 instructions of kind gemm"));
  const Edits by_input = {"set:instructions/gemm/computes=acc[dst][b, o] += inp[src][b, k] * wgt[wgt][k, o]"};
  const Ran turned = RunVariant(SpecAfter(by_input, {}), ResidualBlock(8, 5), true);
  EXPECT_EQ(turned.fault, "");
  EXPECT_THAT(turned.refusal, HasSubstr("error[E0701]: no RTL for this: 'gemm' computes"));
}

}  // namespace
}  // namespace cosim::testing
