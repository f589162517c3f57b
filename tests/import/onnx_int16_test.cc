// SPDX-License-Identifier: Apache-2.0
// ONNX files quantized to 16 bits beside their operators (QDQ), as ONNX Runtime's quantizer writes them: what
// is imported is integers, equals the definition computed here in integers, and stays within a step of the
// floats that the file spells out.
#include <cmath>
#include <random>

#include "compiler/golden/golden.h"
#include "compiler/host/numeric.h"
#include "compiler/import/onnx/qdq.h"
#include "tests/import/onnx_testing.h"
#include "tests/import/testing.h"

namespace cosim::import::onnx {
namespace {

using graph::DType;
using graph::Shape;
using graph::Tensor;
using testing::HasSubstr;

/// Types of activations and weights, and whose spelling of the quantization it is.
struct Widths {
  DType activation = DType::kInt16, weight = DType::kInt8;
  std::string domain = {};
};

struct Net {
  SmallFile small;
  Widths widths;
  std::mt19937 random{7};

  explicit Net(Widths given) : widths(std::move(given)) {}

  int64_t Draw(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  }
  Tensor Steps(DType dtype, Shape shape, int64_t least, int64_t most) {
    Tensor tensor(graph::TensorType{dtype, std::move(shape)});
    graph::WithElementType(dtype, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_integral_v<T>)
        for (T& v : tensor.mutable_data<T>()) v = static_cast<T>(Draw(least, most));
    });
    return tensor;
  }
  std::string Scale(float v) { return small.Constant(Tensor({}, std::vector<float>{v})); }
  int64_t Zero() const { return widths.activation == DType::kUint16 ? 30000 : 0; }
  std::string ZeroOf(DType dtype) {
    return small.Constant(
        Steps(dtype, {}, dtype == widths.activation ? Zero() : 0, dtype == widths.activation ? Zero() : 0));
  }
  std::string Add(const std::string& op, std::vector<std::string> inputs, Attributes attributes = {}) {
    const std::string result = "v" + std::to_string(small.file.nodes.size());
    small.Node(op, std::move(inputs), {result}, std::move(attributes), 21);
    return result;
  }
  std::string Real(const std::string& q, float scale, DType dtype) {
    return Add(widths.domain + "DequantizeLinear", {q, Scale(scale), ZeroOf(dtype)});
  }
  std::string Quantized(const std::string& real, float scale) {
    return Add(widths.domain + "QuantizeLinear", {real, Scale(scale), ZeroOf(widths.activation)});
  }
  std::string Input(Shape shape) {
    const bool is_signed = widths.activation == DType::kInt16;
    return small.Input(
        Steps(widths.activation, std::move(shape), is_signed ? -32768 : 0, is_signed ? 32767 : 65535));
  }
  std::string Weights(Shape shape, float scale) {
    const int64_t most = widths.weight == DType::kInt8 ? 127 : 32767;
    return Real(small.Constant(Steps(widths.weight, std::move(shape), -most, most)), scale, widths.weight);
  }
  std::string Bias(int64_t n, float scale) {
    Tensor bias({n}, std::vector<int32_t>(n));
    for (int32_t& v : bias.mutable_data<int32_t>()) v = static_cast<int32_t>(Draw(-200000, 200000));
    return Add(widths.domain + "DequantizeLinear", {small.Constant(std::move(bias)), Scale(scale)});
  }
  std::optional<Model> Import(const std::string& output, bool host_only) {
    File file = small.file;
    file.outputs = {{.name = output}};
    Diagnostics diagnostics;
    auto model = Build(std::move(file), {.host_only = host_only}, diagnostics);
    EXPECT_TRUE(model) << diagnostics.Render();
    return model;
  }
};

constexpr float kX = 0.00031f, kW = 0.0071f, kY = 0.0043f;

/// conv, relu, max-pool, dense; [1, 5].
std::string Network(Net& net) {
  const float w = net.widths.weight == DType::kInt8 ? kW : kW / 256;
  const std::string x = net.Real(net.Input({1, 3, 6, 6}), kX, net.widths.activation);
  const std::string conv = net.Add("Conv", {x, net.Weights({4, 3, 3, 3}, w), net.Bias(4, kX * w)},
                                   {{"pads", std::vector<int64_t>{1, 1, 1, 1}}});
  const std::string y = net.Quantized(net.Add("Relu", {conv}), kY);
  const std::string pool =
      net.Add("MaxPool", {net.Real(y, kY, net.widths.activation)},
              {{"kernel_shape", std::vector<int64_t>{2, 2}}, {"strides", std::vector<int64_t>{2, 2}}});
  const std::string flat = net.Add("Flatten", {net.Real(net.Quantized(pool, kY), kY, net.widths.activation)});
  const std::string dense =
      net.Add("Gemm", {flat, net.Weights({5, 36}, w), net.Bias(5, kY * w)}, {{"transB", int64_t{1}}});
  return net.Quantized(dense, 0.013f);
}

