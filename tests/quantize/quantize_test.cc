// SPDX-License-Identifier: Apache-2.0
// Networks quantized, written and read back.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <set>

#include "compiler/golden/golden.h"
#include "compiler/import/onnx/build.h"
#include "compiler/quantize/calibrate.h"
#include "compiler/quantize/onnx_writer.h"
#include "compiler/quantize/simplify.h"
#include "tests/quantize/photographs.h"

namespace cosim::quantize {
namespace {

using graph::Tensor;
using import::DataFolder;
using import::onnx::File;
using import::onnx::NodeInfo;

Tensor Drawn(const graph::Shape& shape, uint32_t seed, float low = -1, float high = 1) {
  std::mt19937 random(seed);
  std::vector<float> values(graph::NumElements(shape));
  for (float& v : values) v = low + (high - low) * static_cast<float>(random() >> 8) / (1 << 24);
  return {shape, std::move(values)};
}

/// conv, batch normalization, relu, max-pool; a second convolution added to the first; average, gemm,
/// softmax.
class Network {
 public:
  explicit Network(int64_t opset) {
    file.name = "small.onnx";
    file.opsets[""] = opset;
    file.inputs.push_back({.name = "x", .dimensions = {1, 3, 8, 8}});
    file.outputs.push_back({.name = "y", .dimensions = {1, 5}});
    Constant("w1", Drawn({4, 3, 3, 3}, 1));
    for (const char* name : {"gamma", "beta", "mean"}) Constant(name, Drawn({4}, 2, 0.2f, 2));
    Constant("variance", Drawn({4}, 3, 0.5f, 2));
    Constant("w2", Drawn({4, 1, 3, 3}, 4));
    Constant("b2", Drawn({4}, 5));
    Constant("w3", Drawn({4, 5}, 6));
    Constant("b3", Drawn({5}, 7));
    Node("Conv", {"x", "w1"}, "c1").attributes["pads"] = std::vector<int64_t>{1, 1, 1, 1};
    Node("BatchNormalization", {"c1", "gamma", "beta", "mean", "variance"}, "n1");
    Node("Relu", {"n1"}, "r1");
    NodeInfo& pool = Node("MaxPool", {"r1"}, "p1");
    pool.attributes["kernel_shape"] = pool.attributes["strides"] = std::vector<int64_t>{2, 2};
    NodeInfo& depthwise = Node("Conv", {"p1", "w2", "b2"}, "c2");
    depthwise.attributes["pads"] = std::vector<int64_t>{1, 1, 1, 1};
    depthwise.attributes["group"] = int64_t{4};
    Node("Add", {"c2", "p1"}, "a");
    Node("GlobalAveragePool", {"a"}, "g");
    Node("Flatten", {"g"}, "f");
    Node("MatMul", {"f", "w3"}, "m");
    Node("Add", {"m", "b3"}, "d");
    Node("Softmax", {"d"}, "y");
  }

  NodeInfo& Node(const char* op, std::vector<std::string> inputs, const char* output) {
    file.nodes.push_back({op, output, file.opsets[""], std::move(inputs), {output}, {}, ""});
    return file.nodes.back();
  }
  void Constant(const char* name, Tensor tensor) {
    file.initializers[name] = std::make_shared<const Tensor>(std::move(tensor));
  }

