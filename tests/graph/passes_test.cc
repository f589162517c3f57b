// SPDX-License-Identifier: Apache-2.0
// Passes: what they change, what they must leave alone, and that results stay the same.
#include <gmock/gmock.h>

#include <cmath>

#include "compiler/graph/float_executor.h"
#include "compiler/graph/passes/expand_transposed.h"
#include "compiler/graph/passes/fold_batch_norm.h"
#include "compiler/graph/passes/fold_constants.h"
#include "compiler/graph/passes/remove_dead_values.h"
#include "compiler/graph/print.h"
#include "compiler/graph/verify.h"
#include "compiler/graph/zoo/random.h"
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

/// conv_transpose2d of a random image and random weights, with a bias, a norm and a relu behind it.
Graph Transposed(const ConvTranspose2d& op, int64_t kh, int64_t kw, uint64_t seed) {
  zoo::Random random(seed);
  const auto floats = [&](Shape shape) {
    std::vector<float> data(NumElements(shape));
    for (float& v : data) v = random.Uniform(-1, 1);
    return Floats(std::move(shape), std::move(data));
  };
  Graph g("transposed");
  const ValueId x = g.AddInput("x", FloatType({2, 3, 4, 5}));
  const ValueId w = g.AddConstant("w", floats({2, 3, kh, kw}));
  const ValueId y = g.Add("up", op, {x, w});
  const ValueId biased = g.Add("bias", BiasAdd{}, {y, g.AddConstant("b", floats({2}))});
  g.SetOutputs({g.Add("relu", Relu{}, {AddNorm(g, "norm", biased)})});
  return g;
}

TEST(ExpandTransposed, ComputesTheSameInPhases) {
  const std::vector<std::tuple<ConvTranspose2d, int64_t, int64_t>> cases = {
      {{.stride = {2, 2}, .pad = {1, 1, 1, 1}}, 4, 4}, {{.stride = {2, 2}}, 2, 2},
      {{.stride = {2, 2}, .pad = {1, 1, 0, 0}}, 3, 3}, {{.stride = {2, 3}, .pad = {0, 1, 0, 1}}, 2, 5},
      {{.stride = {1, 1}, .pad = {1, 1, 1, 1}}, 3, 3}, {{.stride = {3, 3}, .pad = {0, 0, -2, -2}}, 1, 1},
      {{.stride = {2, 2}, .pad = {2, 2, 2, 2}}, 6, 6}};
  uint64_t seed = 1;
  for (const auto& [op, kh, kw] : cases) {
    const Graph before = Transposed(op, kh, kw, seed++);
    const Graph after = RemoveDeadValues(ExpandTransposed(before));
    EXPECT_THAT(Verify(after), IsEmpty());
    for (const Node& node : after.nodes()) EXPECT_FALSE(node.As<ConvTranspose2d>()) << seed;
    const std::vector<Tensor> inputs = zoo::SyntheticInput(before, seed);
    EXPECT_THAT(RunFloat(after, inputs)[after.outputs()[0]]->data<float>(),
                Pointwise(FloatNear(1e-3f), RunFloat(before, inputs)[before.outputs()[0]]->data<float>()))
        << "case " << seed;
  }
}

TEST(ExpandTransposed, LeavesWhatIsNoMultipleOfItsStrideAlone) {
  const Graph before = Transposed({.stride = {2, 2}}, 3, 3, 1);
  EXPECT_EQ(Print(ExpandTransposed(before)), Print(before));
}

}  // namespace
}  // namespace cosim::graph
