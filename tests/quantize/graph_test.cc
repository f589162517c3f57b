// SPDX-License-Identifier: Apache-2.0
// Quantization of whole networks: the form of the integer graph, and how close it stays to the float one.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "compiler/golden/golden.h"
#include "compiler/graph/float_executor.h"
#include "compiler/graph/print.h"
#include "compiler/graph/verify.h"
#include "compiler/graph/zoo/zoo.h"
#include "compiler/quantize/graph/compare.h"
#include "compiler/quantize/graph/quantize_graph.h"
#include "compiler/quantize/graph/tensors.h"
#include "tests/graph/testing.h"

namespace cosim::graph {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Mnemonics(const Graph& graph) {
  std::vector<std::string> list;
  for (const Node& node : graph.nodes()) {
    if (!node.As<Constant>()) list.emplace_back(Mnemonic(node.op));
  }
  return list;
}

/// conv -> batch norm -> relu -> global average pool -> flatten -> dense, on 4x4 images.
Graph TinyNetwork() {
  Graph g("tiny");
  const ValueId x = g.AddInput("x", FloatType({1, 1, 4, 4}));
  const ValueId w = g.AddConstant("w", Floats({2, 1, 1, 1}, {1, -0.25f}));
  const ValueId one = g.AddConstant("one", Floats({2}, {1, 1})),
                half = g.AddConstant("half", Floats({2}, {0.5f, 0.5f}));
  const ValueId conv = g.Add("conv", Conv2d{}, {x, w});
  const ValueId norm = g.Add("norm", BatchNorm{.epsilon = 0}, {conv, one, half, half, one});
  const ValueId pool = g.Add("pool", GlobalAvgPool{}, {g.Add("relu", Relu{}, {norm})});
  const ValueId fc = g.AddConstant("fc.weight", Floats({1, 2}, {1, 1}));
  g.SetOutputs({g.Add("fc", Dense{}, {g.Add("flatten", Flatten{}, {pool}), fc})});
  return g;
}

TEST(QuantizeGraph, SpellsOutEveryStep) {
  const QuantizedGraph q = QuantizeGraph(TinyNetwork(), {});
  EXPECT_THAT(Verify(q.graph), IsEmpty());
  EXPECT_THAT(Mnemonics(q.graph),
              ElementsAre("input", "conv2d", "bias_add", "requantize", "clip", "global_sum_pool", "bias_add",
                          "requantize", "flatten", "dense", "requantize"));
}

TEST(QuantizeGraph, NeedsNoOffsetsWhenSymmetric) {
  const QuantizedGraph q = QuantizeGraph(TinyNetwork(), {.scheme = QuantizationScheme::kPowerOfTwo});
  EXPECT_THAT(Mnemonics(q.graph),
              ElementsAre("input", "conv2d", "bias_add", "requantize", "clip", "global_sum_pool",
                          "requantize", "flatten", "dense", "requantize"));
}

TEST(QuantizeGraph, MapsFloatValuesToTheirInt8Counterparts) {
  const QuantizedGraph q = QuantizeGraph(TinyNetwork(), {});
  auto counterpart = [&](std::string_view name) -> std::string {
    const ValueId value = q.counterpart[*q.reference.Find(name)];
    return value < 0 ? "none" : q.graph.node(value).name;
  };
  EXPECT_EQ(counterpart("x"), "x");
  EXPECT_EQ(counterpart("conv"), "none");
  EXPECT_EQ(counterpart("norm"), "none");  // Clipped by the relu behind it.
  EXPECT_EQ(counterpart("relu"), "relu");
  EXPECT_EQ(counterpart("pool"), "pool.requantize");
  EXPECT_EQ(counterpart("flatten"), "flatten");
  EXPECT_EQ(counterpart("fc"), "fc.requantize");
}

TEST(QuantizeGraph, KeepsAValueWholeThatOthersReadBesidesARelu) {
  Graph g("shared");
  const ValueId x = g.AddInput("x", FloatType({1, 1, 4, 4}));
  const ValueId conv = g.Add("conv", Conv2d{}, {x, g.AddConstant("w", Floats({1, 1, 1, 1}, {1}))});
  g.SetOutputs({g.Add("sum", Add{}, {conv, g.Add("relu", Relu{}, {conv})})});
  const QuantizedGraph q = QuantizeGraph(g, {});
  EXPECT_THAT(Verify(q.graph), IsEmpty());
  const Node& relu = q.graph.node(*q.graph.Find("relu"));
  EXPECT_GT(relu.As<Clip>()->lo, -100);
  EXPECT_EQ(relu.As<Clip>()->lo, relu.quantization->zero_point);
}

TEST(QuantizeGraph, HandlesWeightsThatAreAllZero) {
  for (auto scheme : {QuantizationScheme::kPerChannel, QuantizationScheme::kPowerOfTwo}) {
    Graph g("zero");
    const ValueId x = g.AddInput("x", FloatType({1, 2}));
    const ValueId dense = g.Add("dense", Dense{}, {x, g.AddConstant("w", Floats({2, 2}, {0, 0, 0, 0}))});
    g.SetOutputs({g.Add("bias", BiasAdd{}, {dense, g.AddConstant("b", Floats({2}, {0, 3}))})});
    const QuantizedGraph q = QuantizeGraph(g, {.scheme = scheme});
    ASSERT_THAT(Verify(q.graph), IsEmpty());
    const auto values = golden::Run(q.graph, QuantizeInputs(q.graph, {Floats({1, 2}, {1, -1})}));
    const ValueId y = q.graph.outputs()[0];
    EXPECT_THAT(ToReal(*values[y], *q.graph.node(y).quantization).data<float>(),
                ElementsAre(testing::FloatNear(0, 0.05f), testing::FloatNear(3, 0.05f)));
  }
}

TEST(QuantizeGraphDeathTest, RefusesWhatItCannotQuantize) {
  Graph g("norm");
  const ValueId x = g.AddInput("x", FloatType({1, 1})), one = g.AddConstant("one", Floats({1}, {1}));
  g.SetOutputs({g.Add("norm", BatchNorm{}, {x, one, one, one, one})});
  EXPECT_DEATH(QuantizeGraph(g, {}), "'norm' = batch_norm cannot be quantized");
}

TEST(QuantizeInputs, RoundsAndClampsToTheInputsScale) {
  Graph g("in");
  g.AddInput("x", Int8Type({1, 4}), Quantization{{0.5f}, 10});
  EXPECT_THAT(QuantizeInputs(g, {Floats({1, 4}, {0, 0.25f, 1000, -1000})}).at(0).data<int8_t>(),
              ElementsAre(10, 11, 127, -128));
}

TEST(ToReal, ScalesEachIndexOfTheAxis) {
  EXPECT_EQ(ToReal(Int32s({1, 2, 2}, {1, 2, 3, 4}), {{0.5f, 10}, 1, 1}),
            Floats({1, 2, 2}, {0, 0.5f, 20, 30}));
}

TEST(ReportQuantization, CountsZerosSaturationAndNoise) {
  QuantizedGraph q{Graph("q"), Graph("f"), {0}};
  q.graph.AddInput("x", Int8Type({1, 4}), Quantization{{1}, -128});
  q.reference.AddInput("x", FloatType({1, 4}));
  const auto exact = std::make_shared<const Tensor>(Floats({1, 4}, {0, 0, 3, 300}));
  const auto quantized = std::make_shared<const Tensor>(Int8s({1, 4}, {-128, -128, -125, 127}));
  const auto rows = ReportQuantization(q, {exact}, {quantized});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].name, "x");
  EXPECT_EQ(rows[0].zeros, 0.5);
  EXPECT_EQ(rows[0].saturated, 0.25);
  EXPECT_NEAR(rows[0].sqnr_db, 10 * std::log10(90009.0 / (45 * 45)), 1e-9);
}

