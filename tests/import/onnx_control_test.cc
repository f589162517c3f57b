// SPDX-License-Identifier: Apache-2.0
// Control flow, sequences, functions and open shapes of ONNX files: what becomes of them, and what is
// refused.
#include "tests/import/onnx_testing.h"

namespace cosim::import::onnx {
namespace {

using graph::DType;
using graph::Tensor;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Tensor Bool(bool value) {
  Tensor tensor(graph::TensorType{DType::kBool, {}});
  tensor.mutable_bytes()[0] = value;
  return tensor;
}
Tensor Long(int64_t value) { return Tensor({}, std::vector<int64_t>{value}); }

NodeInfo Inner(const std::string& op, std::vector<std::string> inputs, const std::string& output) {
  return {.op = op, .name = output, .opset = 18, .inputs = std::move(inputs), .outputs = {output}};
}

std::shared_ptr<Subgraph> Graph(std::vector<std::string> inputs, std::vector<std::string> outputs,
                                std::vector<NodeInfo> nodes) {
  auto graph = std::make_shared<Subgraph>();
  graph->inputs = std::move(inputs);
  for (const std::string& name : outputs) graph->output_types.push_back({.name = name});
  graph->outputs = std::move(outputs);
  graph->nodes = std::move(nodes);
  return graph;
}

/// y = condition ? -x : |x|.
void AddIf(SmallFile& small, const std::string& condition, const std::string& x,
           const std::string& taken = "Neg") {
  NodeInfo& node = small.Node("If", {condition}, {"y"});
  node.graphs["then_branch"] = Graph({}, {"r"}, {Inner(taken, {x}, "r")});
  node.graphs["else_branch"] = Graph({}, {"r"}, {Inner("Abs", {x}, "r")});
  node.captured = {x};
}

TEST(OnnxControl, AConditionThatIsNotKnownSelects) {
  for (const bool condition : {true, false}) {
    SmallFile small;
    const std::string c = small.Input(Bool(condition)), x = small.Input(Floats({2}, {-3, 4}));
    AddIf(small, c, x);
    EXPECT_THAT(small.Run({"y"}).at(0).data<float>(), ElementsAre(3, condition ? -4 : 4));
  }
}

TEST(OnnxControl, OnlyTheBranchThatIsTakenHasToBeKnown) {
  for (const bool condition : {true, false}) {
    SmallFile small;
    const std::string x = small.Input(Floats({2}, {-3, 4}));
    AddIf(small, small.Constant(Bool(condition)), x, "com.example.Mystery");
    if (!condition) {
      EXPECT_THAT(small.Run({"y"}).at(0).data<float>(), ElementsAre(3, 4));
    } else {
      EXPECT_THAT(small.Errors({"y"}), HasSubstr("operator com.example.Mystery"));
    }
  }
}

/// s, all = Loop(trips, condition, x): s doubles, all collects it; `again` computes whether it goes on.
void AddLoop(SmallFile& small, const std::string& trips, const std::string& condition, NodeInfo again) {
  NodeInfo& node = small.Node("Loop", {trips, condition, small.Input(Floats({2}, {1, 3}))}, {"s", "all"});
  node.graphs["body"] =
      Graph({"i", "c", "v"}, {"again", "w", "w"}, {std::move(again), Inner("Add", {"v", "v"}, "w")});
}

TEST(OnnxControl, LoopsAreUnrolled) {
  SmallFile small;
  AddLoop(small, small.Constant(Long(3)), "", Inner("Identity", {"c"}, "again"));
  const auto results = small.Run({"s", "all"});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_THAT(results[0].data<float>(), ElementsAre(8, 24));
  EXPECT_EQ(results[1].shape(), (graph::Shape{3, 2}));
  EXPECT_THAT(results[1].data<float>(), ElementsAre(2, 6, 4, 12, 8, 24));
}

TEST(OnnxControl, ALoopStopsByItsCondition) {
  SmallFile small;
  const std::string two = small.Constant(Long(2));
  AddLoop(small, "", small.Constant(Bool(true)), Inner("Less", {"i", two}, "again"));
  small.file.nodes.back().captured = {two};
  EXPECT_THAT(small.Run({"s"}).at(0).data<float>(), ElementsAre(8, 24));  // i = 0, 1, 2
}

TEST(OnnxControl, LoopsThatDoNotEndAreRefused) {
  for (const int64_t trips : {int64_t{-1}, int64_t{1} << 60}) {
    SmallFile small;
    AddLoop(small, trips < 0 ? "" : small.Constant(Long(trips)), "", Inner("Identity", {"c"}, "again"));
    EXPECT_THAT(small.Errors({"s"}), HasSubstr("unrolls to more than 100000 nodes"));
  }
  SmallFile open;
  AddLoop(open, open.Input(Long(3)), "", Inner("Identity", {"c"}, "again"));
  EXPECT_THAT(open.Errors({"s"}), HasSubstr("how often it runs is no constant"));
}

TEST(OnnxControl, ScansRunBackwards) {
  SmallFile small;
  NodeInfo& node = small.Node("Scan", {small.Input(Floats({1}, {0})), small.Input(Floats({1, 3}, {1, 2, 4}))},
                              {"last", "all"},
                              {{"num_scan_inputs", int64_t{1}},
                               {"scan_input_axes", std::vector<int64_t>{1}},
                               {"scan_input_directions", std::vector<int64_t>{1}}});
  node.graphs["body"] = Graph({"s", "x"}, {"t", "t"}, {Inner("Add", {"s", "x"}, "t")});
  const auto results = small.Run({"last", "all"});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_THAT(results[0].data<float>(), ElementsAre(7));
  EXPECT_THAT(results[1].data<float>(), ElementsAre(4, 6, 7));
}

TEST(OnnxSequences, AreListsOfValuesThatNeedNotBeKnown) {
  SmallFile small;
  const std::string x = small.Input(Floats({3}, {1, 2, 3}));
  small.Node("SplitToSequence", {x}, {"parts"});
  small.Node("SequenceInsert", {"parts", x, small.Constant(Long(-1))}, {"more"});
  small.Node("SequenceErase", {"more", small.Constant(Long(0))}, {"fewer"});
  small.Node("ConcatFromSequence", {"fewer"}, {"y"}, {{"axis", int64_t{0}}});
  small.Node("SequenceLength", {"fewer"}, {"n"});
  const auto results = small.Run({"y", "n"});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_THAT(results[0].data<float>(), ElementsAre(2, 1, 2, 3, 3));
  EXPECT_THAT(results[1].data<int64_t>(), ElementsAre(3));
}

TEST(OnnxSequences, PlacesOutsideAndTensorsAreRefused) {
  SmallFile small;
  const std::string x = small.Input(Floats({2}, {1, 2}));
  small.Node("SequenceConstruct", {x, x}, {"s"});
  small.Node("SequenceAt", {"s", small.Constant(Long(2))}, {"outside"});
  small.Node("SequenceLength", {x}, {"n"});
  small.Node("Relu", {"s"}, {"y"});
  const std::string errors = small.Errors({"outside", "n", "y"});
  EXPECT_THAT(errors, HasSubstr("place 2 of 2"));
  EXPECT_THAT(errors, HasSubstr("operand 'x0' is no sequence"));
  EXPECT_THAT(errors, HasSubstr("operand 's' is no tensor"));
}

TEST(OnnxFunctions, AreCalledWithTheirAttributes) {
  SmallFile small;
  NodeInfo leaky = Inner("LeakyRelu", {"a"}, "b");
  leaky.references["alpha"] = "slope";
  small.file.functions["com.example.Twice"] = Graph({"a"}, {"c"}, {leaky, Inner("Add", {"b", "b"}, "c")});
  small.Node("com.example.Twice", {small.Input(Floats({2}, {-4, 1}))}, {"y"}, {{"slope", 0.25f}});
  EXPECT_THAT(small.Run({"y"}).at(0).data<float>(), ElementsAre(-2, 2));
}

TEST(OnnxFunctions, ThatCallThemselvesAreRefused) {
  SmallFile small;
  small.file.functions["com.example.F"] =
      Graph({"a"}, {"c"}, {Inner("com.example.F", {"a"}, "b"), Inner("com.example.F", {"b"}, "c")});
  small.Node("com.example.F", {small.Input(Floats({1}, {1}))}, {"y"});
  EXPECT_THAT(small.Errors({"y"}), HasSubstr("too deep"));
}

TEST(OnnxShapes, AreKnownOfTensorsThatAreNot) {
  SmallFile small;
  const std::string x = small.Input(Floats({2, 3}, {1, 2, 3, 4, 5, 6}));
  small.Node("Shape", {x}, {"shape"});
  small.Node("Gather", {"shape", small.Constant(Longs({0}))}, {"rows"}, {{"axis", int64_t{0}}});
  small.Node("Concat", {"rows", small.Constant(Longs({-1, 1}))}, {"target"}, {{"axis", int64_t{0}}});
  small.Node("Reshape", {x, "target"}, {"y"});
  EXPECT_EQ(small.Run({"y"}).at(0).shape(), (graph::Shape{2, 3, 1}));
}

TEST(OnnxShapes, ABatchIsOneUnlessSomebodySaysOtherwise) {
  SmallFile small;
  small.file.inputs = {{.name = "x", .dimensions = {"unk__7", int64_t{2}, "N"}}};
  small.Node("Relu", {"x"}, {"y"});
  small.file.outputs = {{.name = "y"}};
  Diagnostics diagnostics;
  const auto model = Build(small.file, {}, diagnostics);
  ASSERT_TRUE(model) << diagnostics.Render();
  EXPECT_EQ(model->graph.node(model->graph.outputs()[0]).type.shape, (graph::Shape{1, 2, 1}));
  EXPECT_THAT(model->notes,
              ElementsAre(HasSubstr("input 'x': dimension 0 ('unk__7') is open in the file and taken as 1"),
                          HasSubstr("dimension 2 ('N')")));
  const auto given = Build(small.file, {.shapes = {{"x", {5, 2, 3}}}}, diagnostics);
  ASSERT_TRUE(given);
  EXPECT_THAT(given->notes, IsEmpty());
}

TEST(OnnxShapes, OtherOpenDimensionsAreNamedTogether) {
  SmallFile small;
  small.file.inputs = {{.name = "x", .dimensions = {"batch", "height", "width"}},
                       {.name = "z", .dimensions = {int64_t{1}, "length"}}};
  small.Node("Relu", {"x"}, {"y"});
  small.Node("com.example.Mystery", {"z"}, {"w"});
  const std::string errors = small.Errors({"y", "w"});
  EXPECT_THAT(errors, HasSubstr("input 'x': dimension 1 ('height'), dimension 2 ('width') are open"));
  EXPECT_THAT(errors, HasSubstr("input 'z': dimension 1 ('length') is open"));
  EXPECT_THAT(errors, HasSubstr("operator com.example.Mystery"));
  EXPECT_THAT(errors, Not(HasSubstr("Relu")));
}

}  // namespace
}  // namespace cosim::import::onnx
