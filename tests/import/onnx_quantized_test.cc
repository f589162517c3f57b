// SPDX-License-Identifier: Apache-2.0
// Quantized ONNX graphs on the accelerator: what is mapped computes what the host's operators do, what cannot
// be says why, and QDQ graphs are folded as they should.
#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "compiler/golden/golden.h"
#include "compiler/graph/float_executor.h"
#include "compiler/import/onnx/build.h"
#include "compiler/import/onnx/qdq.h"
#include "compiler/import/onnx/rounding.h"
#include "tests/import/testing.h"

namespace cosim::import::onnx {
namespace {

using graph::DType;
using graph::Shape;
using graph::Tensor;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Rounding, TiesAreFoundByTheScalesMantissa) {
  std::string why;
  EXPECT_FALSE(ExactFactor(0.25f, 1000, why));
  EXPECT_THAT(why, HasSubstr("ties"));
  EXPECT_TRUE(ExactFactor(0.25f, 1, why));  // no sum of 2
  EXPECT_TRUE(ExactFactor(3.0f, 1000, why));
  EXPECT_FALSE(ExactFactor(0.0f, 10, why));
  EXPECT_FALSE(ExactFactor(std::nanf(""), 10, why));
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) {
    const float scale =
        std::ldexp(std::uniform_real_distribution<float>(0.5f, 1)(random), -static_cast<int>(random() % 14));
    const auto factor = ExactFactor(scale, 1 << 20, why);
    ASSERT_TRUE(factor) << scale << ": " << why;
    for (int64_t sum = -20000; sum <= 20000; sum += 7) {
      const int64_t got = (sum * factor->multiplier + (int64_t{1} << (factor->shift - 1))) >> factor->shift;
      const double want = std::nearbyint(static_cast<double>(sum) * static_cast<double>(scale));
      ASSERT_EQ(std::clamp<double>(static_cast<double>(got), -300, 300), std::clamp(want, -300.0, 300.0))
          << sum;
    }
  }
}

TEST(Rounding, SumsOfTwoBytesAgreeOnAllPairs) {
  const int32_t zeros[3] = {3, -5, 7};
  const auto exact = [&](double a, double b) {
    return [=](int32_t x, int32_t y) {
      const double steps = std::nearbyint((x - 3) * a + (y + 5) * b) + 7;
      return static_cast<int32_t>(std::clamp(steps, -128.0, 127.0));
    };
  };
  std::string why;
  EXPECT_TRUE(AddFor(0.1234567, 0.0717171, 0.1515151, zeros,
                     exact(0.1234567 / 0.1515151, 0.0717171 / 0.1515151), why))
      << why;
  EXPECT_FALSE(AddFor(0.5, 0.5, 1, zeros, exact(0.5, 0.5), why));
  EXPECT_THAT(why, HasSubstr("of the 65,536 pairs"));
  EXPECT_FALSE(AddFor(1e-9, 1e9, 1, zeros, exact(1e-9, 1e9), why));
}

/// A file under construction.
struct Net {
  File file{.name = "test.onnx"};
  std::mt19937 random;
  bool is_unsigned = false;
  int count = 0;

  explicit Net(uint32_t seed) : random(seed), is_unsigned(seed % 2 != 0) {}

  int Draw(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); }
  std::string Constant(Tensor tensor) {
    const std::string name = "c" + std::to_string(count++);
    file.initializers[name] = std::make_shared<const Tensor>(std::move(tensor));
    return name;
  }
  std::string Scale(float least = 0.01f, float most = 0.1f) {
    return Constant(
        Tensor({}, std::vector<float>{std::uniform_real_distribution<float>(least, most)(random)}));
  }
  std::string Scales(int64_t n) {
    std::vector<float> list(n);
    for (float& v : list) v = std::uniform_real_distribution<float>(0.002f, 0.02f)(random);
    return Constant(Tensor({n}, list));
  }
  std::string Bytes(Shape shape, bool is_signed, int least, int most) {
    Tensor tensor(graph::TensorType{is_signed ? DType::kInt8 : DType::kUint8, std::move(shape)});
    for (uint8_t& v : tensor.mutable_bytes()) v = static_cast<uint8_t>(Draw(least, most));
    return Constant(std::move(tensor));
  }
  std::string Zero() { return is_unsigned ? Bytes({}, false, 100, 156) : Bytes({}, true, -20, 20); }
  std::string Weights(Shape shape) { return Bytes(std::move(shape), true, -127, 127); }
  std::string NoZero() { return Bytes({}, true, 0, 0); }
  std::string Bias(int64_t n) {
    std::vector<int32_t> list(n);
    for (int32_t& v : list) v = Draw(-2000, 2000);
    return Constant(Tensor({n}, list));
  }
  std::string Add(const std::string& op, std::vector<std::string> inputs,
                  std::map<std::string, Attribute> attributes = {}) {
    const std::string name = "v" + std::to_string(count++);
    file.nodes.push_back({.op = op,
                          .name = name,
                          .opset = 13,
                          .inputs = std::move(inputs),
                          .outputs = {name},
                          .attributes = std::move(attributes)});
    return name;
  }
  std::string Input(Shape shape) {
    ValueInfo info{.name = "x", .dtype = is_unsigned ? DType::kUint8 : DType::kInt8};
    for (int64_t extent : shape) info.dimensions.emplace_back(extent);
    file.inputs.push_back(info);
    return "x";
  }
  std::optional<Model> Import(const std::string& output, bool host_only) {
    file.outputs = {{.name = output}};
    Diagnostics diagnostics;
    auto model = Build(file, {.host_only = host_only}, diagnostics);
    EXPECT_TRUE(model) << diagnostics.Render();
    return model;
  }
};