struct Case {
  std::string_view network;
  QuantizationScheme scheme;
  double sqnr_db;  ///< Of every layer, at least.
  uint64_t seeds;  ///< Networks to try.
};

class QuantizedNetwork : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Zoo, QuantizedNetwork,
                         testing::Values(Case{"mlp", QuantizationScheme::kPerChannel, 21, 5},
                                         Case{"mlp", QuantizationScheme::kPowerOfTwo, 21, 5},
                                         Case{"small_cnn", QuantizationScheme::kPerChannel, 18, 5},
                                         Case{"small_cnn", QuantizationScheme::kPowerOfTwo, 18, 5},
                                         Case{"resnet18", QuantizationScheme::kPerChannel, 15, 1},
                                         Case{"resnet18", QuantizationScheme::kPowerOfTwo, 11, 1},
                                         Case{"resnet34:size=64", QuantizationScheme::kPerChannel, 14, 1},
                                         Case{"autoencoder:size=64", QuantizationScheme::kPerChannel, 27, 1},
                                         Case{"autoencoder:size=64", QuantizationScheme::kPowerOfTwo, 22, 1}),
                         [](const auto& info) {
                           std::string name =
                               std::string(info.param.network) + "_" + std::string(Name(info.param.scheme));
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

void ExpectPowersOfTwo(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    if (node.quantization) {
      EXPECT_EQ(node.quantization->scales.size(), 1u) << node.name;
      EXPECT_EQ(node.quantization->zero_point, 0) << node.name;
    }
    if (const auto* op = node.As<Requantize>()) {
      EXPECT_THAT(op->multiplier, ElementsAre(1)) << node.name;
    }
    if (const auto* op = node.As<QAdd>()) {
      for (int32_t multiplier : {op->a.multiplier, op->b.multiplier}) {
        EXPECT_EQ(multiplier & (multiplier - 1), 0) << node.name;
      }
    }
  }
}