const std::vector<Widths> kAll = {{},
                                  {.domain = "com.microsoft."},
                                  {.weight = DType::kInt16},
                                  {.activation = DType::kUint16},
                                  {DType::kUint16, DType::kInt16, "com.microsoft."}};

int64_t Furthest(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.type(), b.type());
  int64_t most = 0;
  for (int64_t i = 0; i < a.size(); ++i)
    most = std::max(most, a.dtype() == DType::kInt16
                              ? std::abs(int64_t{a.data<int16_t>()[i]} - b.data<int16_t>()[i])
                              : std::abs(int64_t{a.data<uint16_t>()[i]} - b.data<uint16_t>()[i]));
  return most;
}

void ExpectIntegersOnly(const graph::Graph& graph) {
  for (const graph::Node& node : graph.nodes())
    if (!node.As<graph::Constant>()) {
      EXPECT_FALSE(graph::IsFloat(node.type.dtype)) << node.name;
    }
}

TEST(OnnxInt16, NetworksAreIntegersAndWithinAStepOfTheirFloats) {
  for (const Widths& widths : kAll) {
    SCOPED_TRACE(fmt::format("{} by {} {}", graph::Name(widths.activation), graph::Name(widths.weight),
                             widths.domain));
    Net net(widths);
    const std::string output = Network(net);
    const auto integers = net.Import(output, false), reals = net.Import(output, true);
    ASSERT_TRUE(integers && reals);
    ExpectIntegersOnly(integers->graph);
    const Tensor got = *golden::Run(integers->graph, net.small.inputs)[integers->graph.outputs()[0]];
    const Tensor want = *graph::RunFloat(reals->graph, net.small.inputs)[reals->graph.outputs()[0]];
    EXPECT_LE(Furthest(got, want), 1);
    // As compiled for the host and, where the array has lanes of 16 bits, on it.
    for (const char* config : {"tiny.yaml", "test/lanes16.yaml"})
      EXPECT_TRUE(RunModel(LoadTestSpec(config), std::make_shared<const Model>(*integers), net.small.inputs,
                           "cycle"));
  }
}

TEST(OnnxInt16, AConvolutionIsItsDefinitionInIntegers) {
  for (const Widths& widths : kAll) {
    SCOPED_TRACE(fmt::format("{} by {}", graph::Name(widths.activation), graph::Name(widths.weight)));
    Net net(widths);
    const float w = widths.weight == DType::kInt8 ? kW : kW / 256;
    const std::string x = net.Real(net.Input({2, 3, 4, 4}), kX, widths.activation);
    const std::string y =
        net.Quantized(net.Add("Conv", {x, net.Weights({6, 3, 1, 1}, w), net.Bias(6, kX * w)}), kY);
    const auto model = net.Import(y, false);
    ASSERT_TRUE(model);
    const Tensor got = *golden::Run(model->graph, net.small.inputs)[model->graph.outputs()[0]];
    // Constants in the order in which they were made: of x, the weights, their scale and zero, the bias.
    const auto list = [&](const Tensor& tensor) { return host::Integers(tensor); };
    const auto constant = [&](int i) {
      return list(*net.small.file.initializers.at("c" + std::to_string(i)));
    };
    const auto values = list(net.small.inputs[0]), weights = constant(2), bias = constant(5);
    const double factor = static_cast<double>(kX * w / kY);
    const auto results = list(got);
    const double low = widths.activation == DType::kInt16 ? -32768 : 0;
    for (int64_t n = 0; n < 2; ++n)
      for (int64_t o = 0; o < 6; ++o)
        for (int64_t p = 0; p < 16; ++p) {
          int64_t sum = bias[o];
          for (int64_t c = 0; c < 3; ++c)
            sum += (values[(n * 3 + c) * 16 + p] - net.Zero()) * weights[o * 3 + c];
          const double steps =
              std::nearbyint(static_cast<double>(sum) * factor) + static_cast<double>(net.Zero());
          ASSERT_EQ(static_cast<double>(results[(n * 6 + o) * 16 + p]), std::clamp(steps, low, low + 65535));
        }
  }
}

TEST(OnnxInt16, ProductsByBytesRunOnAnArrayOfSixteenBits) {
  Net net({});
  const auto model = net.Import(Network(net), false);
  ASSERT_TRUE(model);
  int products = 0;
  for (const graph::Node& node : model->graph.nodes()) {
    products += node.As<graph::Conv2d>() || node.As<graph::Dense>() ? 1 : 0;
    if (const auto* op = node.As<graph::HostOp>()) {
      EXPECT_THAT(op->op->Describe(), HasSubstr("identity")) << op->reason;
    }
  }
  EXPECT_EQ(products, 2);
  const auto result = RunModel(LoadTestSpec("test/lanes16.yaml"), std::make_shared<const Model>(*model),
                               net.small.inputs, "cycle");
  ASSERT_TRUE(result);
}

