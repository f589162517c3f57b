// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's operators on int16. What these tests compare with is the published definition, written
// once more here in other words, and answers of TensorFlow Lite itself (scripts/oracle compares many more
// with it).
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "compiler/import/tflite/average.h"
#include "tests/import/testing.h"
#include "tests/import/tflite_testing.h"

namespace cosim::import::tflite {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TensorInfo Wide(Shape shape, float scale) {
  return {
      .name = "", .dtype = DType::kInt16, .shape = std::move(shape), .scales = {scale}, .zero_points = {0}};
}

Tensor RandomWide(const Shape& shape, uint32_t seed) {
  Tensor tensor({DType::kInt16, shape});
  std::mt19937 random(seed);
  for (int16_t& v : tensor.mutable_data<int16_t>()) v = static_cast<int16_t>(random());
  return tensor;
}

Tensor Listed(const std::vector<int16_t>& list) {
  Tensor tensor({DType::kInt16, {1, static_cast<int64_t>(list.size())}});
  std::copy(list.begin(), list.end(), tensor.mutable_data<int16_t>().begin());
  return tensor;
}

template <typename T>
TensorInfo Constant(TensorInfo info, const std::vector<T>& list) {
  Tensor data({info.dtype, info.shape});
  std::copy(list.begin(), list.end(), data.mutable_data<T>().begin());
  info.data = std::make_shared<const Tensor>(std::move(data));
  return info;
}

std::vector<float> Scales(int64_t n) {
  std::vector<float> scales;
  for (int64_t i = 0; i < n; ++i) scales.push_back(0.002f * static_cast<float>(1 + i % 5));
  return scales;
}

TensorInfo Weights(const Shape& shape, int axis, uint32_t seed) {
  TensorInfo info = Signed(shape, 0);
  info.scales = Scales(shape[axis]);
  info.zero_points.assign(info.scales.size(), 0);
  info.axis = axis;
  info.data = std::make_shared<const Tensor>(Random(shape, seed));
  return info;
}

template <typename T>
TensorInfo Bias(DType type, int64_t channels) {
  TensorInfo info{.name = "", .dtype = type, .shape = {channels}};
  std::vector<T> list;
  for (int64_t i = 0; i < channels; ++i) list.push_back(static_cast<T>((i - channels / 2) * 123457));
  return Constant(info, list);
}

// A sum of 64 bits: the multiplier keeps 15 bits of its fraction, and the product is rounded once, half up.
int64_t ScaledOnce(int64_t sum, double factor) {
  int exponent = 0;
  const double fraction = std::frexp(factor, &exponent);
  const auto bits31 = static_cast<int64_t>(std::round(std::ldexp(fraction, 31)));
  const int64_t bits15 = std::min<int64_t>((bits31 + 0x8000) / 0x10000, 0x7FFF);
  return static_cast<int64_t>(std::floor(std::ldexp(static_cast<double>(sum * bits15), exponent - 15) + 0.5));
}

// A sum of 32 bits: two roundings.
int64_t ScaledTwice(int64_t sum, double factor) {
  int exponent = 0;
  const double fraction = std::frexp(factor, &exponent);
  const auto bits31 = static_cast<int64_t>(std::round(std::ldexp(fraction, 31)));
  const auto high = (sum * bits31 + (int64_t{1} << 30)) >> 31;
  return static_cast<int64_t>(std::round(std::ldexp(static_cast<double>(high), exponent)));
}

/// Where no sum can leave 32 bits it is the core's; `far`: one can.
void ExpectConvolution(bool far) {
  const TensorInfo x = Wide({1, 4, 5, 3}, 0.02f), w = Weights({6, 2, 3, 3}, 0, 1),
                   y = Wide({1, 3, 3, 6}, 0.05f);
  std::vector<int64_t> biases = {-370371, -246914, -123457, 0, 123457, 246914};
  if (far) biases[3] = int64_t{1} << 31;
  const TensorInfo bias = Constant({.name = "", .dtype = DType::kInt64, .shape = {6}}, biases);
  const Tensor in = RandomWide(x.shape, 2);
  const auto out =
      Evaluate({x, w, bias, y}, "CONV_2D", WindowOptions{.activation = Activation::kRelu}, {in}, !far);
  ASSERT_TRUE(out);
  int64_t at = 0;
  for (int64_t oy = 0; oy < 3; ++oy)
    for (int64_t ox = 0; ox < 3; ++ox)
      for (int64_t o = 0; o < 6; ++o) {
        int64_t sum = biases[o];
        for (int64_t i = 0; i < 2; ++i)
          for (int64_t j = 0; j < 3; ++j)
            for (int64_t c = 0; c < 3; ++c)
              sum += int64_t{in.data<int16_t>()[((oy + i) * 5 + ox + j) * 3 + c]} *
                     w.data->data<int8_t>()[((o * 2 + i) * 3 + j) * 3 + c];
        const double factor = static_cast<double>(x.scales[0]) * static_cast<double>(w.scales[o]) /
                              static_cast<double>(y.scales[0]);
        EXPECT_EQ(out->data<int16_t>()[at++], std::clamp<int64_t>(ScaledOnce(sum, factor), 0, 32767));
      }
}

TEST(TfliteInt16, ConvolutionSumsIn64Bits) {
  ExpectConvolution(false);
  ExpectConvolution(true);
}

TEST(TfliteInt16, DepthwiseConvolutionSumsIn64Bits) {
  const TensorInfo x = Wide({1, 3, 3, 2}, 0.02f), w = Weights({1, 3, 3, 4}, 3, 1),
                   y = Wide({1, 1, 1, 4}, 0.02f);
  const TensorInfo bias = Bias<int64_t>(DType::kInt64, 4);
  const Tensor in = RandomWide(x.shape, 2);
  const auto out = Evaluate({x, w, bias, y}, "DEPTHWISE_CONV_2D", WindowOptions{}, {in}, true);
  ASSERT_TRUE(out);
  for (int64_t o = 0; o < 4; ++o) {
    int64_t sum = bias.data->data<int64_t>()[o];
    for (int64_t p = 0; p < 9; ++p)
      sum += int64_t{in.data<int16_t>()[p * 2 + o / 2]} * w.data->data<int8_t>()[p * 4 + o];
    const double factor = 0.02f * static_cast<double>(w.scales[o]) / static_cast<double>(y.scales[0]);
    EXPECT_EQ(out->data<int16_t>()[o], std::clamp<int64_t>(ScaledOnce(sum, factor), -32768, 32767));
  }
}

TEST(TfliteInt16, DenseFollowsTheTypeOfItsBias) {
  const TensorInfo x = Wide({1, 20}, 0.0002f), y = Wide({1, 3}, 0.0003f);
  TensorInfo w = Signed({3, 20}, 0);
  w.scales = {0.004f};
  w.data = std::make_shared<const Tensor>(Random(w.shape, 4));
  const Tensor in = RandomWide(x.shape, 5);
  const double factor = static_cast<double>(x.scales[0] * w.scales[0]) / static_cast<double>(y.scales[0]);
  for (const bool wide : {false, true}) {
    const TensorInfo bias = wide ? Bias<int64_t>(DType::kInt64, 3) : Bias<int32_t>(DType::kInt32, 3);
    const auto out = Evaluate({x, w, bias, y}, "FULLY_CONNECTED", DenseOptions{}, {in}, true);
    ASSERT_TRUE(out);
    for (int64_t o = 0; o < 3; ++o) {
      int64_t sum = (o - 1) * 123457;
      for (int64_t k = 0; k < 20; ++k)
        sum += int64_t{in.data<int16_t>()[k]} * w.data->data<int8_t>()[o * 20 + k];
      const int64_t scaled = wide ? ScaledOnce(sum, factor) : ScaledTwice(sum, factor);
      EXPECT_EQ(out->data<int16_t>()[o], std::clamp<int64_t>(scaled, -32768, 32767)) << wide;
    }
  }
}

TEST(TfliteInt16, AddsWithOperandsShiftedBy15Bits) {
  const TensorInfo a = Wide({1, 300}, 0.0021f), b = Wide({1, 300}, 0.0013f), y = Wide({1, 300}, 0.003f);
  const Tensor p = RandomWide(a.shape, 1), q = RandomWide(b.shape, 2);
  for (const char* op : {"ADD", "SUB"}) {
    const auto out = Evaluate({a, b, y}, op, ElementwiseOptions{.powers_of_two = false}, {p, q}, false);
    ASSERT_TRUE(out);
    const double most = 2 * 0.0021f;
    for (int64_t i = 0; i < 300; ++i) {
      const int64_t one = ScaledTwice(p.data<int16_t>()[i] * 32768, static_cast<double>(a.scales[0]) / most),
                    other =
                        ScaledTwice(q.data<int16_t>()[i] * 32768, static_cast<double>(b.scales[0]) / most);
      const int64_t sum = op[0] == 'A' ? one + other : one - other;
      const int64_t scaled = ScaledTwice(sum, most / (32768 * static_cast<double>(y.scales[0])));
      EXPECT_EQ(out->data<int16_t>()[i], std::clamp<int64_t>(scaled, -32768, 32767));
    }
  }
}

TEST(TfliteInt16, MultipliesAndPools) {
  const TensorInfo a = Wide({1, 2, 2, 50}, 0.002f), y = Wide({1, 2, 2, 50}, 0.15f),
                   pooled = Wide({1, 1, 1, 50}, 0.002f);
  const Tensor p = RandomWide(a.shape, 1), q = RandomWide(a.shape, 2);
  const auto product = Evaluate({a, a, y}, "MUL", ElementwiseOptions{}, {p, q}, false);
  const WindowOptions window{.kernel = {2, 2}};
  const auto most = Evaluate({a, pooled}, "MAX_POOL_2D", window, {p}, true);
  const auto mean = Evaluate({a, pooled}, "AVERAGE_POOL_2D", window, {p}, true);
  ASSERT_TRUE(product && most && mean);
  const double factor =
      static_cast<double>(a.scales[0]) * static_cast<double>(a.scales[0]) / static_cast<double>(y.scales[0]);
  const auto x = p.data<int16_t>();
  for (int64_t i = 0; i < 200; ++i)
    EXPECT_EQ(product->data<int16_t>()[i],
              std::clamp<int64_t>(ScaledTwice(x[i] * q.data<int16_t>()[i], factor), -32768, 32767));
  for (int64_t c = 0; c < 50; ++c) {
    EXPECT_EQ(most->data<int16_t>()[c], std::max({x[c], x[c + 50], x[c + 100], x[c + 150]}));
    EXPECT_EQ(mean->data<int16_t>()[c], std::round((x[c] + x[c + 50] + x[c + 100] + x[c + 150]) / 4.0));
  }
}

// All sums of small windows; of larger ones those around whole numbers and ties.
TEST(TfliteInt16, MeansOfAnyWindowAreExact) {
  const auto is_wrong = [](int64_t count, int64_t sum, const Mean& mean) {
    const int64_t shift = mean.requantize.shift[0],
                  scaled = (sum * mean.requantize.multiplier[0] + (int64_t{1} << (shift - 1))) >> shift;
    const int64_t want = (std::abs(sum) + count / 2) / count;
    return scaled != (sum < 0 ? -want : want);
  };
  for (int64_t count = 1; count < 1 << 14; count = count < 9 ? count + 1 : count * 7 / 5) {
    const auto mean = ExactMean(count, false, 16);
    ASSERT_TRUE(mean) << count;
    int64_t wrong = 0;
    for (int64_t sum = -32768 * count; count < 9 && sum <= 32767 * count; ++sum)
      wrong += is_wrong(count, sum, *mean);
    for (int64_t whole = -32767; whole < 32767; whole += 7)
      for (int64_t near = -1; near <= 1; ++near)
        for (int64_t at : {whole * count, whole * count + count / 2})
          wrong += is_wrong(count, at + near, *mean);
    EXPECT_EQ(wrong, 0) << count;
  }
  EXPECT_FALSE(ExactMean(1 << 14, false, 16));
}

// Answers of TensorFlow Lite's built-in kernels, through tfjs-tflite.
TEST(TfliteInt16, PowersOfTwoAreShifted) {
  const Tensor a = RandomWide({4, 50}, 1), b = RandomWide({4, 50}, 2);
  const auto power = [](int n) { return Wide({4, 50}, std::ldexp(1.0f, n)); };
  for (const bool subtract : {false, true}) {
    const std::string op = subtract ? "SUB" : "ADD";
    const auto sum = Evaluate({power(-12), power(-9), power(-9)}, op, ElementwiseOptions{}, {a, b}, false);
    ASSERT_TRUE(sum);
    for (int64_t i = 0; i < 200; ++i) {
      const double one = std::round(a.data<int16_t>()[i] / 8.0), two = b.data<int16_t>()[i];
      EXPECT_EQ(sum->data<int16_t>()[i], std::clamp(subtract ? one - two : one + two, -32768.0, 32767.0))
          << i;
    }
    EXPECT_THAT(Refusal({power(-12), power(-12), power(-9)}, op, ElementwiseOptions{}),
                HasSubstr("of which none is the result's"));
  }
}

TEST(TfliteInt16, SquaresDifferencesUnshifted) {
  const Tensor a = RandomWide({4, 50}, 1), b = RandomWide({50}, 2);
  const auto y = Evaluate({Wide({4, 50}, 0.002f), Wide({50}, 0.003f), Wide({4, 50}, 0.5f)},
                          "SQUARED_DIFFERENCE", NoOptions{}, {a, b}, false);
  ASSERT_TRUE(y);
  const auto one = static_cast<double>(0.002f), other = static_cast<double>(0.003f), most = 2 * other;
  for (int64_t i = 0; i < 200; ++i) {
    const int64_t difference =
        ScaledTwice(a.data<int16_t>()[i], one / most) - ScaledTwice(b.data<int16_t>()[i % 50], other / most);
    EXPECT_EQ(y->data<int16_t>()[i],
              std::min<int64_t>(ScaledTwice(difference * difference, most * most / 0.5), 32767));
  }
}

TEST(TfliteInt16, MatricesSumIn64Bits) {
  const Tensor a = RandomWide({2, 3, 70}, 1), b = RandomWide({70, 5}, 2);
  for (const float scale : {0.6f, 900.0f}) {  // the first saturates most of them
    const auto y = Evaluate({Wide({2, 3, 70}, 0.02f), Wide({70, 5}, 0.03f), Wide({2, 3, 5}, scale)},
                            "BATCH_MATMUL", ProductOptions{}, {a, b}, false);
    ASSERT_TRUE(y);
    const double factor =
        static_cast<double>(0.02f) * static_cast<double>(0.03f) / static_cast<double>(scale);
    for (int64_t i = 0; i < 30; ++i) {
      int64_t sum = 0;
      for (int64_t k = 0; k < 70; ++k)
        sum += int64_t{a.data<int16_t>()[i / 5 * 70 + k]} * b.data<int16_t>()[k * 5 + i % 5];
      EXPECT_EQ(y->data<int16_t>()[i], std::clamp<int64_t>(ScaledOnce(sum, factor), -32768, 32767)) << i;
    }
  }
  EXPECT_THAT(Refusal({Wide({3, 4}, 0.02f), Signed({4, 5}, 0), Wide({3, 5}, 1)}, "BATCH_MATMUL"),
              HasSubstr("int16 by int8: float32, or quantized int8 or int16 alike, are"));
}

TEST(TfliteInt16, TablesGiveTheValuesOfTheReference) {
  const Tensor x = Listed({-32768, -20000, -3000, -1, 0, 1, 777, 5000, 12345, 32767});
  const TensorInfo unit = Wide({1, 10}, 1.0f / 32768);
  const auto apply = [&](const char* op, float scale) {
    const OperatorOptions options =
        std::string(op) == "SOFTMAX" ? OperatorOptions(SoftmaxOptions{}) : NoOptions{};
    const bool is_table = std::string(op) != "SOFTMAX";
    const auto y = Evaluate({Wide({1, 10}, scale), unit}, op, options, {x}, is_table);
    EXPECT_TRUE(y);
    return std::vector<int>(y->data<int16_t>().begin(), y->data<int16_t>().end());
  };
  EXPECT_THAT(apply("SOFTMAX", 0.0003f), ElementsAre(2, 2, 2, 2, 2, 2, 2, 8, 72, 32674));
  EXPECT_THAT(apply("LOGISTIC", 0.0003f),
              ElementsAre(2, 81, 9472, 16381, 16384, 16387, 18285, 26790, 31980, 32766));
  EXPECT_THAT(apply("TANH", 0.0003f),
              ElementsAre(-32767, -32767, -23472, -11, 0, 11, 7502, 29660, 32729, 32767));
  // For scales that are powers of two it has kernels of 16 bits, which are not the reference's.
  const auto logistic = apply("LOGISTIC", 1.0f / 4096), tanh = apply("TANH", 1.0f / 2048);
  for (int64_t i = 0; i < 10; ++i) {
    const double v = x.data<int16_t>()[i];
    EXPECT_NEAR(logistic[i], 32768 / (1 + std::exp(-v / 4096)), 2) << v;
    EXPECT_NEAR(tanh[i], 32768 * std::tanh(v / 2048), 2) << v;
  }
}

TEST(TfliteInt16, QuantizesBetweenTypes) {
  const Tensor x = Listed({-32768, -3, 0, 5, 32767});
  TensorInfo bytes = Signed({1, 5}, 3);
  bytes.scales = {0.5f};
  const auto y = Evaluate({Wide({1, 5}, 0.001f), bytes}, "QUANTIZE", NoOptions{}, {x}, false);
  ASSERT_TRUE(y);
  EXPECT_THAT(y->data<int8_t>(), ElementsAre(-63, 3, 3, 3, 69));
  const TensorInfo real{.name = "", .shape = {1, 5}};
  const auto z = Evaluate({Wide({1, 5}, 0.5f), real}, "DEQUANTIZE", NoOptions{}, {x}, false);
  ASSERT_TRUE(z);
  EXPECT_THAT(z->data<float>(), ElementsAre(-16384.f, -1.5f, 0.f, 2.5f, 16383.5f));
}

std::string ErrorOf(const std::vector<TensorInfo>& tensors, const char* op, const OperatorOptions& options) {
  Diagnostics diagnostics;
  EXPECT_FALSE(OneOperator(tensors, op, options, diagnostics));
  return diagnostics.Render();
}

TEST(TfliteInt16, OnlyBytesAndInt32HaveAZeroPoint) {
  EXPECT_TRUE(tflite::IsZeroPoint(-128, DType::kInt8));
  EXPECT_FALSE(tflite::IsZeroPoint(128, DType::kInt8));
  EXPECT_TRUE(tflite::IsZeroPoint(255, DType::kUint8));
  EXPECT_FALSE(tflite::IsZeroPoint(-1, DType::kUint8));
  EXPECT_TRUE(tflite::IsZeroPoint(0, DType::kInt16));
  EXPECT_FALSE(tflite::IsZeroPoint(256, DType::kInt16));
  EXPECT_TRUE(tflite::IsZeroPoint(1, DType::kInt32));
  EXPECT_FALSE(tflite::IsZeroPoint(int64_t{1} << 31, DType::kInt32));
}

TEST(TfliteInt16, WhatTheReferenceDoesNotDefineIsRefused) {
  TensorInfo shifted = Wide({1, 4}, 0.5f);
  shifted.zero_points = {3};
  EXPECT_THAT(ErrorOf({shifted, shifted}, "RELU", NoOptions{}), HasSubstr("not quantized alike"));
  const TensorInfo half = Wide({1, 4}, 0.5f);
  EXPECT_THAT(ErrorOf({half, half, Wide(half.shape, 0.125f)}, "ADD", ElementwiseOptions{}),
              HasSubstr("powers of two"));
  EXPECT_THAT(ErrorOf({half, half}, "LOGISTIC", NoOptions{}), HasSubstr("scale and zero point"));
  TensorInfo bare = half;
  bare.scales.clear();
  bare.zero_points.clear();
  EXPECT_THAT(ErrorOf({half, half, bare}, "ADD", ElementwiseOptions{}), HasSubstr("not quantized"));
  EXPECT_THAT(ErrorOf({half, bare}, "SOFTMAX", SoftmaxOptions{}), HasSubstr("not quantized"));
  EXPECT_THAT(ErrorOf({bare, half}, "SOFTMAX", SoftmaxOptions{}), HasSubstr("not quantized"));
  EXPECT_THAT(ErrorOf({half, half}, "SOFTMAX", SoftmaxOptions{}), HasSubstr("scale of 1/32768"));
  EXPECT_THAT(
      ErrorOf({Wide({1, 2, 2, 1}, 1), Wide({1, 1, 1, 1}, 2)}, "MAX_POOL_2D", WindowOptions{.kernel = {2, 2}}),
      HasSubstr("quantized differently"));
  const TensorInfo w = Weights({1, 1, 1, 4}, 3, 1), x = Wide({1, 1, 1, 4}, 0.01f);
  EXPECT_THAT(ErrorOf({x, w, Bias<int32_t>(DType::kInt32, 4), x}, "DEPTHWISE_CONV_2D", WindowOptions{}),
              HasSubstr("not a constant int64"));
}

/// The layers of two convolutions with a frame, a pool and a mean between and behind them, on a device.
std::vector<runtime::Layer> RanOn(const isa::Spec& spec, const std::string& device) {
  File file{.name = "test.tflite"};
  const auto add = [&](TensorInfo info) {
    file.tensors.push_back(std::move(info));
    return static_cast<int>(file.tensors.size()) - 1;
  };
  int last = add(Wide({1, 6, 6, 4}, 0.01f));
  file.inputs = {last};
  const auto op = [&](const char* name, std::vector<int> operands, TensorInfo y, OperatorOptions options) {
    operands.insert(operands.begin(), last);
    last = add(std::move(y));
    file.operators.push_back(
        {.name = name, .inputs = std::move(operands), .outputs = {last}, .options = std::move(options)});
  };
  const WindowOptions same{.same_padding = true};
  op("CONV_2D", {add(Weights({8, 3, 3, 4}, 0, 1)), add(Bias<int64_t>(DType::kInt64, 8))},
     Wide({1, 6, 6, 8}, 0.03f), same);
  op("PAD", {add(Integers({4, 2}, {0, 0, 1, 0, 1, 0, 0, 0}))}, Wide({1, 7, 7, 8}, 0.03f), NoOptions{});
  op("AVERAGE_POOL_2D", {}, Wide({1, 3, 3, 8}, 0.03f), WindowOptions{.stride = {2, 2}, .kernel = {3, 3}});
  op("DEPTHWISE_CONV_2D", {add(Weights({1, 3, 3, 8}, 3, 2)), add(Bias<int64_t>(DType::kInt64, 8))},
     Wide({1, 3, 3, 8}, 0.02f), same);
  op("MAX_POOL_2D", {}, Wide({1, 2, 2, 8}, 0.02f), WindowOptions{.kernel = {2, 2}});
  op("MEAN", {add(Integers({2}, {1, 2}))}, Wide({1, 8}, 0.02f), ReduceOptions{});
  file.outputs = {last};
  Diagnostics diagnostics;
  auto model = Builder(file, diagnostics).Run();
  EXPECT_FALSE(diagnostics.HasErrors()) << diagnostics.Render();
  if (diagnostics.HasErrors()) return {};
  const auto shared = std::make_shared<const Model>(std::move(*model));
  EXPECT_TRUE(RunModel(spec, shared, {RandomWide({1, 6, 6, 4}, 7)}, device));
  return session::CompileFor(spec, shared->graph, {}).layers;
}

TEST(TfliteInt16, RunsOnAnArrayWithLanesOf16Bits) {
  Diagnostics diagnostics;
  const auto spec =
      isa::LoadSpec(COSIM_SOURCE_DIR "/configs/pynq.yaml", "", {{"parameters.inp_bits", "16"}}, diagnostics);
  ASSERT_TRUE(spec) << diagnostics.Render();
  for (const char* device : {"functional", "cycle"}) {
    int on_accelerator = 0;
    for (const auto& layer : RanOn(*spec, device)) {
      on_accelerator += layer.on_accelerator;
      const bool moves = layer.op.starts_with("pack") || layer.op.starts_with("unpack") ||
                         layer.op.starts_with("transpose") || layer.op.starts_with("reshape");
      EXPECT_TRUE(layer.on_accelerator || moves) << layer.name << ", " << layer.op << ": " << layer.reason;
    }
    EXPECT_EQ(on_accelerator, 5);  // one of which is a convolution with the max pool
  }
}

TEST(TfliteInt16, RunsOnTheHostWithItsReason) {
  const auto spec = LoadTestSpec("pynq.yaml");
  int narrow = 0;
  for (const auto& layer : RanOn(spec, "functional"))
    narrow += layer.reason == "its values are int16, lanes of 'inp' have 8 bits";
  EXPECT_EQ(narrow, 6);
  Diagnostics diagnostics;
  auto product = OneOperator({Wide({3, 70}, 0.02f), Wide({70, 5}, 0.03f), Wide({3, 5}, 90)}, "BATCH_MATMUL",
                             ProductOptions{}, diagnostics);
  ASSERT_TRUE(product) << diagnostics.Render();
  EXPECT_TRUE(RunModel(spec, std::make_shared<const Model>(std::move(*product)),
                       {RandomWide({3, 70}, 7), RandomWide({70, 5}, 8)}, "functional"));
}

}  // namespace
}  // namespace cosim::import::tflite
