// SPDX-License-Identifier: Apache-2.0
// Networks as MobileNetV3 is made: hard swish as exporters spell it out, squeeze and excite, depthwise
// convolutions.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <Eigen/Cholesky>
#include <random>

#include "compiler/quantize/calibrate.h"
#include "compiler/quantize/onnx_writer.h"
#include "compiler/quantize/simplify.h"
#include "tests/quantize/compiled_runs.h"
#include "tests/quantize/photographs.h"

namespace cosim::quantize {
namespace {

using graph::Tensor;
using import::onnx::File;
using import::onnx::NodeInfo;
using AttributeInts = std::vector<int64_t>;

constexpr int64_t kPictures = 6, kFeatures = 16 * 4 * 4;

/// Three blocks of drawn weights, and a last layer that is trained to tell the six pictures apart.
class SwishNetwork {
 public:
  SwishNetwork() {
    file.name = "swish.onnx";
    file.opsets[""] = 13;
    file.inputs.push_back({.name = "x", .dimensions = {1, 32, 32, 3}});
    Number("three", 3);
    Number("zero", 0);
    Number("six", 6);
    Number("pixel", 1.0f / 64);
    Node("Transpose", {"x"}, "planes").attributes["perm"] = AttributeInts{0, 3, 1, 2};
    Node("Mul", {"planes", "pixel"}, "scaled");
    std::string value = Swish(Conv("scaled", "stem", 3, 16, 3, 2, 1));
    for (int block = 0; block < 3; ++block) value = Block(value, fmt::format("b{}", block));
    NodeInfo& pool = Node("AveragePool", {value}, "pooled");
    pool.attributes["kernel_shape"] = pool.attributes["strides"] = AttributeInts{4, 4};
    Node("Flatten", {"pooled"}, "features");
    file.outputs.push_back({.name = "features", .dimensions = {1, kFeatures}});
    Classify();
  }

  File file;

 private:
  NodeInfo& Node(const char* op, std::vector<std::string> inputs, const std::string& output) {
    file.nodes.push_back({op, output, 13, std::move(inputs), {output}, {}, ""});
    return file.nodes.back();
  }
  void Number(const char* name, float value) {
    file.initializers[name] = std::make_shared<const Tensor>(graph::Shape{}, std::vector<float>{value});
  }
  std::string Weights(const std::string& name, const graph::Shape& shape, float most) {
    std::vector<float> values(graph::NumElements(shape));
    for (float& v : values) v = most * (static_cast<float>(random_() >> 8) / (1 << 23) - 1);
    file.initializers[name] = std::make_shared<const Tensor>(shape, std::move(values));
    return name;
  }
  std::string Conv(const std::string& x, const std::string& name, int64_t from, int64_t to, int64_t kernel,
                   int64_t stride, int64_t groups) {
    const int64_t taps = from / groups * kernel * kernel;
    const std::string w =
        Weights(name + ".w", {to, from / groups, kernel, kernel}, 2.4f / std::sqrt(static_cast<float>(taps)));
    NodeInfo& node = Node("Conv", {x, w, Weights(name + ".b", {to}, 0.3f)}, name);
    node.attributes["pads"] = AttributeInts(4, kernel / 2);
    node.attributes["strides"] = AttributeInts(2, stride);
    node.attributes["group"] = groups;
    return name;
  }
  /// x * clip(x + 3, 0, 6) / 6, as PyTorch writes it.
  std::string Swish(const std::string& x) {
    Node("Add", {x, "three"}, x + ".raised");
    Node("Clip", {x + ".raised", "zero", "six"}, x + ".gate");
    Node("Mul", {x, x + ".gate"}, x + ".gated");
    Node("Div", {x + ".gated", "six"}, x + ".swish");
    return x + ".swish";
  }
  std::string Block(const std::string& x, const std::string& name) {
    const std::string wide = Swish(Conv(x, name + ".expand", 16, 32, 1, 1, 1));
    const std::string deep = Swish(Conv(wide, name + ".depthwise", 32, 32, 3, 1, 32));
    Node("GlobalAveragePool", {deep}, name + ".squeezed");
    Node("Relu", {Conv(name + ".squeezed", name + ".reduce", 32, 8, 1, 1, 1)}, name + ".relu");
    Conv(name + ".relu", name + ".excite", 8, 32, 1, 1, 1);
    Node("Add", {name + ".excite", "three"}, name + ".raised");
    Node("Clip", {name + ".raised", "zero", "six"}, name + ".clipped");
    Node("Div", {name + ".clipped", "six"}, name + ".gate");
    Node("Mul", {deep, name + ".gate"}, name + ".excited");
    Conv(name + ".excited", name + ".project", 32, 16, 1, 1, 1);
    Node("Add", {x, name + ".project"}, name);
    return name;
  }

