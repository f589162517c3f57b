// SPDX-License-Identifier: Apache-2.0
// Passes: what they change, what they must leave alone, and that results stay the same.
#include <gmock/gmock.h>

#include <cmath>

#include "compiler/graph/float_executor.h"
#include "compiler/graph/passes/fold_batch_norm.h"
#include "compiler/graph/passes/fold_constants.h"
#include "compiler/graph/passes/remove_dead_values.h"
#include "compiler/graph/print.h"
#include "compiler/graph/verify.h"
#include "compiler/graph/zoo/zoo.h"
#include "tests/graph/testing.h"

namespace cosim::graph {
namespace {

using testing::FloatNear;
using testing::IsEmpty;
using testing::Pointwise;

ValueId AddNorm(Graph& g, const std::string& name, ValueId x) {
  const ValueId gamma = g.AddConstant(name + ".gamma", Floats({2}, {2, 3}));
  const ValueId beta = g.AddConstant(name + ".beta", Floats({2}, {1, -1}));
  const ValueId mean = g.AddConstant(name + ".mean", Floats({2}, {10, 20}));
  const ValueId variance = g.AddConstant(name + ".variance", Floats({2}, {4, 9}));
  return g.Add(name, BatchNorm{.epsilon = 0}, {x, gamma, beta, mean, variance});
}

/// x [1,2] -> dense with weights [[1,2],[3,4]] -> batch norm.
Graph DenseAndNorm(bool with_bias) {
  Graph g("norm");
  const ValueId x = g.AddInput("x", FloatType({1, 2}));
  const ValueId w = g.AddConstant("w", Floats({2, 2}, {1, 2, 3, 4}));
  ValueId y = g.Add("dense", Dense{}, {x, w});
  if (with_bias) y = g.Add("bias", BiasAdd{}, {y, g.AddConstant("b", Floats({2}, {100, 200}))});
  g.SetOutputs({AddNorm(g, "norm", y)});
  return g;
}

std::vector<float> ConstantOf(const Graph& g, std::string_view name) {
  const auto data = g.node(g.Find(name).value()).As<Constant>()->data->data<float>();
  return {data.begin(), data.end()};
}

TEST(FoldBatchNorm, ScalesWeightsAndMakesABias) {
  const Graph folded = RemoveDeadValues(FoldBatchNorm(DenseAndNorm(false)));
  EXPECT_THAT(Verify(folded), IsEmpty());
  EXPECT_THAT(ConstantOf(folded, "dense.folded_weight"), testing::ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(ConstantOf(folded, "norm.folded_bias"), testing::ElementsAre(-9, -21));
  EXPECT_TRUE(folded.node(folded.outputs()[0]).As<BiasAdd>());
  EXPECT_EQ(folded.node(folded.outputs()[0]).name, "norm");
  EXPECT_EQ(folded.size(), 5);
}

TEST(FoldBatchNorm, TakesABiasAlong) {
  const Graph folded = RemoveDeadValues(FoldBatchNorm(DenseAndNorm(true)));
  EXPECT_THAT(Verify(folded), IsEmpty());
  EXPECT_THAT(ConstantOf(folded, "norm.folded_bias"), testing::ElementsAre(91, 179));
  EXPECT_EQ(folded.size(), 5);
}

TEST(FoldBatchNorm, LeavesProductsThatOthersReadAlone) {
  Graph g = DenseAndNorm(false);
  g.SetOutputs({g.outputs()[0], *g.Find("dense")});
  EXPECT_EQ(Print(FoldBatchNorm(g)), Print(g));
}

TEST(FoldBatchNorm, LeavesNormsOfOtherValuesAlone) {
  Graph g("norm");
  g.SetOutputs({AddNorm(g, "norm", g.Add("relu", Relu{}, {g.AddInput("x", FloatType({1, 2}))}))});
  EXPECT_EQ(Print(FoldBatchNorm(g)), Print(g));
}

TEST(FoldBatchNorm, LeavesVariableWeightsAlone) {
  Graph g("norm");
  const ValueId x = g.AddInput("x", FloatType({1, 2})), w = g.AddInput("w", FloatType({2, 2}));
  g.SetOutputs({AddNorm(g, "norm", g.Add("dense", Dense{}, {x, w}))});
  EXPECT_EQ(Print(FoldBatchNorm(g)), Print(g));
}

TEST(FoldBatchNorm, KeepsWhatNetworksCompute) {
  const Graph before = zoo::Build("small_cnn", 5);
  const Graph after = RemoveDeadValues(FoldBatchNorm(before));
  EXPECT_THAT(Verify(after), IsEmpty());
  for (const Node& node : after.nodes()) EXPECT_FALSE(node.As<BatchNorm>()) << node.name;
  const auto input = zoo::SyntheticInput(before, 6);
  const auto expected = RunFloat(before, input)[before.outputs()[0]];
  const auto actual = RunFloat(after, input)[after.outputs()[0]];
  EXPECT_THAT(actual->data<float>(), Pointwise(FloatNear(1e-4f), expected->data<float>()));
}

TEST(FoldConstants, EvaluatesChainsOfFloatOperations) {
  Graph g("constants");
  const ValueId a = g.AddConstant("a", Floats({1, 2}, {1, -5}));
  const ValueId sum = g.Add("sum", Add{}, {a, a});
  const ValueId relu = g.Add("relu", Relu{}, {sum});
  const ValueId x = g.AddInput("x", FloatType({1, 2}));
  g.SetOutputs({g.Add("y", Add{}, {x, relu})});
  const Graph folded = RemoveDeadValues(FoldConstants(g));
  EXPECT_THAT(Verify(folded), IsEmpty());
  EXPECT_EQ(folded.size(), 3);
  EXPECT_THAT(ConstantOf(folded, "relu"), testing::ElementsAre(2, 0));
}

TEST(FoldConstants, LeavesIntegerOperationsAlone) {
  Graph g("constants");
  g.SetOutputs({g.Add("clip", Clip{.lo = 0}, {g.AddConstant("a", Int8s({1, 2}, {-1, 1}))})});
  EXPECT_EQ(Print(FoldConstants(g)), Print(g));
}

TEST(RemoveDeadValues, KeepsInputsAndWhatOutputsNeed) {
  Graph g("dead");
  const ValueId x = g.AddInput("x", FloatType({1, 2}));
  g.AddInput("unused", FloatType({1, 2}));
  const ValueId y = g.Add("y", Relu{}, {x});
  g.Add("dead", Add{}, {y, y});
  g.SetOutputs({y});
  EXPECT_EQ(Print(RemoveDeadValues(g)),
            "graph dead\n"
            "%x = input() : float32[1,2]\n"
            "%unused = input() : float32[1,2]\n"
            "%y = relu(%x) {cap=0} : float32[1,2]\n"
            "return %y\n");
}

}  // namespace
}  // namespace cosim::graph