  File file;
};

std::vector<float> Result(const File& file, const Tensor& x) {
  std::string error;
  const auto values = Evaluate(file, {x}, error);
  EXPECT_TRUE(values) << error;
  const auto data = values->at(file.outputs[0].name)->data<float>();
  return {data.begin(), data.end()};
}

std::optional<import::Model> Reread(const File& file) {
  std::string error;
  const auto bytes = WriteOnnx(file, error);
  EXPECT_TRUE(bytes) << error;
  if (!bytes) return std::nullopt;
  Diagnostics diagnostics;
  auto model = import::ImportOnnx({reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()}, "q.onnx",
                                  "", {}, diagnostics);
  EXPECT_TRUE(model) << diagnostics.Render();
  return model;
}

std::vector<std::string> Operators(const File& file) {
  std::vector<std::string> list;
  for (const NodeInfo& node : file.nodes) list.push_back(node.op);
  return list;
}

TEST(Simplify, FoldsNormalizationAndBiasAndKeepsTheResult) {
  Network network(13);
  const Tensor x = Drawn({1, 3, 8, 8}, 11);
  const auto before = Result(network.file, x);
  FoldConstants(network.file);
  FoldIntoProducts(network.file);
  EXPECT_THAT(Operators(network.file),
              testing::ElementsAre("Conv", "Relu", "MaxPool", "Conv", "Add", "GlobalAveragePool", "Flatten",
                                   "Gemm", "Softmax"));
  EXPECT_FALSE(network.file.initializers.count("gamma"));
  const auto after = Result(network.file, x);
  for (size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after[i], before[i], 1e-5);
}

TEST(Simplify, WhatIsReadTwiceIsNotFolded) {
  Network network(13);
  network.Node("Relu", {"c1"}, "second");
  network.file.outputs.push_back({.name = "second"});
  FoldIntoProducts(network.file);
  EXPECT_EQ(Operators(network.file)[1], "BatchNormalization");
}

TEST(Upgrade, AttributesBecomeOperandsAndSoftmaxKeepsItsMeaning) {
  File file;
  file.name = "old.onnx";
  file.opsets[""] = 9;
  file.inputs.push_back({.name = "x", .dimensions = {2, 3, 4}});
  file.outputs.push_back({.name = "y"});
  file.nodes = {{"Clip", "c", 9, {"x"}, {"c"}, {}, ""},
                {"Unsqueeze", "u", 9, {"c"}, {"u"}, {}, ""},
                {"Slice", "s", 9, {"u"}, {"s"}, {}, ""},
                {"ReduceSum", "r", 9, {"s"}, {"r"}, {}, ""},
                {"Softmax", "y", 9, {"r"}, {"y"}, {}, ""}};
  file.nodes[0].attributes["max"] = 0.5f;
  file.nodes[1].attributes["axes"] = std::vector<int64_t>{0};
  file.nodes[2].attributes = {{"starts", std::vector<int64_t>{1}},
                              {"ends", std::vector<int64_t>{3}},
                              {"axes", std::vector<int64_t>{3}}};
  file.nodes[3].attributes["axes"] = std::vector<int64_t>{0};
  const Tensor x = Drawn({2, 3, 4}, 9);
  const auto before = Result(file, x);
  Diagnostics diagnostics;
  std::string error;
  Upgrade(file, *Evaluate(file, {x}, error), diagnostics);
  EXPECT_FALSE(diagnostics.HasErrors()) << diagnostics.Render();
  EXPECT_EQ(file.opsets[""], 13);
  const auto after = Result(file, x);
  ASSERT_EQ(after.size(), before.size());
  for (size_t i = 0; i < after.size(); ++i) EXPECT_NEAR(after[i], before[i], 1e-6);
  ASSERT_TRUE(Reread(file));
}

TEST(Quantize, WritesAFileThatComputesWhatItsReportSays) {
  const Network network(9);
  const auto float_model = Reread(network.file);
  ASSERT_TRUE(float_model);
  for (const bool per_channel : {false, true}) {
    Diagnostics diagnostics;
    const auto samples = import::OpenSamples(*float_model, "random", {}, diagnostics);
    const auto outcome = QuantizeNetwork(network.file, *samples, {.per_channel = per_channel}, diagnostics);
    ASSERT_TRUE(outcome) << diagnostics.Render();
    const auto model = Reread(outcome->quantized.file);
    ASSERT_TRUE(model);
    const Tensor x = Drawn({1, 3, 8, 8}, 12);
    const auto exact = Result(network.file, x), own = Result(outcome->quantized.file, x);
    const auto read = golden::Run(model->graph, {x});
    const auto data = read[model->graph.outputs()[0]]->data<float>();
    for (size_t i = 0; i < own.size(); ++i) {
      EXPECT_NEAR(own[i], exact[i], 0.03);
      EXPECT_NEAR(data[i], own[i], 0.01);
    }
    ASSERT_EQ(outcome->report.size(), 5u);
    EXPECT_EQ(outcome->report[0].layer.op, "Conv");
    EXPECT_EQ(outcome->report[0].layer.value, "r1");
    for (const LayerReport& row : outcome->report) {
      EXPECT_GT(row.alone.SqnrDb(), 25) << row.layer.value;
      EXPECT_GT(row.all.Cosine(), 0.99) << row.layer.value;
    }
  }
}

// ONNX Runtime refuses files that have two nodes of one name; here, each node has that of its result.
TEST(Quantize, NodesHaveNamesOfTheirOwn) {
  Network network(13);
  network.file.nodes.pop_back();
  network.file.outputs[0].name = "d";  // behind a product: it is quantized itself
  const auto float_model = Reread(network.file);
  ASSERT_TRUE(float_model);
  Diagnostics diagnostics;
  const auto samples = import::OpenSamples(*float_model, "random", {}, diagnostics);
  const auto outcome = QuantizeNetwork(network.file, *samples, {}, diagnostics);
  ASSERT_TRUE(outcome) << diagnostics.Render();
  EXPECT_EQ(outcome->quantized.file.outputs[0].name, "d");
  std::set<std::string> names;
  for (const NodeInfo& node : outcome->quantized.file.nodes)
    EXPECT_TRUE(names.insert(node.name).second) << node.name;
}

TEST(Quantize, BoundShapesAreKeptAndOutputsNeedNone) {
  Network network(13);
  network.file.inputs[0].dimensions[0] = std::string("batch");
  network.file.outputs[0] = {.name = "y", .has_shape = false};
  Diagnostics diagnostics;
  const auto model = import::onnx::Build(network.file, {.shapes = {{"batch", {2}}}}, diagnostics);
  ASSERT_TRUE(model) << diagnostics.Render();
  FixShapes(network.file, *model);
  const auto samples = import::OpenSamples(*model, "random", {.random = 2}, diagnostics);
  const auto outcome = QuantizeNetwork(network.file, *samples, {}, diagnostics);
  ASSERT_TRUE(outcome) << diagnostics.Render();
  const auto written = Reread(outcome->quantized.file);
  ASSERT_TRUE(written);
  EXPECT_EQ(written->graph.node(written->graph.inputs()[0]).type.shape, (graph::Shape{2, 3, 8, 8}));
  ASSERT_TRUE(outcome->quantized.file.outputs[0].has_shape);
  EXPECT_EQ(std::get<int64_t>(outcome->quantized.file.outputs[0].dimensions[0]), 2);
}

TEST(Quantize, OneScaleAChannelLosesLess) {
  Network network(13);
  Tensor uneven = *network.file.initializers.at("w1");
  for (size_t i = 0; i < 27; ++i) uneven.mutable_data<float>()[i] *= 100;
  network.Constant("w1", uneven);
  const auto model = Reread(network.file);
  ASSERT_TRUE(model);
  double db[2];
  for (const bool per_channel : {false, true}) {
    Diagnostics diagnostics;
    const auto samples = import::OpenSamples(*model, "random", {}, diagnostics);
    // The normalization would hide it: the pool reads the convolution itself.
    File file = network.file;
    file.nodes.erase(file.nodes.begin() + 1);
    file.nodes[1].inputs = {"c1"};
    const auto outcome = QuantizeNetwork(
        file, *samples, {.per_channel = per_channel, .equalize = false, .rounding = Rounding::kNearest},
        diagnostics);
    ASSERT_TRUE(outcome) << diagnostics.Render();
    // The channels of small weights: channel 0 has the large ones.
    const auto scales = outcome->quantized.file.initializers.at("w1_scale");
    EXPECT_EQ(scales->size(), per_channel ? 4 : 1);
    const auto q = outcome->quantized.file.initializers.at("w1_quantized")->data<int8_t>();
    db[per_channel] = *std::max_element(q.begin() + 27, q.end());
  }
  EXPECT_LE(db[0], 2);
  EXPECT_EQ(db[1], 127);
}

TEST(Quantize, RefusesWhatIsQuantizedAlready) {
  COSIM_NEED_DATA();
  Diagnostics diagnostics;
  const std::string path = DataFolder() + "/onnx/micro_kws_qdq.onnx";
  const auto model = import::Import(path, {.shapes = {{"unk__68", {1}}}});
  const auto samples = import::OpenSamples(*model, "random", {}, diagnostics);
  auto network = ReadNetwork(path, diagnostics);
  ASSERT_TRUE(network) << diagnostics.Render();
  EXPECT_FALSE(QuantizeNetwork(std::move(*network), *samples, {}, diagnostics));
  EXPECT_THAT(diagnostics.Render(), testing::HasSubstr("the network is quantized already"));
}

size_t Top(const std::vector<float>& y) { return std::max_element(y.begin(), y.end()) - y.begin(); }

/// Both networks on all samples: how often the largest value stands in the same place.
int Agreements(const File& network, const File& quantized, const import::Samples& samples) {
  int agree = 0;
  Diagnostics diagnostics;
  for (size_t i = 0; i < samples.size(); ++i) {
    const Tensor x = samples.Get(i, diagnostics)->front();
    agree += Top(Result(network, x)) == Top(Result(quantized, x));
  }
  return agree;
}

class Resnet8 : public testing::Test {
 protected:
  void SetUp() override {
    COSIM_NEED_DATA();
    network = ReadNetwork(path, diagnostics);
    model = import::Import(path);
    ASSERT_TRUE(network && model) << diagnostics.Render();
  }
  std::string path = DataFolder() + "/tflite/resnet8_cifar10_fp32.tflite";
  Diagnostics diagnostics;
  std::optional<File> network;
  std::shared_ptr<const import::Model> model;
};

TEST_F(Resnet8, LosesAtMostOnePointOfTop1AgreementOnSeededInputs) {
  const auto samples = import::OpenSamples(*model, "random", {.seed = 1000}, diagnostics);
  const auto outcome = QuantizeNetwork(*network, *samples, {.per_channel = true}, diagnostics);
  ASSERT_TRUE(outcome) << diagnostics.Render();
  const auto inputs = import::OpenSamples(*model, "random", {.random = 200}, diagnostics);
  EXPECT_GE(Agreements(*network, outcome->quantized.file, *inputs), 198);
  EXPECT_EQ(outcome->report.size(), 14u);
  const LayerReport& worst = WorstLayer(outcome->report);
  for (const LayerReport& row : outcome->report) EXPECT_GE(row.alone.SqnrDb(), worst.alone.SqnrDb());
}

TEST_F(Resnet8, FromTfliteGivesTheImportersResults) {
  const Photographs photographs(1, 3);
  for (size_t i = 0; i < photographs.size(); ++i) {
    const Tensor x = photographs.Get(i, diagnostics)->front();
    const auto got = Result(*network, x);
    const auto values = golden::Run(model->graph, {x});
    const auto want = values[model->graph.outputs()[0]]->data<float>();
    for (size_t k = 0; k < got.size(); ++k) EXPECT_NEAR(got[k], want[k], 1e-4) << k;
  }
}

TEST(Quantize, OldOperatorSetsAreBroughtForward) {
  COSIM_NEED_DATA();
  Diagnostics diagnostics;
  const std::string path = DataFolder() + "/onnx/mnist_fp32.onnx";
  const auto network = ReadNetwork(path, diagnostics);
  const auto model = import::Import(path);
  ASSERT_TRUE(network && model) << diagnostics.Render();
  ASSERT_LT(network->opsets.at(""), 13);
  std::vector<std::string> files;
  for (const char* name : {"mnist_0", "mnist_1"})
    files.push_back(DataFolder() + "/inputs/" + name + ".f32.bin");
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / fmt::format("cosim_mnist_{}", getpid());
  std::filesystem::create_directory(folder);
  for (const std::string& file : files)
    std::filesystem::copy_file(file, folder / std::filesystem::path(file).filename());
  const auto samples = import::OpenSamples(*model, folder.string(), {}, diagnostics);
  ASSERT_TRUE(samples) << diagnostics.Render();
  EXPECT_EQ(samples->size(), 2u);
  const auto outcome = QuantizeNetwork(*network, *samples, {.per_channel = true}, diagnostics);
  ASSERT_TRUE(outcome) << diagnostics.Render();
  EXPECT_EQ(outcome->report.size(), 3u);  // two convolutions with their biases, one product
  for (const std::string& file : files) {
    const auto x = import::LoadInputs(*model, {.files = {file}}, diagnostics);
    ASSERT_TRUE(x);
    EXPECT_EQ(Top(Result(outcome->quantized.file, (*x)[0])), Top(Result(*network, (*x)[0]))) << file;
  }
  ASSERT_TRUE(Reread(outcome->quantized.file));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace cosim::quantize