  void Classify() {
    const Photographs pictures(70000, 400);
    Diagnostics diagnostics;
    std::string error;
    auto code = CompiledFile::Make(file, {"features"}, PointersTo(*pictures.Get(0, diagnostics)), error);
    ASSERT_TRUE(code) << error;
    Eigen::MatrixXd x(pictures.size(), kFeatures + 1), y = Eigen::MatrixXd::Zero(pictures.size(), kPictures);
    for (size_t i = 0; i < pictures.size(); ++i) {
      // Which of the pictures a sample shows is the first that its seed draws.
      y(i, std::mt19937(70000 + static_cast<uint32_t>(i))() % kPictures) = 10;
      const auto picture = pictures.Get(i, diagnostics);
      const auto values = code->Run(PointersTo(*picture));
      const auto f = values.at("features")->data<float>();
      for (int64_t k = 0; k < kFeatures; ++k) x(i, k) = f[k];
      x(i, kFeatures) = 1;
    }
    Eigen::MatrixXd squares = x.transpose() * x;
    squares.diagonal().array() += 0.01 * squares.trace() / kFeatures;
    const Eigen::MatrixXf fit = squares.llt().solve(x.transpose() * y).cast<float>();
    std::vector<float> weights, bias;
    for (int64_t c = 0; c < kPictures; ++c) {
      for (int64_t k = 0; k < kFeatures; ++k) weights.push_back(fit(k, c));
      bias.push_back(fit(kFeatures, c));
    }
    file.initializers["last.w"] = std::make_shared<const Tensor>(graph::Shape{kPictures, kFeatures}, weights);
    file.initializers["last.b"] = std::make_shared<const Tensor>(graph::Shape{kPictures}, bias);
    Node("Gemm", {"features", "last.w", "last.b"}, "scores").attributes["transB"] = int64_t{1};
    file.outputs = {{.name = "scores", .dimensions = {1, kPictures}}};
  }

