// SPDX-License-Identifier: Apache-2.0
// Graphs that call graphs, and what a network keeps from run to run.
#include <gmock/gmock.h>

#include "compiler/import/data/inputs.h"
#include "tests/import/testing.h"
#include "tests/import/tflite_testing.h"

namespace cosim::import::tflite::control_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TensorInfo Real(Shape shape) { return {.name = "", .dtype = DType::kFloat32, .shape = std::move(shape)}; }
TensorInfo Truth() { return {.name = "", .dtype = DType::kBool, .shape = {}}; }
TensorInfo Handle() { return {.name = "", .dtype = DType::kInt32, .shape = {}, .resource = true}; }
TensorInfo Known(TensorInfo info, const std::vector<float>& list) {
  info.data = std::make_shared<const Tensor>(info.shape, list);
  return info;
}
TensorInfo Known(bool holds) {
  TensorInfo info = Truth();
  Tensor data({DType::kBool, {}});
  data.mutable_bytes()[0] = holds ? 1 : 0;
  info.data = std::make_shared<const Tensor>(std::move(data));
  return info;
}

OperatorInfo Op(const std::string& name, std::vector<int> inputs, std::vector<int> outputs,
                OperatorOptions options = NoOptions{}) {
  return {.name = name,
          .inputs = std::move(inputs),
          .outputs = std::move(outputs),
          .options = std::move(options)};
}
OperatorInfo Graphs(const std::string& name, std::vector<int> inputs, std::vector<int> outputs, int first,
                    int second) {
  GraphOptions options;
  options.graphs[0] = first;
  options.graphs[1] = second;
  return Op(name, std::move(inputs), std::move(outputs), options);
}

std::optional<Model> Built(const File& file, std::string* error = nullptr) {
  Diagnostics diagnostics;
  auto model = Builder(file, diagnostics).Run();
  if (error) *error = diagnostics.Render();
  EXPECT_TRUE(error || model) << diagnostics.Render();
  return diagnostics.HasErrors() ? std::nullopt : std::move(model);
}

std::string Refusal(const File& file) {
  std::string error;
  EXPECT_FALSE(Built(file, &error));
  return error;
}

std::vector<float> Ran(const Model& model, const std::vector<Tensor>& inputs, size_t output = 0) {
  const Tensor result = *golden::Run(model.graph, inputs)[model.graph.outputs()[output]];
  const auto list = result.data<float>();
  return {list.begin(), list.end()};
}

/// x -> a + x, and x -> a * x.
File Affine(const std::string& op, float a) {
  return {.name = "test.tflite",
          .tensors = {Real({2}), Known(Real({2}), {a, a}), Real({2})},
          .operators = {Op(op, {0, 1}, {2}, ElementwiseOptions{})},
          .inputs = {0},
          .outputs = {2}};
}

/// condition, x -> IF(condition, x + 1, x * 3).
File Branch(const TensorInfo& condition) {
  File file{.name = "test.tflite",
            .tensors = {condition, Real({2}), Real({2})},
            .operators = {Graphs("IF", {0, 1}, {2}, 1, 2)},
            .inputs = {1},
            .outputs = {2}};
  if (!condition.data) file.inputs = {0, 1};
  file.others = {Affine("ADD", 1), Affine("MUL", 3)};
  return file;
}

const Tensor kX({2}, std::vector<float>{5, -2});

TEST(If, AKnownConditionTakesOneSide) {
  for (bool holds : {true, false}) {
    const auto model = Built(Branch(Known(holds)));
    ASSERT_TRUE(model);
    EXPECT_THAT(Ran(*model, {kX}), holds ? ElementsAre(6, -1) : ElementsAre(15, -6));
    int host = 0;
    for (const auto& node : model->graph.nodes())
      host += !node.As<graph::Input>() && !node.As<graph::Constant>();
    EXPECT_EQ(host, 1);
  }
}

TEST(If, OfAnUnknownOneBothSidesRun) {
  const auto model = Built(Branch(Truth()));
  ASSERT_TRUE(model);
  for (bool holds : {true, false}) {
    Tensor condition({DType::kBool, {}});
    condition.mutable_bytes()[0] = holds ? 1 : 0;
    EXPECT_THAT(Ran(*model, {condition, kX}), holds ? ElementsAre(6, -1) : ElementsAre(15, -6));
  }
}