/// conv -> max-pool -> add of itself convolved -> average -> dense -> add of constants.
std::string RandomNetwork(Net& net) {
  const int64_t channels = net.Draw(1, 9), wide = net.Draw(2, 20), size = net.Draw(5, 9);
  const std::string x = net.Input({1, channels, size, size}), xs = net.Scale(), xz = net.Zero();
  const std::string as = net.Scale(0.05f, 0.3f), az = net.Zero();
  const std::string a = net.Add("QLinearConv",
                                {x, xs, xz, net.Weights({wide, channels, 3, 3}), net.Scales(wide),
                                 net.Bytes({wide}, true, 0, 0), as, az, net.Bias(wide)},
                                {{"pads", std::vector<int64_t>{1, 1, 1, 1}}});
  const std::string p = net.Add("MaxPool", {a}, {{"kernel_shape", std::vector<int64_t>{2, 2}}});
  const std::string bs = net.Scale(0.05f, 0.3f), bz = net.Zero();
  const std::string b =
      net.Add("QLinearConv",
              {p, as, az, net.Weights({wide, 1, 3, 3}), net.Scale(0.002f, 0.02f), net.NoZero(), bs, bz},
              {{"auto_pad", std::string("SAME_UPPER")}, {"group", wide}});
  const std::string ss = net.Scale(0.05f, 0.5f), sz = net.Zero();
  const std::string s = net.Add("com.microsoft.QLinearAdd", {p, as, az, b, bs, bz, ss, sz});
  const std::string ms = net.Scale(0.03f, 0.3f), mz = net.Zero();
  const std::string m = net.Add("com.microsoft.QLinearGlobalAveragePool", {s, ss, sz, ms, mz});
  const std::string f = net.Add("Flatten", {m});
  const std::string ds = net.Scale(0.02f, 0.1f), dz = net.Zero();
  const std::string d = net.Add(
      "com.microsoft.QGemm",
      {f, ms, mz, net.Weights({12, wide}), net.Scales(12), net.Bytes({12}, true, 0, 0), net.Bias(12), ds, dz},
      {{"transB", int64_t{1}}});
  return net.Add("com.microsoft.QLinearAdd",
                 {d, ds, dz, net.Bytes({12}, true, -128, 127), net.Scale(0.002f, 0.02f), net.NoZero(),
                  net.Scale(0.02f, 0.1f), net.Zero()});
}

/// A network as the accelerator has it, on an input.
struct Agreed {
  std::shared_ptr<const Model> model;
  Tensor input, result;
};

/// Expects of random bytes that the host's operators compute the same. Nothing when one form is not imported.
std::optional<Agreed> ImportAndCompare(Net& net, const std::string& output) {
  auto core = net.Import(output, false);
  const auto host = net.Import(output, true);
  if (!core || !host) return std::nullopt;
  Tensor input(core->graph.node(core->graph.inputs()[0]).type);
  for (uint8_t& v : input.mutable_bytes()) v = static_cast<uint8_t>(net.random());
  Tensor result = *golden::Run(core->graph, {input})[core->graph.outputs()[0]];
  EXPECT_EQ(result, *graph::RunFloat(host->graph, {input})[host->graph.outputs()[0]]);
  return Agreed{std::make_shared<const Model>(*std::move(core)), std::move(input), std::move(result)};
}

