// SPDX-License-Identifier: Apache-2.0
// Building, asking, printing and verifying graphs.
#include "compiler/graph/graph.h"

#include <gmock/gmock.h>

#include "compiler/graph/print.h"
#include "compiler/graph/verify.h"
#include "tests/graph/testing.h"

namespace cosim::graph {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// x -> dense -> bias_add -> relu
Graph SmallGraph() {
  Graph g("small");
  const ValueId x = g.AddInput("x", FloatType({1, 2}));
  const ValueId w = g.AddConstant("w", Floats({3, 2}, {1, 2, 3, 4, 5, 6}));
  const ValueId b = g.AddConstant("b", Floats({3}, {1, 2, 3}));
  const ValueId dense = g.Add("dense", Dense{}, {x, w});
  const ValueId bias = g.Add("bias", BiasAdd{}, {dense, b});
  g.SetOutputs({g.Add("relu", Relu{}, {bias})});
  return g;
}

TEST(Graph, FindsValuesByName) {
  const Graph g = SmallGraph();
  EXPECT_EQ(g.Find("dense"), 3);
  EXPECT_EQ(g.Find("nothing"), std::nullopt);
}

TEST(Graph, ListsUsersInOrder) {
  Graph g("users");
  const ValueId x = g.AddInput("x", FloatType({1, 2}));
  const ValueId twice = g.Add("twice", Add{}, {x, x});
  const ValueId relu = g.Add("relu", Relu{}, {x});
  EXPECT_THAT(g.Users()[x], ElementsAre(twice, twice, relu));
  EXPECT_THAT(g.Users()[relu], IsEmpty());
}

TEST(Graph, CountsMultiplyAccumulates) {
  Graph g("macs");
  const ValueId x = g.AddInput("x", FloatType({2, 4, 8, 8}));
  const ValueId w = g.AddConstant("w", Zeros(DType::kFloat32, {6, 2, 3, 3}));
  const ValueId conv = g.Add("conv", Conv2d{.groups = 2}, {x, w});
  EXPECT_EQ(Macs(g, conv), 2 * 6 * 6 * 6 * 2 * 9);
  EXPECT_EQ(Macs(g, x), 0);
  EXPECT_EQ(Macs(SmallGraph(), 3), 6);
}

TEST(GraphDeathTest, RefusesOperandsThatDoNotFit) {
  Graph g("bad");
  const ValueId x = g.AddInput("x", FloatType({1, 2}));
  EXPECT_DEATH(g.Add("clip", Clip{}, {x}), "'clip' = clip: input must be int8");
  EXPECT_DEATH(g.Add("relu", Relu{}, {7}), "operand 7 of 'relu' is not defined yet");
}

TEST(Tensor, KeepsElementsWhenReshaped) {
  const Tensor t = Int8s({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(t.Reshaped({3, 2}), Int8s({3, 2}, {1, 2, 3, 4, 5, 6}));
  EXPECT_DEATH(t.Reshaped({4}), "reshape");
}

TEST(Print, ShowsOneLineAValue) {
  EXPECT_EQ(Print(SmallGraph()),
            "graph small\n"
            "%x = input() : float32[1,2]\n"
            "%w = constant() {data=#6cde4c1e373a7278} : float32[3,2]\n"
            "%b = constant() {data=#1de40d89811fe258} : float32[3]\n"
            "%dense = dense(%x, %w) {input_zero_point=0} : float32[1,3]\n"
            "%bias = bias_add(%dense, %b) : float32[1,3]\n"
            "%relu = relu(%bias) {cap=0} : float32[1,3]\n"
            "return %relu\n");
}

TEST(Print, ShowsQuantizationAndShortensLongLists) {
  Graph g("q");
  const ValueId x = g.AddInput("x", Int32Type({1, 9}), Quantization{{0.5f}, 3});
  Requantize op{
      .multiplier = std::vector<int32_t>(9, 1 << 30), .shift = std::vector<int32_t>(9, 31), .zero_point = 2};
  g.SetOutputs({g.Add("y", op, {x}, Quantization{{0.25f}, 2})});
  EXPECT_EQ(Print(g),
            "graph q\n"
            "%x = input() : int32[1,9] scale=[0.5] zero_point=3\n"
            "%y = requantize(%x) {multiplier=[1073741824,1073741824,...,1073741824;9] shift=[31,31,...,31;9] "
            "zero_point=2} : int8[1,9] scale=[0.25] zero_point=2\n"
            "return %y\n");
}

TEST(Verify, AcceptsAGoodGraph) { EXPECT_THAT(Verify(SmallGraph()), IsEmpty()); }

/// A graph with an int8 input "x", whose quantization is (0.5, 3), to append one bad node to.
Graph WithInput() {
  Graph g("bad");
  g.AddInput("x", Int8Type({1, 2}), Quantization{{0.5f}, 3});
  g.SetOutputs({0});
  return g;
}

std::vector<std::string> FaultsOf(Node node) {
  Graph g = WithInput();
  g.Append(std::move(node));
  return Verify(g);
}

TEST(Verify, FindsAMissingName) {
  EXPECT_THAT(FaultsOf({"", Flatten{}, {0}, Int8Type({1, 2})}), ElementsAre("value 1 has no name"));
}

TEST(Verify, FindsANameGivenTwice) {
  EXPECT_THAT(FaultsOf({"x", Flatten{}, {0}, Int8Type({1, 2})}),
              ElementsAre("%x = flatten: another value has this name"));
}

TEST(Verify, FindsUsesBeforeDefinitions) {
  EXPECT_THAT(FaultsOf({"y", Flatten{}, {1}, Int8Type({1, 2})}),
              ElementsAre("%y = flatten: operand 1 is not defined before its use"));
  EXPECT_THAT(FaultsOf({"y", Flatten{}, {-1}, Int8Type({1, 2})}),
              ElementsAre("%y = flatten: operand -1 is not defined before its use"));
}

TEST(Verify, FindsOperandsThatDoNotFit) {
  EXPECT_THAT(FaultsOf({"y", Relu{}, {0}, Int8Type({1, 2})}),
              ElementsAre("%y = relu: input must be float32"));
}

TEST(Verify, FindsAWrongType) {
  EXPECT_THAT(FaultsOf({"y", Flatten{}, {0}, Int8Type({2, 1})}),
              ElementsAre("%y = flatten: type is int8[2,1], but should be int8[1,2]"));
}

TEST(Verify, FindsEmptyExtents) {
  EXPECT_THAT(FaultsOf({"y", Input{}, {}, Int8Type({1, -1})}),
              ElementsAre("%y = input: shape [1,-1] has an extent below 0"));
  EXPECT_THAT(FaultsOf({"y", Clip{}, {0}, Int8Type({1, 0})}),
              ElementsAre("%y = clip: shape [1,0] has an extent below 1"));
}

TEST(Verify, FindsOperandsOfAnInput) {
  EXPECT_THAT(FaultsOf({"y", Input{}, {0}, Int8Type({1, 2})}),
              ElementsAre("%y = input: takes 0 operands, not 1"));
}

TEST(Verify, FindsFaultsOfQuantizations) {
  auto faults = [](TensorType type, Quantization q) { return FaultsOf({"y", Input{}, {}, type, q}); };
  EXPECT_THAT(faults(FloatType({1, 2}), {{1}, 0}),
              ElementsAre("%y = input: a float32 value has a quantization"));
  EXPECT_THAT(faults(Int8Type({1, 2}), {{0}, 0}), ElementsAre("%y = input: a scale is not positive"));
  EXPECT_THAT(faults(Int8Type({1, 2}), {{1, 1, 1}, 0, 1}),
              ElementsAre("%y = input: 3 scales for dimension 1 of [1,2]"));
  EXPECT_THAT(faults(Int8Type({1, 2}), {{1, 1}, 0, 2}),
              ElementsAre("%y = input: quantization axis 2 is not a dimension of [1,2]"));
  EXPECT_THAT(faults(Int8Type({1, 2}), {{}, 0, 0}),
              ElementsAre("%y = input: 0 scales for dimension 0 of [1,2]"));
  EXPECT_THAT(faults(Int8Type({1, 2}), {{1}, 128}), ElementsAre("%y = input: zero point 128 is not an int8"));
  EXPECT_THAT(faults(Int32Type({1, 2}), {{1}, 128}), IsEmpty());
}

TEST(Verify, FindsZeroPointsThatDisagreeWithTheOperand) {
  Graph g = WithInput();
  const ValueId w = g.AddConstant("w", Int8s({1, 2}, {1, 2}));
  g.Add("dense", Dense{.input_zero_point = 4}, {0, w});
  g.Add("add", QAdd{.a = {3, 1, 0}, .b = {5, 1, 0}, .output_zero_point = 6}, {0, 0}, Quantization{{1}, 7});
  g.Add("real", Dequantize{.zero_point = 2}, {0});
  EXPECT_THAT(Verify(g), ElementsAre("%dense = dense: input zero point is 4, but %x has 3",
                                     "%add = qadd: second operand's zero point is 5, but %x has 3",
                                     "%add = qadd: output zero point is 6, but %add has 7",
                                     "%real = dequantize: input zero point is 2, but %x has 3"));
}

TEST(Verify, FindsZeroPointsThatDisagreeWithTheResult) {
  Graph g("bad");
  const ValueId a = g.AddInput("a", Int32Type({1, 2}));
  const ValueId f = g.AddInput("f", FloatType({1, 2}));
  g.Add("int", Requantize{.zero_point = 1}, {a}, Quantization{{1}, 2});
  g.SetOutputs({g.Add("q", Quantize{.zero_point = 3}, {f}, Quantization{{1}, 4})});
  EXPECT_THAT(Verify(g), ElementsAre("%int = requantize: output zero point is 1, but %int has 2",
                                     "%q = quantize: output zero point is 3, but %q has 4"));
}

TEST(Verify, FindsConvolutionZeroPointsThatDisagree) {
  Graph g("bad");
  const ValueId x = g.AddInput("x", Int8Type({1, 1, 1, 1}), Quantization{{1}, -128});
  const ValueId w = g.AddConstant("w", Int8s({1, 1, 1, 1}, {1}));
  g.SetOutputs({g.Add("conv", Conv2d{}, {x, w})});
  EXPECT_THAT(Verify(g), ElementsAre("%conv = conv2d: input zero point is 0, but %x has -128"));
}

TEST(Verify, FindsMissingAndUnknownOutputs) {
  Graph g = WithInput();
  g.SetOutputs({});
  EXPECT_THAT(Verify(g), ElementsAre("the graph has no output"));
  g.SetOutputs({9});
  EXPECT_THAT(Verify(g), ElementsAre("output 9 is not a value"));
}

}  // namespace
}  // namespace cosim::graph