TEST(If, MistakesAreNamed) {
  File file = Branch(Known(true));
  file.others[0].tensors[0] = Real({3});
  EXPECT_THAT(Refusal(file), HasSubstr("value 0 of a graph has another type, shape or scale"));
  file = Branch(Known(true));
  file.others.clear();
  EXPECT_THAT(Refusal(file), HasSubstr("graph 1 does not exist"));
  file = Branch(Known(true));
  file.tensors[0] = Known(Real({}), {1});
  EXPECT_THAT(Refusal(file), HasSubstr("its condition is no bool"));
  file = Branch(Known(true));
  file.others[0].operators = {Op("MULTINOMIAL", {0}, {2})};
  EXPECT_THAT(Refusal(file), HasSubstr("operator MULTINOMIAL on float32 is not supported"));
  file = Branch(Known(true));  // a graph that calls itself
  file.others[0].tensors.push_back(Known(true));
  file.others[0].operators = {Graphs("IF", {3, 0}, {2}, 1, 2)};
  EXPECT_THAT(Refusal(file), HasSubstr("more than 16 deep"));
}

/// Goes on while the first of three truths holds; the body moves them up and doubles x.
File Loop(const std::vector<bool>& truths, const TensorInfo& end) {
  File file{.name = "test.tflite", .tensors = {Real({2})}, .inputs = {0}};
  std::vector<int> from, to;
  for (bool truth : truths) {
    from.push_back(static_cast<int>(file.tensors.size()));
    file.tensors.push_back(Known(truth));
  }
  from.push_back(0);
  for (int i : from) {
    to.push_back(static_cast<int>(file.tensors.size()));
    TensorInfo info = file.tensors[static_cast<size_t>(i)];
    info.data = nullptr;
    file.tensors.push_back(info);
  }
  file.operators = {Graphs("WHILE", from, to, 1, 2)};
  file.outputs = {to.back()};
  const int count = static_cast<int>(truths.size());
  File condition{.name = file.name}, body{.name = file.name};
  for (int i = 0; i < count; ++i) {
    condition.tensors.push_back(Truth());
    body.tensors.push_back(Truth());
    condition.inputs.push_back(i);
    body.inputs.push_back(i);
    if (i > 0) body.outputs.push_back(i);
  }
  condition.tensors.push_back(Real({2}));
  condition.inputs.push_back(count);
  condition.outputs = {0};
  for (const TensorInfo& info : {Real({2}), end, Real({2})}) body.tensors.push_back(info);
  body.inputs.push_back(count);
  body.operators = {Op("ADD", {count, count}, {count + 2}, ElementwiseOptions{})};
  body.outputs.push_back(count + 1);
  body.outputs.push_back(count + 2);
  if (!end.data) {
    body.tensors.push_back(Truth());
    body.operators.push_back(Op("RESHAPE", {0}, {count + 1}));
  }
  file.others = {condition, body};
  return file;
}

TEST(While, ALoopOfKnownCountIsUnrolled) {
  for (const auto& [truths, factor] : std::vector<std::pair<std::vector<bool>, float>>{
           {{false, true, true}, 1}, {{true, false, true}, 2}, {{true, true, true}, 8}}) {
    const auto model = Built(Loop(truths, Known(false)));
    ASSERT_TRUE(model);
    EXPECT_THAT(Ran(*model, {kX}), ElementsAre(5 * factor, -2 * factor));
  }
}

/// A loop that does not begin gives what it took: the sum reads one value under two names.
TEST(While, AValueOfTwoTensorsIsTurnedOnce) {
  const TensorInfo image = Real({1, 3, 2, 4});
  File file{
      .name = "test.tflite",
      .tensors = {image, Known(false), Truth(), image, image},
      .operators = {Graphs("WHILE", {1, 0}, {2, 3}, 1, 2), Op("ADD", {0, 3}, {4}, ElementwiseOptions{})},
      .inputs = {0},
      .outputs = {4}};
  file.others = {{.name = file.name, .tensors = {Truth(), image}, .inputs = {0, 1}, .outputs = {0}},
                 {.name = file.name, .tensors = {Truth(), image}, .inputs = {0, 1}, .outputs = {0, 1}}};
  const auto model = Built(file);
  ASSERT_TRUE(model);
  EXPECT_THAT(graph::Verify(model->graph), testing::IsEmpty());
  const Tensor x = RandomOf(DType::kFloat32, image.shape, 3);
  const auto y = Ran(*model, {x});
  for (size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], 2 * x.data<float>()[i]) << i;
}

TEST(While, OneWithoutEndIsRefused) {
  EXPECT_THAT(Refusal(Loop({true}, Known(true))), HasSubstr("while.0: more than 10000 iterations"));
}

TEST(While, AConditionThatOnlyARunKnowsIsRefused) {
  File file = Loop({true}, Known(false));
  file.tensors[1].data = nullptr;
  file.inputs.push_back(1);
  EXPECT_THAT(Refusal(file), HasSubstr("its condition depends on values that only a run knows"));
}