  std::mt19937 random_{3};
};

std::optional<import::Model> Reimported(const File& file) {
  std::string error;
  const auto bytes = WriteOnnx(file, error);
  EXPECT_TRUE(bytes) << error;
  Diagnostics diagnostics;
  auto model = bytes ? import::ImportOnnx({reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()},
                                          "q.onnx", "", {}, diagnostics)
                     : std::nullopt;
  EXPECT_TRUE(model) << diagnostics.Render();
  return model;
}

TEST(Swish, QuantizedNetworksChooseAsTheFloatOneWithinAPoint) {
  COSIM_NEED_DATA();
  const SwishNetwork network;
  Diagnostics diagnostics;
  const auto outcome =
      QuantizeNetwork(network.file, Photographs(1000, 32), {.per_channel = true}, diagnostics);
  ASSERT_TRUE(outcome) << diagnostics.Render();
  const Photographs set(100000, 500);
  const int agreeing = Agreeing(Choices(network.file, set), Choices(outcome->quantized.file, set));
  fmt::print("{} of 500\n", agreeing);
  EXPECT_GE(agreeing, 495);

  // All between the ends is bytes: the hard swishes and gates are tables.
  const auto model = Reimported(outcome->quantized.file);
  ASSERT_TRUE(model);
  int tables = 0, floats = 0;
  for (const graph::Node& node : model->graph.nodes()) {
    tables += node.As<graph::Table>() != nullptr;
    floats += node.type.dtype == graph::DType::kFloat32 && !node.As<graph::Constant>();
  }
  EXPECT_EQ(tables, 7 + 3);
  // The input, its two steps before the first quantization, and the scores.
  EXPECT_LE(floats, 4);
}

TEST(FuseActivations, HardSwishHasManySpellings) {
  for (const bool divides_first : {true, false}) {
    File file;
    file.name = "spelled.onnx";
    file.opsets[""] = 13;
    file.inputs.push_back({.name = "x", .dimensions = {1, 4}});
    file.outputs.push_back({.name = "y", .dimensions = {1, 4}});
    const auto number = [&](const char* name, float value) {
      file.initializers[name] = std::make_shared<const Tensor>(graph::Shape{}, std::vector<float>{value});
    };
    number("three", 3);
    number("zero", 0);
    number("six", 6);
    number("sixth", 1.0f / 6);
    const auto add = [&](const char* op, std::vector<std::string> inputs, const char* output) {
      file.nodes.push_back({op, output, 13, std::move(inputs), {output}, {}, ""});
    };
    add("Add", {"three", "x"}, "a");
    add("Clip", {"a", "zero", "six"}, "c");
    add("Mul", {divides_first ? "sixth" : "x", "c"}, "m");
    if (divides_first)
      add("Mul", {"m", "x"}, "y");
    else
      add("Div", {"m", "six"}, "y");
    const Tensor x({1, 4}, std::vector<float>{-4, -1, 2, 5});
    std::string error;
    const auto before = Evaluate(file, {x}, error);
    FuseActivations(file);
    ASSERT_EQ(file.nodes.size(), 1u);
    EXPECT_EQ(file.nodes[0].op, "HardSwish");
    EXPECT_EQ(file.opsets[""], 14);
    const auto after = Evaluate(file, {x}, error);
    ASSERT_TRUE(before && after) << error;
    for (size_t i = 0; i < 4; ++i)
      EXPECT_NEAR(after->at("y")->data<float>()[i], before->at("y")->data<float>()[i], 1e-6);
  }
}

// A channel that batch normalization has all but switched off: tiny weights, a bias of ordinary size.
TEST(Quantize, ATinyChannelWithALargeBiasStaysWithTheAccelerator) {
  File file;
  file.name = "tiny.onnx";
  file.opsets[""] = 13;
  file.inputs.push_back({.name = "x", .dimensions = {1, 4, 8, 8}});
  file.outputs.push_back({.name = "y", .dimensions = {1, 4, 8, 8}});
  std::mt19937 random(5);
  std::vector<float> weights(4 * 4 * 9);
  for (size_t i = 0; i < weights.size(); ++i)
    weights[i] = (static_cast<float>(random() >> 8) / (1 << 23) - 1) * (i < 36   ? 1e-9f
                                                                        : i < 72 ? 1e-20f
                                                                                 : 1.0f);
  file.initializers["w"] = std::make_shared<const Tensor>(graph::Shape{4, 4, 3, 3}, weights);
  file.initializers["b"] =
      std::make_shared<const Tensor>(graph::Shape{4}, std::vector<float>{7, 0, -2, 0.5f});
  file.nodes.push_back({"Conv", "y", 13, {"x", "w", "b"}, {"y"}, {{"pads", AttributeInts(4, 1)}}, ""});
  const auto exact = Reimported(file);
  ASSERT_TRUE(exact);
  Diagnostics diagnostics;
  const auto samples = import::OpenSamples(*exact, "random", {}, diagnostics);
  for (const Rounding rounding : {Rounding::kNearest, Rounding::kLearned}) {
    const auto outcome =
        QuantizeNetwork(file, *samples, {.per_channel = true, .rounding = rounding}, diagnostics);
    ASSERT_TRUE(outcome) << diagnostics.Render();
    for (const int32_t bias : outcome->quantized.file.initializers.at("b_quantized")->data<int32_t>())
      EXPECT_LE(std::abs(bias), 1 << 28);
    const auto model = Reimported(outcome->quantized.file);
    ASSERT_TRUE(model);
    int convolutions = 0;
    for (const graph::Node& node : model->graph.nodes()) convolutions += node.As<graph::Conv2d>() != nullptr;
    EXPECT_EQ(convolutions, 1);
    EXPECT_GT(outcome->report[0].all.SqnrDb(), 30);
  }
}

}  // namespace
}  // namespace cosim::quantize