void ExpectMultipliers(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    if (const auto* op = node.As<Requantize>()) {
      EXPECT_THAT(op->multiplier, testing::Each(testing::Ge(1 << 30))) << node.name;
    }
  }
}

void ExpectSmallErrors(const QuantizedGraph& q, double sqnr_db) {
  const auto inputs = zoo::SyntheticInput(q.reference, 1000);
  const auto rows = ReportQuantization(q, RunFloat(q.reference, inputs),
                                       golden::Run(q.graph, QuantizeInputs(q.graph, inputs)));
  ASSERT_GT(rows.size(), 3u);
  for (const QuantizationRow& row : rows) {
    EXPECT_GT(row.sqnr_db, sqnr_db) << row.name;
    EXPECT_LT(row.zeros, 0.6) << row.name;
    EXPECT_LT(row.saturated, 0.03) << row.name;
  }
}

/// Measured on an input that calibration did not see. Noise of a random network adds up from layer to layer.
TEST_P(QuantizedNetwork, StaysCloseToTheFloatNetwork) {
  for (uint64_t seed = 1; seed <= GetParam().seeds; ++seed) {
    SCOPED_TRACE(seed);
    const QuantizedGraph q =
        QuantizeGraph(zoo::Build(GetParam().network, seed), {.scheme = GetParam().scheme});
    ASSERT_THAT(Verify(q.graph), IsEmpty());
    ASSERT_THAT(Verify(q.reference), IsEmpty());
    if (GetParam().scheme == QuantizationScheme::kPowerOfTwo) {
      ExpectPowersOfTwo(q.graph);
    } else {
      ExpectMultipliers(q.graph);
    }
    ExpectSmallErrors(q, GetParam().sqnr_db);
  }
}

TEST(QuantizeGraph, GivesTheSameGraphEachTime) {
  const Graph source = zoo::Build("small_cnn", 3);
  EXPECT_EQ(Print(QuantizeGraph(source, {}).graph), Print(QuantizeGraph(source, {}).graph));
  EXPECT_NE(Print(QuantizeGraph(source, {}).graph), Print(QuantizeGraph(source, {.seed = 9}).graph));
}

}  // namespace
}  // namespace cosim::graph
