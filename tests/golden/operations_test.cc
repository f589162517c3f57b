// SPDX-License-Identifier: Apache-2.0
// Each integer operation of the golden model on values computed by hand.
#include <gmock/gmock.h>

#include <limits>

#include "tests/golden/testing.h"

namespace cosim::golden {
namespace {

using graph::DType;
using graph::Graph;
using graph::Shape;
using graph::Tensor;
using testing::ElementsAre;
using testing::ElementsAreArray;

constexpr int32_t kMin32 = std::numeric_limits<int32_t>::min();
constexpr int32_t kMax32 = std::numeric_limits<int32_t>::max();

TEST(GoldenConv2d, SumsProductsOverTapsAndChannels) {
  const Tensor y = RunOne(graph::Conv2d{}, {Int8({1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
                                            Int8({1, 2, 2, 2}, {1, -1, 2, -2, 10, 0, 0, 1})});
  EXPECT_EQ(y.shape(), (Shape{1, 1, 1, 1}));
  // 1 - 2 + 6 - 8 + 50 + 8
  EXPECT_THAT(y.data<int32_t>(), ElementsAre(55));
}

TEST(GoldenConv2d, SubtractsTheZeroPointInsideTheImageOnly) {
  const Tensor y = RunOne(graph::Conv2d{.pad = {1, 1, 1, 1}, .input_zero_point = -128},
                          {Int8({1, 1, 1, 1}, {127}), Int8({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9})});
  EXPECT_THAT(y.data<int32_t>(), ElementsAre(255 * 5));
}

TEST(GoldenConv2d, TakesWeightsOfNineBits) {
  const Tensor y =
      RunOne(graph::Conv2d{.input_zero_point = -128},
             {Int8({1, 2, 1, 1}, {127, -127}), Tensor(Shape{1, 2, 1, 1}, std::vector<int16_t>{-255, 254})});
  EXPECT_THAT(y.data<int32_t>(), ElementsAre(255 * -255 + 1 * 254));
}

TEST(GoldenConv2d, StridesAndDilates) {
  std::vector<int8_t> x(25);
  for (int i = 0; i < 25; ++i) x[i] = static_cast<int8_t>(i);
  const Tensor y = RunOne(graph::Conv2d{.stride = {2, 1}, .dilation = {1, 3}},
                          {Int8({1, 1, 5, 5}, x), Int8({1, 1, 2, 2}, {1, 1, 1, 1})});
  // Windows at rows 0 and 2, columns 0 and 1; taps at (0,0) (0,3) (1,0) (1,3).
  EXPECT_EQ(y.shape(), (Shape{1, 1, 2, 2}));
  EXPECT_THAT(y.data<int32_t>(),
              ElementsAre(0 + 3 + 5 + 8, 1 + 4 + 6 + 9, 10 + 13 + 15 + 18, 11 + 14 + 16 + 19));
}

TEST(GoldenConv2d, PadsEachSideByItsOwnAmount) {
  const Tensor y =
      RunOne(graph::Conv2d{.pad = {0, 1, 0, 0}}, {Int8({1, 1, 1, 2}, {3, 4}), Int8({1, 1, 1, 2}, {10, 1})});
  EXPECT_THAT(y.data<int32_t>(), ElementsAre(3, 34));
}

TEST(GoldenConv2d, KeepsGroupsApart) {
  const Tensor y = RunOne(graph::Conv2d{.groups = 2},
                          {Int8({1, 2, 1, 2}, {1, 2, 3, 4}), Int8({4, 1, 1, 1}, {1, 10, 100, -1})});
  EXPECT_THAT(y.data<int32_t>(), ElementsAre(1, 2, 10, 20, 300, 400, -3, -4));
}

TEST(GoldenConv2d, HandlesEachImageOfABatch) {
  const Tensor y = RunOne(graph::Conv2d{}, {Int8({2, 1, 1, 1}, {3, -4}), Int8({2, 1, 1, 1}, {5, 7})});
  EXPECT_THAT(y.data<int32_t>(), ElementsAre(15, 21, -20, -28));
}

TEST(GoldenDense, MultipliesRowsByWeightsMinusTheZeroPoint) {
  const Tensor y =
      RunOne(graph::Dense{.input_zero_point = 1},
             {Int8({2, 3}, {1, 2, 3, 4, 5, 6}), Int8({3, 3}, {1, 1, 1, -1, 0, 2, 100, 50, -128})});
  EXPECT_THAT(y.data<int32_t>(), ElementsAre(3, 4, -206, 12, 7, -140));
}

TEST(GoldenDense, WrapsInsteadOfSaturating) {
  // 255 * -128 summed 65794 times is below -2^31 and wraps to the positive side.
  const int64_t depth = 65794;
  const Tensor y =
      RunOne(graph::Dense{.input_zero_point = -128}, {Int8({1, depth}, std::vector<int8_t>(depth, 127)),
                                                      Int8({1, depth}, std::vector<int8_t>(depth, -128))});
  EXPECT_THAT(y.data<int32_t>(), ElementsAre(static_cast<int32_t>(depth * 255 * -128 + (int64_t{1} << 32))));
}

TEST(GoldenBiasAdd, AddsPerChannelAndWraps) {
  const Tensor y = RunOne(graph::BiasAdd{}, {Int32({1, 2, 1, 2}, {1, kMax32, 2, 3}), Int32({2}, {1, -5})});
  EXPECT_THAT(y.data<int32_t>(), ElementsAre(2, kMin32, -3, -2));
}

TEST(GoldenRequantize, RoundsHalvesUp) {
  const Tensor y = RunOne(graph::Requantize{.multiplier = {1}, .shift = {1}},
                          {Int32({1, 1, 1, 6}, {-3, -2, -1, 1, 2, 3})});
  EXPECT_THAT(y.data<int8_t>(), ElementsAre(-1, -1, 0, 1, 1, 2));
}

TEST(GoldenRequantize, AddsTheZeroPointBeforeClamping) {
  const Tensor y = RunOne(graph::Requantize{.zero_point = -100}, {Int32({1, 1, 1, 4}, {-29, -28, 227, 228})});
  EXPECT_THAT(y.data<int8_t>(), ElementsAre(-128, -128, 127, 127));
}

TEST(GoldenRequantize, ScalesEachChannelByItsOwnMultiplier) {
  const Tensor y = RunOne(graph::Requantize{.multiplier = {1 << 30, 3 << 29}, .shift = {31, 32}},
                          {Int32({1, 2, 1, 2}, {100, -7, 100, -7})});
  // 0.5 and 0.375: 50, -3.5 up to -3, 37.5 up to 38, -2.625 to -3.
  EXPECT_THAT(y.data<int8_t>(), ElementsAre(50, -3, 38, -3));
}

TEST(GoldenRequantize, SaturatesToInt32BeforeTheZeroPoint) {
  const Tensor y = RunOne(graph::Requantize{.multiplier = {kMax32}, .shift = {0}, .zero_point = 5},
                          {Int32({1, 1, 1, 3}, {kMax32, kMin32, 0})});
  EXPECT_THAT(y.data<int8_t>(), ElementsAre(127, -128, 5));
}

TEST(GoldenRequantize, HandlesTheLargestShift) {
  const Tensor y = RunOne(graph::Requantize{.multiplier = {kMax32}, .shift = {62}},
                          {Int32({1, 1, 1, 4}, {kMax32, kMin32, 1 << 30, 1 << 29})});
  // (2^31-1)^2 / 2^62 is just below 1; 2^30 * (2^31 - 1) / 2^62 is just below one half.
  EXPECT_THAT(y.data<int8_t>(), ElementsAre(1, -1, 0, 0));
}

TEST(GoldenClip, LimitsBothSides) {
  const Tensor y = RunOne(graph::Clip{.lo = -3, .hi = 4}, {Int8({1, 5}, {-128, -3, 0, 4, 127})});
  EXPECT_THAT(y.data<int8_t>(), ElementsAre(-3, -3, 0, 4, 4));
}

TEST(GoldenQAdd, RoundsEachOperandByItself) {
  const Tensor y = RunOne(graph::QAdd{.a = {1, 1, 1}, .b = {-1, 3, 2}, .output_zero_point = 10},
                          {Int8({1, 3}, {2, 0, -128}), Int8({1, 3}, {0, -3, 127})});
  // (1+1)>>1=1, (3+2)>>2=1 | (-1+1)>>1=0, (-6+2)>>2=-1 | (-129+1)>>1=-64, (384+2)>>2=96
  EXPECT_THAT(y.data<int8_t>(), ElementsAre(12, 9, 42));
}

TEST(GoldenQAdd, ClampsTheSum) {
  const Tensor y = RunOne(graph::QAdd{}, {Int8({1, 2}, {127, -128}), Int8({1, 2}, {1, -1})});
  EXPECT_THAT(y.data<int8_t>(), ElementsAre(127, -128));
}

TEST(GoldenQAdd, TruncatesTermsToInt32) {
  // 4 * 2^30 = 2^32 becomes 0.
  const Tensor y =
      RunOne(graph::QAdd{.a = {0, 1 << 30, 0}, .b = {0, 1, 0}}, {Int8({1, 1}, {4}), Int8({1, 1}, {7})});
  EXPECT_THAT(y.data<int8_t>(), ElementsAre(7));
}

TEST(GoldenMaxPool, PadsWithTheSmallestValue) {
  const Tensor y = RunOne(graph::MaxPool{.kernel = {3, 3}, .stride = {2, 2}, .pad = {1, 1, 1, 1}},
                          {Int8({1, 1, 3, 3}, {-9, -8, -7, -6, -5, -4, -3, -2, -128})});
  EXPECT_THAT(y.data<int8_t>(), ElementsAre(-5, -4, -2, -2));
}

TEST(GoldenGlobalSumPool, SumsEachChannelWithoutAZeroPoint) {
  const Tensor y = RunOne(graph::GlobalSumPool{}, {Int8({1, 2, 1, 3}, {127, 127, 127, -128, -128, 1})});
  EXPECT_EQ(y.shape(), (Shape{1, 2, 1, 1}));
  EXPECT_THAT(y.data<int32_t>(), ElementsAre(381, -255));
}

TEST(GoldenFlatten, KeepsTheElements) {
  const Tensor y = RunOne(graph::Flatten{}, {Int8({2, 2, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8})});
  EXPECT_EQ(y.shape(), (Shape{2, 4}));
  EXPECT_THAT(y.data<int8_t>(), ElementsAreArray({1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(GoldenQuantize, RoundsHalvesUpAndClamps) {
  const Tensor y = RunOne(graph::Quantize{.scale = 0.5f, .zero_point = 3},
                          {Tensor(Shape{1, 6}, std::vector<float>{0, 0.25f, -0.25f, 1, 1000, -1000})});
  EXPECT_THAT(y.data<int8_t>(), ElementsAre(3, 4, 3, 5, 127, -128));
}

TEST(GoldenDequantize, ScalesTheDistanceFromTheZeroPoint) {
  const Tensor y = RunOne(graph::Dequantize{.scale = 0.5f, .zero_point = -2}, {Int8({1, 3}, {-2, 1, -128})});
  EXPECT_THAT(y.data<float>(), ElementsAre(0.0f, 1.5f, -63.0f));
}

TEST(GoldenRun, ReturnsEveryValueByItsId) {
  Graph g("two");
  const auto x = g.AddInput("x", {DType::kInt8, {1, 2}});
  const auto low = g.Add("low", graph::Clip{.lo = 0}, {x});
  const auto high = g.Add("high", graph::Clip{.hi = 1}, {low});
  g.SetOutputs({high});
  const auto values = golden::Run(g, {Int8({1, 2}, {-5, 5})});
  ASSERT_EQ(values.size(), 3u);
  EXPECT_THAT(values[x]->data<int8_t>(), ElementsAre(-5, 5));
  EXPECT_THAT(values[low]->data<int8_t>(), ElementsAre(0, 5));
  EXPECT_THAT(values[high]->data<int8_t>(), ElementsAre(0, 1));
}

TEST(GoldenRequantize, RoundsTwiceWhereTensorFlowLiteDoes) {
  graph::Requantize op{.multiplier = {1 << 30}, .shift = {1}, .twice = true};
  // x / 2 half up, then / 2 half away from zero: a quarter of x.
  const Tensor y = RunOne(op, {Int32({1, 8}, {1, 2, 3, -1, -2, -3, -5, -6})});
  EXPECT_THAT(y.data<int8_t>(), ElementsAre(1, 1, 1, 0, -1, -1, -1, -2));
  op.twice = false;
  op.shift = {32};
  const Tensor once = RunOne(op, {Int32({1, 8}, {1, 2, 3, -1, -2, -3, -5, -6})});
  EXPECT_THAT(once.data<int8_t>(), ElementsAre(0, 1, 1, 0, 0, -1, -1, -1));
}

TEST(GoldenScaledAdd, AddsWhatTwoScalesMean) {
  // real = 0.5 * a + b (a's multiplier 1/4, b's 1/2 of twice the larger scale), output scale 1.
  graph::ScaledAdd op;
  op.a = {.zero_point = -3, .multiplier = 1 << 30, .shift = 1};
  op.b = {.zero_point = 2, .multiplier = 1 << 30, .shift = 0};
  op.output_zero_point = 10;
  op.multiplier = 1 << 30;
  op.shift = 18;
  const Tensor y = RunOne(op, {Int8({1, 4}, {-3, 1, 4, -128}), Int8({1, 4}, {2, 2, 3, 127})});
  EXPECT_THAT(y.data<int8_t>(), ElementsAre(10, 12, 15, 73));
}

TEST(GoldenRun, EvaluatesFloatOperations) {
  const Tensor y = RunOne(graph::Relu{}, {Tensor(Shape{1, 2}, std::vector<float>{1, -1})});
  EXPECT_THAT(y.data<float>(), ElementsAre(1, 0));
}

}  // namespace
}  // namespace cosim::golden