/// Why the host has the first convolution of a network.
std::string ReasonOf(const Widths& widths) {
  Net net(widths);
  const auto model = net.Import(Network(net), false);
  if (!model) return "";
  for (const graph::Node& node : model->graph.nodes())
    if (const auto* op = node.As<graph::HostOp>(); op && op->op->Describe() == "qlinear_conv")
      return op->reason;
  return "";
}

TEST(OnnxInt16, WhatTheGraphCannotSaySaysWhy) {
  EXPECT_THAT(ReasonOf({.activation = DType::kUint16}),
              HasSubstr("int16 without a zero point would lift that"));
  EXPECT_THAT(ReasonOf({.weight = DType::kInt16}), HasSubstr("weights of 8 would lift that"));
}

TEST(OnnxInt16, OperatorsOfTwoActivationsAndOfOneAreIntegersOutside) {
  for (const Widths& widths : {Widths{}, Widths{.activation = DType::kUint16}}) {
    SCOPED_TRACE(graph::Name(widths.activation));
    Net net(widths);
    const std::string x = net.Real(net.Input({2, 4, 3, 3}), kX, widths.activation);
    const std::string y = net.Real(net.Input({2, 4, 3, 3}), kY, widths.activation);
    const std::string sum = net.Real(net.Quantized(net.Add("Add", {x, y}), kY), kY, widths.activation);
    const std::string gate =
        net.Real(net.Quantized(net.Add("Sigmoid", {sum}), 0.00002f), 0.00002f, widths.activation);
    const std::string product =
        net.Real(net.Quantized(net.Add("Mul", {sum, gate}), kY), kY, widths.activation);
    const std::string output = net.Quantized(net.Add("GlobalAveragePool", {product}), kY);
    const auto integers = net.Import(output, false), reals = net.Import(output, true);
    ASSERT_TRUE(integers && reals);
    ExpectIntegersOnly(integers->graph);
    const Tensor got = *golden::Run(integers->graph, net.small.inputs)[integers->graph.outputs()[0]];
    EXPECT_LE(Furthest(got, *graph::RunFloat(reals->graph, net.small.inputs)[reals->graph.outputs()[0]]), 1);
    EXPECT_TRUE(RunModel(LoadTestSpec("tiny.yaml"), std::make_shared<const Model>(*integers),
                         net.small.inputs, "functional"));
  }
}

TEST(OnnxInt16, BytesAndSixteenBitsMeetInOneConvolution) {
  Net net({});
  const std::string bytes = net.small.Input(net.Steps(DType::kInt8, {1, 3, 5, 5}, -128, 127));
  const std::string x = net.Real(bytes, 0.02f, DType::kInt8);
  const std::string output = net.Quantized(net.Add("Conv", {x, net.Weights({4, 3, 3, 3}, kW)}), 0.0013f);
  const auto integers = net.Import(output, false), reals = net.Import(output, true);
  ASSERT_TRUE(integers && reals);
  const Tensor got = *golden::Run(integers->graph, net.small.inputs)[integers->graph.outputs()[0]];
  EXPECT_LE(Furthest(got, *graph::RunFloat(reals->graph, net.small.inputs)[reals->graph.outputs()[0]]), 1);
  EXPECT_TRUE(RunModel(LoadTestSpec("tiny.yaml"), std::make_shared<const Model>(*integers), net.small.inputs,
                       "functional"));
}

// Scales of blocks have no integer form: what is around them stays as the file has it.
TEST(OnnxInt16, WeightsUnderScalesOfBlocksStayReal) {
  Net net({.activation = DType::kInt8});
  const std::string x = net.Real(net.Input({2, 8}), 0.02f, DType::kInt8);
  const std::string w = net.Add("DequantizeLinear",
                                {net.small.Constant(net.Steps(DType::kInt8, {8, 4}, -127, 127)),
                                 net.small.Constant(Tensor({2, 4}, std::vector<float>(8, 0.01f))),
                                 net.small.Constant(net.Steps(DType::kInt8, {2, 4}, 0, 0))},
                                {{"axis", int64_t{0}}, {"block_size", int64_t{4}}});
  net.small.file.outputs = {{.name = net.Quantized(net.Add("MatMul", {x, w}), 0.05f)}};
  FoldQdq(net.small.file);
  EXPECT_EQ(net.small.file.nodes.size(), 4u);
}

}  // namespace
}  // namespace cosim::import::onnx