/// CALL_ONCE sets a variable to (1, 2); a run returns it plus x, and may keep the sum.
File Counter(bool keeps) {
  const VariableOptions name{"/count"};
  File file{.name = "test.tflite",
            .tensors = {Real({2}), Handle(), Real({2}), Real({2})},
            .operators = {Graphs("CALL_ONCE", {}, {}, 1, -1), Op("VAR_HANDLE", {}, {1}, name),
                          Op("READ_VARIABLE", {1}, {2}), Op("ADD", {2, 0}, {3}, ElementwiseOptions{})},
            .inputs = {0},
            .outputs = {3}};
  if (keeps) file.operators.push_back(Op("ASSIGN_VARIABLE", {1, 3}, {}));
  file.others = {{.name = file.name,
                  .tensors = {Handle(), Known(Real({2}), {1, 2})},
                  .operators = {Op("VAR_HANDLE", {}, {0}, name), Op("ASSIGN_VARIABLE", {0, 1}, {})}}};
  return file;
}

TEST(Variables, OneThatNoRunAssignsIsAConstant) {
  const auto model = Built(Counter(false));
  ASSERT_TRUE(model);
  EXPECT_TRUE(model->states.empty());
  EXPECT_THAT(Ran(*model, {kX}), ElementsAre(6, 0));
}

TEST(Variables, AssignedOnesAreStates) {
  const auto model = Built(Counter(true));
  ASSERT_TRUE(model);
  ASSERT_EQ(model->states.size(), 1u);
  const State& state = model->states[0];
  EXPECT_EQ(state.input, 1u);
  EXPECT_EQ(state.output, 1u);
  EXPECT_EQ(model->graph.inputs().size(), 2u);
  std::vector<Tensor> inputs = RandomInputs(*model, 1);
  EXPECT_THAT(inputs[1].data<float>(), ElementsAre(1, 2));
  inputs[0] = kX;
  for (float k : {1.0f, 2.0f, 3.0f}) {
    EXPECT_THAT(Ran(*model, inputs), ElementsAre(1 + 5 * k, 2 - 2 * k));
    inputs[state.input] = Tensor({2}, Ran(*model, inputs, state.output));
  }
}

TEST(Variables, MistakesAreNamed) {
  File file = Counter(true);
  file.operators.erase(file.operators.begin());
  EXPECT_THAT(Refusal(file), HasSubstr("reads variable '/count', which nothing has initialized"));
  file = Counter(true);
  file.others[0].tensors[1] = Real({2});
  file.others[0].tensors[1].variable = true;
  EXPECT_THAT(Refusal(file), HasSubstr("in a graph that another one calls"));
  file = Counter(true);
  file.operators[3].inputs[1] = 1;
  EXPECT_THAT(Refusal(file), HasSubstr("an operand is the handle of a variable"));
  file = Counter(true);
  file.outputs = {1};
  EXPECT_THAT(Refusal(file), HasSubstr("an input or output is the handle of a variable"));
  file = Counter(true);
  file.operators[2].inputs[0] = 0;
  EXPECT_THAT(Refusal(file), HasSubstr("operand 0 is no handle of a variable"));
}

TEST(Variables, ABranchThatMayNotRunAssignsNone) {
  File file = Counter(true);
  file.tensors.push_back(Truth());
  file.inputs.push_back(4);
  file.operators.back() = Graphs("IF", {4, 1, 3}, {}, 2, 3);
  File keeps{.name = file.name,
             .tensors = {Handle(), Real({2})},
             .operators = {Op("ASSIGN_VARIABLE", {0, 1}, {})},
             .inputs = {0, 1}};
  File leaves = keeps;
  leaves.operators.clear();
  file.others.push_back(keeps);
  file.others.push_back(leaves);
  EXPECT_THAT(Refusal(file),
              HasSubstr("assigns variable '/count' in a branch whose condition is known only"));
}

// On a device: frames run in order, each with what the one before left.
TEST(States, FramesCarryThem) {
  const isa::Spec spec = LoadTestSpec("pynq.yaml");
  session::Options options;
  options.model = std::make_shared<const Model>(*Built(Counter(true)));
  options.network = "counter";
  options.inputs = {kX, *options.model->states[0].initial};
  options.frames = 4;
  options.check = session::Check::kOutputs;
  options.device = "functional";
  std::string error;
  const auto result = session::RunExperiment(spec, options, error);
  ASSERT_TRUE(result) << error;
  EXPECT_EQ(result->Mismatches(), 0);
  EXPECT_EQ(result->Values(), 4 * 4);
  ASSERT_EQ(result->network.carried.size(), 1u);
  EXPECT_TRUE(std::ranges::any_of(result->warnings, [](const auto& w) { return w.kind == "state"; }));
}

}  // namespace
}  // namespace cosim::import::tflite::control_test