TEST(OnnxQuantized, RandomNetworksComputeWhatTheHostsOperatorsDo) {
  int on_accelerator = 0, all = 0;
  const auto spec = LoadTestSpec("pynq.yaml");
  for (uint32_t seed = 1; seed <= 24; ++seed) {
    SCOPED_TRACE(seed);
    Net net(seed);
    const auto agreed = ImportAndCompare(net, RandomNetwork(net));
    ASSERT_TRUE(agreed);
    for (const auto& node : agreed->model->graph.nodes()) {
      if (const auto* op = node.As<graph::HostOp>()) {
        EXPECT_NE(op->reason, "") << node.name;
      }
      const bool is_host = node.As<graph::HostOp>() && node.name.find('.') == std::string::npos;
      all += node.name.find('.') == std::string::npos && node.name[0] == 'v';
      on_accelerator += !is_host && node.name.find('.') == std::string::npos && node.name[0] == 'v';
    }
    if (seed <= 4) {
      EXPECT_TRUE(RunModel(spec, agreed->model, {agreed->input}, "cycle"));
    }
  }
  // Generic scales: nearly everything fits.
  EXPECT_GE(on_accelerator, all * 9 / 10) << on_accelerator << " of " << all;
}

/// conv -> max-pool -> depthwise conv -> add -> average -> dense, over one dimension.
std::string LineNetwork(Net& net) {
  const int64_t channels = net.Draw(1, 9), wide = net.Draw(2, 20), size = net.Draw(12, 40);
  const std::string x = net.Input({1, channels, size}), xs = net.Scale(), xz = net.Zero();
  const std::string as = net.Scale(0.05f, 0.3f), az = net.Zero();
  const std::string a = net.Add("QLinearConv",
                                {x, xs, xz, net.Weights({wide, channels, 5}), net.Scales(wide),
                                 net.Bytes({wide}, true, 0, 0), as, az, net.Bias(wide)},
                                {{"pads", std::vector<int64_t>{2, 1}}, {"strides", std::vector<int64_t>{2}}});
  const std::string p = net.Add("MaxPool", {a}, {{"kernel_shape", std::vector<int64_t>{3}}});
  const std::string bs = net.Scale(0.05f, 0.3f), bz = net.Zero();
  const std::string b = net.Add(
      "QLinearConv", {p, as, az, net.Weights({wide, 1, 3}), net.Scale(0.002f, 0.02f), net.NoZero(), bs, bz},
      {{"auto_pad", std::string("SAME_UPPER")}, {"group", wide}});
  const std::string ss = net.Scale(0.05f, 0.5f), sz = net.Zero();
  const std::string s = net.Add("com.microsoft.QLinearAdd", {p, as, az, b, bs, bz, ss, sz});
  const std::string ms = net.Scale(0.03f, 0.3f), mz = net.Zero();
  const std::string m = net.Add("com.microsoft.QLinearGlobalAveragePool", {s, ss, sz, ms, mz});
  const std::string f = net.Add("Flatten", {m});
  return net.Add("com.microsoft.QGemm",
                 {f, ms, mz, net.Weights({12, wide}), net.Scales(12), net.Bytes({12}, true, 0, 0),
                  net.Bias(12), net.Scale(0.02f, 0.1f), net.Zero()},
                 {{"transB", int64_t{1}}});
}

TEST(OnnxQuantized, WhatHasOneDimensionIsAnImageOfHeightOne) {
  const auto spec = LoadTestSpec("pynq.yaml");
  for (uint32_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    Net net(seed);
    const auto agreed = ImportAndCompare(net, LineNetwork(net));
    ASSERT_TRUE(agreed);
    for (const auto& node : agreed->model->graph.nodes())
      if (const auto* op = node.As<graph::HostOp>()) {
        EXPECT_THAT(op->op->Describe(),
                    testing::AnyOf(HasSubstr("reshape"), HasSubstr("uint8"), HasSubstr("identity")))
            << node.name << ": " << op->reason;
      }
    if (seed <= 2) {
      EXPECT_TRUE(RunModel(spec, agreed->model, {agreed->input}, "cycle"));
    }
  }
}

TEST(OnnxQuantized, ALineIsALineWhereTheHostReadsIt) {
  Net net(3);
  const std::string x = net.Input({1, 4, 20});
  const std::string y =
      net.Add("QLinearConv", {x, net.Scale(), net.Zero(), net.Weights({6, 4, 3}), net.Scale(0.002f, 0.02f),
                              net.NoZero(), net.Scale(0.05f, 0.3f), net.Zero()});
  const auto agreed = ImportAndCompare(net, net.Add("Transpose", {y}));
  ASSERT_TRUE(agreed);
  EXPECT_EQ(agreed->result.shape(), (Shape{18, 6, 1}));
}

