// SPDX-License-Identifier: Apache-2.0
// Operators of ONNX's operator sets 18 to 22 and of onnxruntime, against what their specifications say,
// written down once more.
#include <cmath>
#include <numeric>

#include "compiler/graph/verify.h"
#include "tests/import/onnx_testing.h"

namespace cosim::import::onnx {
namespace {

using graph::DType;
using graph::Shape;
using graph::Tensor;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

std::vector<float> Ramp(size_t n, float first = -1.5f, float step = 0.37f) {
  std::vector<float> values(n);
  for (size_t i = 0; i < n; ++i) values[i] = first + step * static_cast<float>(i % 11);
  return values;
}

template <typename T>
Tensor Of(DType dtype, Shape shape, std::vector<T> values) {
  Tensor tensor(graph::TensorType{dtype, std::move(shape)});
  std::ranges::copy(values, tensor.mutable_data<T>().begin());
  return tensor;
}
Tensor Bytes(std::vector<uint8_t> values) {
  const auto n = static_cast<int64_t>(values.size());
  return Of(DType::kUint8, {n}, std::move(values));
}
Tensor Byte(uint8_t value) { return Of(DType::kUint8, {}, std::vector<uint8_t>{value}); }
Tensor Scalar(float value) { return Floats({}, {value}); }

double Gelu(double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }
double FastGelu(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

template <typename F>
std::vector<double> Mapped(const std::vector<float>& x, F f) {
  std::vector<double> y;
  for (float v : x) y.push_back(f(static_cast<double>(v)));
  return y;
}

TEST(OnnxNewer, BitsAreCombined) {
  const Tensor a = Of<int16_t>(DType::kInt16, {3}, {12, -1, 255}), b = Of<int16_t>(DType::kInt16, {1}, {10});
  EXPECT_THAT(ResultOf("BitwiseAnd", {a, b}).data<int16_t>(), ElementsAre(8, 10, 10));
  EXPECT_THAT(ResultOf("BitwiseOr", {a, b}).data<int16_t>(), ElementsAre(14, -1, 255));
  EXPECT_THAT(ResultOf("BitwiseXor", {a, b}).data<int16_t>(), ElementsAre(6, -11, 245));
  EXPECT_THAT(ResultOf("BitwiseNot", {a}).data<int16_t>(), ElementsAre(-13, 0, -256));
}

TEST(OnnxNewer, ActivationsAreWhatTheirFormulasSay) {
  const auto x = Ramp(11, -4, 0.81f);
  const Tensor input = Floats({11}, x);
  ExpectNear(ResultOf("Gelu", {input}, {}, {}, 20), {11}, Mapped(x, Gelu));
  ExpectNear(ResultOf("Gelu", {input}, {}, {{"approximate", std::string("tanh")}}, 20), {11},
             Mapped(x, FastGelu));
  ExpectNear(ResultOf("Mish", {input}), {11},
             Mapped(x, [](double v) { return v * std::tanh(std::log1p(std::exp(v))); }));
  ExpectNear(ResultOf("com.microsoft.FastGelu", {input}, {Floats({11}, std::vector<float>(11, 0.5f))}), {11},
             Mapped(x, [](double v) { return FastGelu(v + 0.5); }));
  ExpectNear(ResultOf("com.microsoft.BiasGelu", {input}, {Floats({11}, std::vector<float>(11, 0.5f))}), {11},
             Mapped(x, [](double v) { return Gelu(v + 0.5); }));
  ExpectNear(ResultOf("com.microsoft.QuickGelu", {input}), {11},
             Mapped(x, [](double v) { return v / (1 + std::exp(-1.702 * v)); }));
}

/// By groups of two channels of x [1,4,3], scale and bias of each channel.
std::vector<double> GroupNormalized(const std::vector<float>& x, const std::vector<double>& scale,
                                    const std::vector<double>& bias) {
  std::vector<double> y;
  for (size_t i = 0; i < x.size(); ++i) {
    const auto begin = x.begin() + static_cast<std::ptrdiff_t>(i / 6 * 6);
    const double mean = std::accumulate(begin, begin + 6, 0.0) / 6;
    double variance = 0;
    for (auto v = begin; v != begin + 6; ++v) variance += (*v - mean) * (*v - mean) / 6;
    y.push_back((x[i] - mean) / std::sqrt(variance + 1e-5) * scale[i / 3] + bias[i / 3]);
  }
  return y;
}

TEST(OnnxNewer, GroupsAreNormalizedByBothReadings) {
  const auto x = Ramp(12);
  const Attributes groups = {{"num_groups", int64_t{2}}};
  ExpectNear(ResultOf("GroupNormalization", {Floats({1, 4, 3}, x)},
                      {Floats({2}, {2, 3}), Floats({2}, {1, -1})}, groups, 18),
             {1, 4, 3}, GroupNormalized(x, {2, 2, 3, 3}, {1, 1, -1, -1}), 1e-4);
  ExpectNear(ResultOf("GroupNormalization", {Floats({1, 4, 3}, x)},
                      {Floats({4}, {2, 3, 4, 5}), Floats({4}, {1, -1, 0, 2})}, groups, 21),
             {1, 4, 3}, GroupNormalized(x, {2, 3, 4, 5}, {1, -1, 0, 2}), 1e-4);
}

TEST(OnnxNewer, PadsTakeAxesAndWrap) {
  const Tensor x = Floats({2, 3}, {1, 2, 3, 4, 5, 6});
  SmallFile small;
  const std::string input = small.Input(x);
  small.Node("Pad", {input, small.Constant(Longs({1, 1})), "", small.Constant(Longs({-1}))}, {"axis"});
  small.Node("Pad", {input, small.Constant(Longs({0, -1, 0, 5}))}, {"wrap"}, {{"mode", std::string("wrap")}},
             19);
  const auto results = small.Run({"axis", "wrap"});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_THAT(results[0].data<float>(), ElementsAre(0, 1, 2, 3, 0, 0, 4, 5, 6, 0));
  EXPECT_THAT(results[1].data<float>(), ElementsAre(2, 3, 1, 2, 3, 1, 2, 5, 6, 4, 5, 6, 4, 5));
}

TEST(OnnxNewer, ACentreIsCroppedAndPadded) {
  const Tensor y = ResultOf("CenterCropPad", {Floats({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})}, {Longs({3, 1})});
  EXPECT_EQ(y.shape(), (Shape{3, 1}));
  EXPECT_THAT(y.data<float>(), ElementsAre(2, 6, 0));
}

TEST(OnnxNewer, ResizeTakesAxesAndKeepsProportions) {
  const Tensor x = Floats({1, 1, 2, 2}, {1, 2, 3, 4});
  SmallFile small;
  const std::string input = small.Input(x);
  small.Node("Resize", {input, "", small.Constant(Floats({1}, {2}))}, {"a"},
             {{"axes", std::vector<int64_t>{3}}});
  small.Node("Resize", {input, "", "", small.Constant(Longs({4, 6}))}, {"b"},
             {{"axes", std::vector<int64_t>{2, 3}}, {"keep_aspect_ratio_policy", std::string("not_larger")}});
  const auto results = small.Run({"a", "b"});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_THAT(results[0].data<float>(), ElementsAre(1, 1, 2, 2, 3, 3, 4, 4));
  EXPECT_EQ(results[1].shape(), (Shape{1, 1, 4, 4}));
}

// The results that ONNX's specification shows.
TEST(OnnxNewer, ResizeAveragesWhatShrinks) {
  const Tensor x = Floats({1, 1, 4, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
  SmallFile small;
  const std::string image = small.Input(x), none = small.Constant(Floats({0}, {})),
                    scales = small.Constant(Floats({4}, {1, 1, 0.6f, 0.6f}));
  small.Node("Resize", {image, none, scales}, {"linear"},
             {{"antialias", int64_t{1}}, {"mode", std::string("linear")}}, 18);
  small.Node("Resize", {image, "", scales}, {"cubic"},
             {{"antialias", int64_t{1}}, {"mode", std::string("cubic")}}, 18);
  const auto results = small.Run({"linear", "cubic"});
  ASSERT_EQ(results.size(), 2u);
  const auto near = [](float v) { return ::testing::FloatNear(v, 1e-5f); };
  EXPECT_THAT(results[0].data<float>(), ElementsAre(near(2.875f), near(4.5f), near(9.375f), near(11)));
  EXPECT_THAT(results[1].data<float>(),
              ElementsAre(near(2.5180721f), near(4.2858863f), near(9.589329f), near(11.357142f)));
}

TEST(OnnxNewer, ResizeIsSymmetricIfAsked) {
  const Tensor y =
      ResultOf("Resize", {Floats({1, 1, 1, 2}, {1, 2})}, {Floats({0}, {}), Floats({4}, {1, 1, 1, 2.94f})},
               {{"mode", std::string("linear")},
                {"coordinate_transformation_mode", std::string("half_pixel_symmetric")}});
  const auto near = [](float v) { return ::testing::FloatNear(v, 1e-5f); };
  EXPECT_THAT(y.data<float>(),
              ElementsAre(near(1), near(1.15986395f), near(1.5f), near(1.84013605f), near(2)));
}

TEST(OnnxNewer, SixteenBitsAndBlocksAreQuantized) {
  const Tensor x = Floats({4}, {-1, 0.5f, 3000, 1e9f});
  SmallFile small;
  const std::string scale = small.Constant(Scalar(0.5f)),
                    zero = small.Constant(Of<uint16_t>(DType::kUint16, {}, {10}));
  small.Node("QuantizeLinear", {small.Input(x), scale, zero}, {"q"}, {}, 21);
  small.Node("DequantizeLinear", {"q", scale, zero}, {"r"}, {}, 21);
  const std::string bytes = small.Input(Of<int8_t>(DType::kInt8, {2, 3}, {1, 2, 3, 4, 5, -6}));
  small.Node("DequantizeLinear",
             {bytes, small.Constant(Floats({2, 2}, {1, 10, 100, 1000})),
              small.Constant(Of<int8_t>(DType::kInt8, {2, 2}, {1, 0, 0, 1}))},
             {"blocks"}, {{"block_size", int64_t{2}}, {"axis", int64_t{1}}}, 21);
  const auto results = small.Run({"q", "r", "blocks"});
  ASSERT_EQ(results.size(), 3u);
  EXPECT_THAT(results[0].data<uint16_t>(), ElementsAre(8, 11, 6010, 65535));
  EXPECT_THAT(results[1].data<float>(), ElementsAre(-1, 0.5f, 3000, 32762.5f));
  EXPECT_THAT(results[2].data<float>(), ElementsAre(0, 1, 30, 400, 500, -7000));
}

TEST(OnnxNewer, OperandsThatWereAttributesAndTheOtherWayRound) {
  SmallFile small;
  const std::string x = small.Input(Floats({5, 2}, {1, 9, 3, 7, 5, 5, 7, 3, 9, 1}));
  small.Node("ReduceMax", {x, small.Constant(Longs({0}))}, {"most"}, {{"keepdims", int64_t{0}}});
  small.Node("Split", {x}, {"s0", "s1"}, {{"num_outputs", int64_t{2}}});
  const std::string place = small.Constant(Tensor({1, 2}, std::vector<int64_t>{1, 1})),
                    update = small.Constant(Floats({1, 2}, {4, 4}));
  small.Node("ScatterElements", {x, place, update}, {"larger"}, {{"reduction", std::string("max")}});
  small.Node("ScatterElements", {x, place, update}, {"smaller"}, {{"reduction", std::string("min")}});
  const auto results = small.Run({"most", "s0", "s1", "larger", "smaller"});
  ASSERT_EQ(results.size(), 5u);
  EXPECT_THAT(results[0].data<float>(), ElementsAre(9, 9));
  EXPECT_EQ(results[1].shape(), (Shape{3, 2}));
  EXPECT_THAT(results[2].data<float>(), ElementsAre(7, 3, 9, 1));
  EXPECT_THAT(results[3].data<float>().subspan(0, 4), ElementsAre(1, 9, 4, 7));
  EXPECT_THAT(results[4].data<float>().subspan(0, 4), ElementsAre(1, 9, 3, 4));
}

TEST(OnnxNewer, ColumnsOverlapInAnImage) {
  // Blocks of 2 x 2 in 3 x 3: every element of a column is 1, so that each pixel counts the blocks on it.
  const Tensor y =
      ResultOf("Col2Im", {Floats({1, 4, 4}, std::vector<float>(16, 1))}, {Longs({3, 3}), Longs({2, 2})});
  EXPECT_THAT(y.data<float>(), ElementsAre(1, 2, 1, 2, 4, 2, 1, 2, 1));
}

TEST(OnnxNewer, SpectraAreSums) {
  const auto x = Ramp(6);
  std::vector<double> want;
  for (int bin = 0; bin < 6; ++bin) {
    double real = 0, imaginary = 0;
    for (int k = 0; k < 6; ++k) {
      real += static_cast<double>(x[static_cast<size_t>(k)]) * std::cos(2 * M_PI * bin * k / 6);
      imaginary -= static_cast<double>(x[static_cast<size_t>(k)]) * std::sin(2 * M_PI * bin * k / 6);
    }
    want.insert(want.end(), {real, imaginary});
  }
  SmallFile small;
  small.Node("DFT",
             {small.Input(Floats({1, 6, 1}, x)), "", small.Constant(Tensor({}, std::vector<int64_t>{1}))},
             {"y"}, {}, 20);
  const auto results = small.Run({"y"});
  ASSERT_EQ(results.size(), 1u);
  ExpectNear(results[0], {1, 6, 2}, want);
}

TEST(OnnxNewer, VolumesAreSampled) {
  // The middle of eight elements is their mean; beyond the border is nothing.
  const Tensor y = ResultOf("GridSample",
                            {Floats({1, 1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
                             Floats({1, 1, 1, 3, 3}, {0, 0, 0, -1, -1, -1, 9, 9, 9})},
                            {}, {{"align_corners", int64_t{1}}}, 20);
  ExpectNear(y, {1, 1, 1, 1, 3}, {4.5, 1, 0});
}

TEST(OnnxNewer, Bfloat16IsRoundedToEven) {
  const float unit = 1.0f / 128;
  const Tensor x = Floats({4}, {1 + unit / 2, 1 + 3 * unit / 2, 1 + unit * 0.4f, -1 - unit * 0.6f});
  EXPECT_THAT(ResultOf("Cast", {x}, {}, {{"to", int64_t{16}}}).data<float>(),
              ElementsAre(1, 1 + 2 * unit, 1, -1 - unit));
}

TEST(OnnxContributed, BytesAreJoinedUnderOneScale) {
  SmallFile small;
  small.Node("com.microsoft.QLinearConcat",
             {small.Constant(Scalar(0.5f)), small.Constant(Byte(10)), small.Input(Bytes({0, 4, 255})),
              small.Constant(Scalar(1)), small.Constant(Byte(2)), small.Input(Bytes({7})),
              small.Constant(Scalar(0.25f)), small.Constant(Byte(0))},
             {"y"}, {{"axis", int64_t{0}}}, 1);
  const auto results = small.Run({"y"});
  ASSERT_EQ(results.size(), 1u);
  // 2 (q - 2) + 10, saturated; 0.5 q + 10, half to even: 13.5 is 14.
  EXPECT_THAT(results[0].data<uint8_t>(), ElementsAre(6, 14, 255, 14));
}

TEST(OnnxContributed, FunctionsOfBytes) {
  const Tensor x = Bytes({0, 100, 128, 200});
  const Inputs unit = {Scalar(0.05f), Byte(128), Scalar(1.0f / 256), Byte(0)};
  std::vector<int> sigmoid, leaky;
  for (int q : {0, 100, 128, 200}) {
    const double v = 0.05 * (q - 128);
    sigmoid.push_back(static_cast<int>(std::min(255.0, std::nearbyint(256 / (1 + std::exp(-v))))));
    leaky.push_back(static_cast<int>(std::nearbyint((v < 0 ? 0.31 * v : v) / 0.04) + 60));
  }
  EXPECT_THAT(ResultOf("com.microsoft.QLinearSigmoid", {x}, unit).data<uint8_t>(), ElementsAreArray(sigmoid));
  EXPECT_THAT(ResultOf("com.microsoft.QLinearLeakyRelu", {x},
                       {Scalar(0.05f), Byte(128), Scalar(0.04f), Byte(60)}, {{"alpha", 0.31f}})
                  .data<uint8_t>(),
              ElementsAreArray(leaky));
  // (0 + 100 + 128 + 200) / 4 - 128 = -21 units of 0.05: -10.5 of 0.1, half to even.
  EXPECT_THAT(
      ResultOf("com.microsoft.QLinearReduceMean", {x}, {Scalar(0.05f), Byte(128), Scalar(0.1f), Byte(50)},
               {{"axes", std::vector<int64_t>{0}}})
          .data<uint8_t>(),
      ElementsAre(::testing::AnyOf(39, 40)));
}

TEST(OnnxContributed, SumsAreNormalized) {
  const auto x = Ramp(6), skip = Ramp(6, 0.3f, 0.9f);
  std::vector<double> want, root;
  for (size_t r = 0; r < 2; ++r) {
    double v[3], mean = 0, variance = 0, square = 0;
    for (size_t i = 0; i < 3; ++i) {
      v[i] = static_cast<double>(x[3 * r + i]) + static_cast<double>(skip[3 * r + i]) + 0.25;
      mean += v[i] / 3;
      square += v[i] * v[i] / 3;
    }
    for (double e : v) variance += (e - mean) * (e - mean) / 3;
    for (size_t i = 0; i < 3; ++i) {
      want.push_back((v[i] - mean) / std::sqrt(variance + 1e-3) * static_cast<double>(i + 1) + 0.5);
      root.push_back(v[i] / std::sqrt(square + 1e-3) * static_cast<double>(i + 1));
    }
  }
  const Tensor scale = Floats({3}, {1, 2, 3}), bias = Floats({3}, {0.25f, 0.25f, 0.25f});
  const Attributes epsilon = {{"epsilon", 1e-3f}};
  ExpectNear(ResultOf("com.microsoft.SkipLayerNormalization", {Floats({2, 3}, x), Floats({2, 3}, skip)},
                      {scale, Floats({3}, {0.5f, 0.5f, 0.5f}), bias}, epsilon, 1),
             {2, 3}, want, 1e-4);
  ExpectNear(ResultOf("com.microsoft.SkipSimplifiedLayerNormalization",
                      {Floats({2, 3}, x), Floats({2, 3}, skip)}, {scale, bias}, epsilon, 1),
             {2, 3}, root, 1e-4);
}

TEST(OnnxContributed, ProductsAreFused) {
  const Tensor a = Floats({2, 2}, {1, 2, 3, 4}), b = Floats({2, 2}, {5, 6, 7, 8});
  EXPECT_THAT(ResultOf("com.microsoft.FusedMatMul", {a, b}, {}, {{"transA", int64_t{1}}, {"alpha", 0.5f}}, 1)
                  .data<float>(),
              ElementsAre(13, 15, 19, 22));
  EXPECT_THAT(ResultOf("com.microsoft.FusedMatMul", {a, b}, {}, {{"transB", int64_t{1}}}, 1).data<float>(),
              ElementsAre(17, 23, 39, 53));
  const Tensor image = Floats({1, 1, 2, 2}, {1, -2, 3, -4});
  EXPECT_THAT(
      ResultOf("com.microsoft.FusedConv", {image}, {Floats({1, 1, 1, 1}, {2}), Floats({1}, {1})},
               {{"activation", std::string("LeakyRelu")}, {"activation_params", std::vector<float>{0.5f}}}, 1)
          .data<float>(),
      ElementsAre(3, -1.5f, 7, -3.5f));
}

TEST(OnnxContributed, IntegerProductsBecomeFloat) {
  const Tensor a = Of<uint8_t>(DType::kUint8, {1, 2}, {130, 126}),
               b = Of<int8_t>(DType::kInt8, {2, 1}, {3, -4});
  SmallFile small;
  small.Node("com.microsoft.MatMulIntegerToFloat",
             {small.Input(a), small.Input(b), small.Constant(Scalar(0.5f)), small.Constant(Scalar(0.25f)),
              small.Constant(Byte(128)), "", small.Constant(Floats({1}, {1}))},
             {"y"}, {}, 1);
  const auto results = small.Run({"y"});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_THAT(results[0].data<float>(), ElementsAre((2 * 3 + -2 * -4) * 0.125f + 1));
  // 255 steps from 0 to 5.1 are of 0.02: the bytes are 50 and 255.
  ExpectNear(
      ResultOf("com.microsoft.DynamicQuantizeMatMul", {Floats({1, 2}, {1, 5.1f})}, {b, Scalar(0.25f)}, {}, 1),
      {1, 1}, {(50 * 3 - 255 * 4) * 0.02 * 0.25}, 1e-5);
}

TEST(OnnxTables, AScaleThatIsNoneIsLeftToTheHost) {
  for (const float scale : {0.01f, -0.01f, 0.0f}) {
    SmallFile small;
    const std::string zero = small.Constant(Of<uint8_t>(DType::kUint8, {}, {3}));
    const std::string x = small.Input(Of<uint8_t>(DType::kUint8, {2, 2}, {0, 100, 200, 255}));
    small.Node("com.microsoft.QLinearSigmoid",
               {x, small.Constant(Scalar(0.04f)), zero, small.Constant(Scalar(scale)), zero}, {"y"}, {}, 1);
    small.file.outputs.push_back({.name = "y"});
    Diagnostics diagnostics;
    const auto model = Build(small.file, {}, diagnostics);
    ASSERT_TRUE(model) << diagnostics.Render();
    EXPECT_TRUE(graph::Verify(model->graph).empty());
    bool table = false;
    for (const graph::Node& node : model->graph.nodes()) table |= node.As<graph::Table>() != nullptr;
    EXPECT_EQ(table, scale > 0);
  }
}

}  // namespace
}  // namespace cosim::import::onnx
