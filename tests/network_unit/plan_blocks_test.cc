// SPDX-License-Identifier: Apache-2.0
// Steps of the host between layers of the accelerator: they read and write its blocks.
#include <gmock/gmock.h>

#include "compiler/cpu/jit.h"
#include "compiler/golden/golden.h"
#include "compiler/network/compile.h"
#include "runtime/executor.h"
#include "sim/functional/functional_device.h"
#include "tests/network_unit/testing.h"

namespace cosim::network {
namespace {

using graph::ValueId;
using ::testing::ElementsAre;

/// The operations of the host's steps behind the one that brings the image, once all outputs have shown to be
/// the golden model's.
std::vector<std::string> HostStepsOf(GraphBuilder& b, const std::string& isa,
                                     const std::vector<isa::Override>& overrides = {}) {
  const isa::Spec spec = Load(isa, overrides);
  cpu::JitCompiler cpu;
  const auto network = Compile(b.graph, spec, {.after_pass = {}}, cpu);
  sim::FunctionalDevice device(spec);
  std::vector<graph::Tensor> inputs;
  std::vector<std::vector<uint8_t>> bytes;
  for (ValueId input : b.graph.inputs()) {
    inputs.push_back(b.Draw(b.graph.node(input).type.shape));
    bytes.push_back(RawBytes(inputs.back()));
  }
  const auto values = golden::Run(b.graph, inputs);
  const auto run = runtime::Execute(network, spec, device, bytes, false);
  EXPECT_TRUE(run.completed) << run.error;
  for (size_t i = 0; i < b.graph.outputs().size(); ++i)
    EXPECT_EQ(run.outputs.at(i), RawBytes(*values[b.graph.outputs()[i]])) << "output " << i;
  std::vector<std::string> steps;
  for (const auto& layer : network.layers)
    if (!layer.on_accelerator && !layer.op.starts_with("pack_")) steps.push_back(layer.op);
  if (!steps.empty() && steps.front() == "pack") steps.erase(steps.begin());
  if (!steps.empty() && steps.back() == "unpack") steps.pop_back();
  return steps;
}

ValueId Normed(GraphBuilder& b, ValueId x) {
  const int64_t channels = b.graph.node(x).type.shape[1];
  graph::Tensor gain({graph::DType::kFloat32, {channels}}), offset({graph::DType::kFloat32, {channels}});
  for (float& v : gain.mutable_data<float>()) v = static_cast<float>(b.Pick(1, 40));
  return b.Add(graph::QLayerNorm{0.5f},
               {x, b.graph.AddConstant("gain", gain), b.graph.AddConstant("offset", offset)});
}

graph::Table AnyTable(GraphBuilder& b) {
  graph::Table table;
  for (int i = 0; i < 256; ++i) table.table.push_back(static_cast<int32_t>(b.Pick(-128, 127)));
  return table;
}

TEST(StayInBlocks, WhatIsBetweenConvolutionsIsNotUnpacked) {
  for (const char* channels : {"4", "8", "3"}) {
    SCOPED_TRACE(channels);
    GraphBuilder b;
    const ValueId norm = Normed(b, b.Conv(b.Input({1, 8, 5, 4}), 10, {}, 1, 1, false));
    const ValueId table = b.Add(AnyTable(b), {b.Conv(norm, 12, {}, 1, 1, false)});
    b.graph.SetOutputs({b.Conv(table, 8, {}, 1, 1, false)});
    std::vector<isa::Override> overrides = {{"parameters.block_in", channels},
                                            {"parameters.block_out", channels}};
    EXPECT_THAT(HostStepsOf(b, "cosim", overrides), ElementsAre("qlayer_norm"));
    overrides.push_back({"isa.alu_ops.look_up", "off"});
    EXPECT_THAT(HostStepsOf(b, "cosim", overrides), ElementsAre("qlayer_norm", "table"));
  }
}

/// What is left to the host of a convolution, a table behind it, a table by itself and a product of matrices.
std::vector<std::string> StepsOfTables(const std::string& isa, const std::vector<isa::Override>& overrides,
                                       uint32_t seed = 1) {
  GraphBuilder b(seed);
  const ValueId first = b.Add(AnyTable(b), {b.Input({1, 6, 5, 4})});
  const ValueId behind = b.Add(AnyTable(b), {b.Conv(first, 10, {}, 3, 3, false)});
  const ValueId pool = b.Add(graph::MaxPool{{2, 2}, {1, 1}, {}}, {behind});
  b.graph.SetOutputs({b.Add(AnyTable(b), {pool}), b.Conv(behind, 7, {}, 1, 1, false)});
  return HostStepsOf(b, isa, overrides);
}

TEST(Tables, AreLookedUpBehindSumsAndByThemselves) {
  uint32_t seed = 1;
  for (const char* channels : {"4", "8", "3"})
    for (const char* lanes : {"1", "2", "4"})
      EXPECT_THAT(StepsOfTables("cosim",
                                {{"parameters.block_in", channels},
                                 {"parameters.block_out", channels},
                                 {"parameters.alu_lanes", lanes}},
                                seed++),
                  testing::Not(testing::Contains("table")))
          << channels << " channels, " << lanes << " lanes";
}

// Whatever the zero point: an index made of values keeps their arithmetic, by which ops are found.
TEST(Tables, FollowARequantizationInItsKernel) {
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    GraphBuilder b(seed);
    b.graph.SetOutputs({b.Add(AnyTable(b), {b.Conv(b.Input({1, 6, 5, 4}), 10, {}, 3, 3, false)})});
    cpu::JitCompiler cpu;
    const auto network = Compile(b.graph, Load("cosim"), {.after_pass = {}}, cpu);
    EXPECT_THAT(network.layers,
                testing::Contains(testing::Field(&runtime::Layer::op, "conv2d+bias_add+requantize+table")));
  }
}

TEST(Tables, AreTheHostsWhereTheIsaHasNone) {
  EXPECT_THAT(StepsOfTables("cosim", {{"isa.alu_ops.look_up", "off"}}), testing::Contains("table").Times(3));
  EXPECT_THAT(StepsOfTables("vta", {}), testing::Contains("table").Times(3));
}

TEST(StayInBlocks, WhoReadsPlainValuesGetsThem) {
  GraphBuilder b;
  const ValueId norm = Normed(b, b.Conv(b.Input({1, 8, 5, 4}), 10, {}, 1, 1, false));
  const ValueId pool = b.Add(graph::Pad{{1, 0, 0, 1}, 3}, {norm});
  b.graph.SetOutputs({b.Conv(norm, 8, {}, 1, 1, false), norm, pool});
  EXPECT_THAT(HostStepsOf(b, "vta"), testing::Contains("qlayer_norm"));
  EXPECT_THAT(HostStepsOf(b, "cosim"), ElementsAre("qlayer_norm", "unpack", "unpack")) << "of the pad";
}

TEST(StayInBlocks, AddsOfResidualsAreChained) {
  GraphBuilder b;
  const ValueId x = b.Conv(b.Input({1, 16, 6, 6}), 16, {}, 1, 1, true);
  const auto add = [&](ValueId to) {
    return b.Add(graph::QAdd{{3, 1 << 20, 20}, {-4, 1 << 30, 31}, 5}, {b.Conv(to, 16, {}, 1, 1, true), to});
  };
  b.graph.SetOutputs({b.Conv(add(add(x)), 16, {}, 1, 1, true)});
  EXPECT_THAT(HostStepsOf(b, "vta"), ElementsAre("qadd", "qadd"));
}

// A flattened value stands in blocks of its own: of all its pixels.
TEST(StayInBlocks, WhatIsFlattenedBehindIsPacked) {
  GraphBuilder b;
  const ValueId table = b.Add(AnyTable(b), {b.Conv(b.Input({3, 8, 3, 2}), 1, {}, 1, 1, false)});
  const ValueId flat = b.Add(graph::Flatten{}, {table});
  const ValueId sums = b.Add(graph::Dense{}, {flat, b.Constant<int8_t>({9, 6}, -128, 127)});
  b.graph.SetOutputs({b.Add(graph::Requantize{{1 << 30}, {38}}, {sums})});
  EXPECT_THAT(HostStepsOf(b, "cosim", {{"isa.alu_ops.look_up", "off"}, {"parameters.block_out", "16"}}),
              testing::IsSupersetOf({"table", "pack"}));
}

TEST(StayInBlocks, MatricesAreMadeOfBlocks) {
  GraphBuilder b;
  const ValueId x = b.Input({1, 8, 6, 1});
  const ValueId query = b.Conv(x, 12, {}, 1, 1, false), key = b.Conv(x, 12, {}, 1, 1, false);
  const ValueId scores = b.Add(graph::MatMul{.groups = 3, .transpose_b = false}, {query, key});
  graph::Requantize requantize{{1 << 30}, {40}};
  graph::QSoftmax softmax{.groups = 3, .levels = 127, .zero_point = 3};
  for (int64_t e = 1 << 24; softmax.exponentials.size() < 256; e = e * 9 / 10)
    softmax.exponentials.push_back(static_cast<int32_t>(e));
  const ValueId shares = b.Add(softmax, {b.Add(requantize, {scores})});
  const ValueId value = b.Conv(x, 12, {}, 1, 1, false);
  const ValueId attended = b.Add(graph::MatMul{.groups = 3, .transpose_b = true}, {shares, value});
  b.graph.SetOutputs({b.Add(requantize, {attended})});
  EXPECT_THAT(HostStepsOf(b, "cosim"), ElementsAre("qsoftmax"));
}

}  // namespace
}  // namespace cosim::network