// Weights less their zero points need nine bits. One a channel, one a tensor, 0 of unsigned bytes.
TEST(OnnxQuantized, WeightsWithZeroPointsRunOnTheAccelerator) {
  const auto spec = LoadTestSpec("tiny.yaml");
  for (const int kind : {0, 1, 2}) {
    SCOPED_TRACE(kind);
    Net net(20 + static_cast<uint32_t>(kind));
    const std::string x = net.Input({1, 6, 7, 7}), weights = net.Bytes({9, 6, 3, 3}, kind == 0, 0, 255);
    const std::string zero =
        kind == 0 ? net.Bytes({9}, true, -128, 127) : net.Bytes({}, false, 0, kind == 1 ? 255 : 0);
    const std::string ys = net.Scale(0.3f, 0.5f), yz = net.Zero();
    const std::string y = net.Add("QLinearConv", {x, net.Scale(), net.Zero(), weights,
                                                  net.Scale(0.002f, 0.02f), zero, ys, yz, net.Bias(9)});
    const std::string flat = net.Add("Flatten", {y});
    const auto agreed = ImportAndCompare(
        net, net.Add("QLinearMatMul",
                     {flat, ys, yz, net.Bytes({225, 5}, true, -128, 127), net.Scale(0.002f, 0.02f),
                      net.Bytes({}, true, -128, 127), net.Scale(0.3f, 0.5f), net.Zero()}));
    ASSERT_TRUE(agreed);
    for (const auto& node : agreed->model->graph.nodes())
      if (const auto* op = node.As<graph::HostOp>()) {
        EXPECT_NE(node.name, y) << op->reason;
      }
    EXPECT_TRUE(RunModel(spec, agreed->model, {agreed->input}, "cycle"));
  }
}

TEST(OnnxQuantized, TiesStayOnTheHostAndSayWhy) {
  Net net(2);
  const auto scale = [&](float v) { return net.Constant(Tensor({}, std::vector<float>{v})); };
  const std::string x = net.Input({1, 4, 4, 4});
  const std::string y = net.Add("QLinearConv", {x, scale(0.5f), net.Zero(), net.Weights({4, 4, 1, 1}),
                                                scale(0.125f), net.NoZero(), scale(1.0f), net.Zero()});
  const auto model = net.Import(y, false);
  ASSERT_TRUE(model);
  const auto* op =
      model->graph.node(*model->graph.Find("v" + std::to_string(net.count - 1))).As<graph::HostOp>();
  ASSERT_TRUE(op);
  EXPECT_THAT(op->reason, HasSubstr("makes ties"));
  EXPECT_THAT(op->reason, HasSubstr("would lift that"));
}

// What quantizing has left in float is not to be quantized once more.
TEST(OnnxQuantized, FloatsOfAQuantizedModelAreNotToldToBeQuantized) {
  Net net(4);
  const std::string real = net.Add("DequantizeLinear", {net.Input({1, 4, 5, 5}), net.Scale(), net.Zero()});
  const auto model = net.Import(net.Add("Sigmoid", {real}), false);
  ASSERT_TRUE(model);
  const auto* op =
      model->graph.node(*model->graph.Find("v" + std::to_string(net.count - 1))).As<graph::HostOp>();
  ASSERT_TRUE(op);
  EXPECT_EQ(op->reason, "float32 within a quantized model: its file has no integer form of this Sigmoid");
}

TEST(OnnxUnsupported, VersionAndOperatorsAreNamedAtOnce) {
  Net net(2);
  net.file.opset = 23;
  const std::string x = net.Input({1, 2});
  const std::string a = net.Add("Bernoulli", {x}), b = net.Add("Bernoulli", {x}),
                    c = net.Add("LpPool", {x, x});
  net.file.outputs = {{.name = net.Add("com.example.Mystery", {a, b, c})}};
  Diagnostics diagnostics;
  EXPECT_FALSE(Build(net.file, {}, diagnostics));
  const std::string text = diagnostics.Render();
  EXPECT_THAT(text, HasSubstr("operator set 23; this importer knows up to 22"));
  EXPECT_THAT(text,
              HasSubstr("operator Bernoulli (operator set 13) is not supported: 2 nodes, the first is 'v0'; "
                        "it draws at random"));
  EXPECT_THAT(text,
              HasSubstr("operator com.example.Mystery (operator set 13) is not supported: node 'v3'; nothing "
                        "of domain 'com.example' is known"));
  EXPECT_THAT(text, HasSubstr("node 'v2' (LpPool): "));
}

std::vector<std::string> Operators(const File& file) {
  std::vector<std::string> list;
  for (const NodeInfo& node : file.nodes) list.push_back(node.op);
  return list;
}

/// DQ(x), DQ(w), DQ(bias) -> Conv -> activation -> Q.
File QdqConvolution(const std::string& activation, int zero, float bias_scale) {
  Net net(2);
  const auto scale = [&](float v) { return net.Constant(Tensor({}, std::vector<float>{v})); };
  const std::string xs = scale(0.5f), xz = net.NoZero(), ws = scale(0.25f), wz = net.NoZero();
  const std::string x = net.Add("DequantizeLinear", {net.Input({1, 2, 4, 4}), xs, xz});
  const std::string w = net.Add("DequantizeLinear", {net.Weights({3, 2, 1, 1}), ws, wz});
  const std::string b = net.Add("DequantizeLinear", {net.Bias(3), scale(bias_scale)});
  std::string y = net.Add("Conv", {x, w, b});
  if (!activation.empty()) y = net.Add(activation, {y});
  net.file.outputs = {{.name = net.Add("QuantizeLinear", {y, scale(0.3f), net.Bytes({}, true, zero, zero)})}};
  FoldQdq(net.file);
  return net.file;
}

TEST(Qdq, ConvolutionsBecomeTheirIntegerForm) {
  EXPECT_THAT(Operators(QdqConvolution("", 5, 0.125f)), ElementsAre("QLinearConv"));
  EXPECT_EQ(QdqConvolution("", 5, 0.125f).nodes[0].inputs.size(), 9u);
}

TEST(Qdq, ActivationsAreSaturationOrAClip) {
  EXPECT_THAT(Operators(QdqConvolution("Relu", -128, 0.125f)), ElementsAre("QLinearConv"));
  const File file = QdqConvolution("Relu", 5, 0.125f);
  EXPECT_THAT(Operators(file), ElementsAre("QLinearConv", "Clip"));
  EXPECT_EQ(file.initializers.at(file.nodes[1].inputs[1])->data<int8_t>()[0], 5);
  EXPECT_EQ(file.initializers.at(file.nodes[1].inputs[2])->data<int8_t>()[0], 127);
}

TEST(Qdq, ABiasOfAnotherScaleIsLeftAlone) {
  EXPECT_THAT(
      Operators(QdqConvolution("", 5, 0.1f)),
      ElementsAre("DequantizeLinear", "DequantizeLinear", "DequantizeLinear", "Conv", "QuantizeLinear"));
}

TEST(Qdq, MovingBytesUnderOneScaleIsMovingThem) {
  Net net(2);
  const std::string s = net.Scale(), z = net.NoZero(), other = net.Scale();
  const std::string x = net.Add("DequantizeLinear", {net.Input({1, 2, 3, 4}), s, z});
  const std::string t = net.Add("Transpose", {x}), r = net.Add("Identity", {t});
  File same = net.file, different = net.file;
  const NodeInfo quantize{.op = "QuantizeLinear", .name = "q", .opset = 13, .outputs = {"q"}};
  for (File* file : {&same, &different}) {
    file->nodes.push_back(quantize);
    file->nodes.back().inputs = {r, file == &same ? s : other, z};
    file->outputs = {{.name = "q"}};
    FoldQdq(*file);
  }
  EXPECT_THAT(Operators(same), ElementsAre("Transpose", "Identity", "Identity"));
  EXPECT_THAT(Operators(different),
              ElementsAre("DequantizeLinear", "Transpose", "Identity", "QuantizeLinear"));
}

TEST(Qdq, LongChainsTakeNoStack) {
  Net net(2);
  const std::string s = net.Scale(), z = net.NoZero();
  std::string v = net.Add("DequantizeLinear", {net.Input({1, 2}), s, z});
  for (int i = 0; i < 200'000; ++i) v = net.Add("Identity", {v});
  net.file.outputs = {{.name = net.Add("QuantizeLinear", {v, s, z})}};
  FoldQdq(net.file);
  EXPECT_EQ(net.file.nodes.size(), 200'001u);
}

}  // namespace
}  // namespace cosim::import::onnx
