// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's operators between convolutions, on files made here.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "tests/import/testing.h"
#include "tests/import/tflite_testing.h"

namespace cosim::import::tflite {
namespace {

TEST(TflitePad, PutsTheZeroPointAroundPixels) {
  const Tensor x = Random({1, 2, 3, 2}, 1);
  const auto y =
      Evaluate({Signed({1, 2, 3, 2}, 7), Integers({4, 2}, {0, 0, 1, 2, 0, 1, 0, 0}), Signed({1, 5, 4, 2}, 7)},
               "PAD", NoOptions{}, {x}, true);
  ASSERT_TRUE(y);
  for (int64_t h = 0; h < 5; ++h)
    for (int64_t w = 0; w < 4; ++w)
      for (int64_t c = 0; c < 2; ++c) {
        const bool inside = h >= 1 && h < 3 && w < 3;
        EXPECT_EQ(y->data<int8_t>()[(h * 4 + w) * 2 + c],
                  inside ? x.data<int8_t>()[((h - 1) * 3 + w) * 2 + c] : int8_t{7});
      }
}

TEST(TflitePad, PadsOtherDimensionsOnTheHost) {
  const auto y = Evaluate({Signed({2}, 1), Integers({1, 2}, {1, 1}), Signed({4}, 1)}, "PAD", NoOptions{},
                          {Tensor({2}, std::vector<int8_t>{5, 6})}, false);
  ASSERT_TRUE(y);
  EXPECT_THAT(y->data<int8_t>(), testing::ElementsAre(1, 5, 6, 1));
}

TEST(TfliteConcatenation, JoinsChannelsAndRows) {
  const Tensor a = Random({1, 1, 2, 1}, 1), b = Random({1, 1, 2, 2}, 2);
  const auto y = Evaluate({Signed({1, 1, 2, 1}, 3), Signed({1, 1, 2, 2}, 3), Signed({1, 1, 2, 3}, 3)},
                          "CONCATENATION", ConcatOptions{.axis = -1}, {a, b}, true);
  ASSERT_TRUE(y);
  const auto p = a.data<int8_t>(), q = b.data<int8_t>();
  EXPECT_THAT(y->data<int8_t>(), testing::ElementsAre(p[0], q[0], q[1], p[1], q[2], q[3]));
  const auto rows = Evaluate({Signed({1, 2}, 3), Signed({2, 2}, 3), Signed({3, 2}, 3)}, "CONCATENATION",
                             ConcatOptions{.axis = 0}, {Random({1, 2}, 1), Random({2, 2}, 2)}, false);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->size(), 6);
}

TEST(TfliteMean, RunsOnTheAccelerator) {
  Diagnostics diagnostics;
  TensorInfo y = Signed({1, 32}, 7);
  y.scales = {0.3f};
  auto model = OneOperator({Signed({1, 6, 6, 32}, -20), Integers({2}, {1, 2}), y}, "MEAN", ReduceOptions{},
                           diagnostics);
  ASSERT_TRUE(model) << diagnostics.Render();
  const auto shared = std::make_shared<const Model>(std::move(*model));
  const auto spec = LoadTestSpec("pynq.yaml");
  const auto network = session::CompileFor(spec, shared->graph, {});
  EXPECT_TRUE(std::ranges::any_of(network.layers, [](const auto& layer) {
    return layer.on_accelerator && layer.op.starts_with("global_sum_pool");
  }));
  EXPECT_TRUE(RunModel(spec, shared, {Random({1, 6, 6, 32}, 3)}, "cycle"));
}

// As the reference kernel puts it: the multiplier of the scales takes the division by the number of pixels.
int32_t MeanOf(int64_t sum, int64_t count, double factor) {
  int exponent = 0;
  auto multiplier = static_cast<int64_t>(std::round(std::frexp(factor, &exponent) * std::ldexp(1, 31)));
  int bits = 0;
  while (int64_t{2} << bits <= count) ++bits;
  multiplier = (multiplier << bits) / count;
  const int right = bits - exponent;
  const int64_t high = (sum * multiplier + (int64_t{1} << 30)) >> 31;
  const double scaled = std::ldexp(static_cast<double>(high), -right);
  return static_cast<int32_t>(std::round(scaled));
}

TEST(TfliteMean, RoundsTwiceWithTheNumberOfPixelsInTheMultiplier) {
  for (const auto& [height, width, result_scale] :
       {std::tuple(2, 2, 0.5f), std::tuple(7, 7, 0.5f), std::tuple(3, 5, 0.3f), std::tuple(8, 8, 0.9f)})
    for (const int32_t zero : {-128, -3, 0, 20}) {
      const int64_t pixels = height * width;
      const Tensor x = Random({1, height, width, 64}, 5);
      TensorInfo result = Signed({1, 64}, zero / 2);
      result.scales = {result_scale};
      const auto y = Evaluate({Signed({1, height, width, 64}, zero), Integers({2}, {1, 2}), result}, "MEAN",
                              ReduceOptions{}, {x}, true);
      ASSERT_TRUE(y);
      for (int64_t c = 0; c < 64; ++c) {
        int64_t sum = 0;
        for (int64_t p = 0; p < pixels; ++p) sum += x.data<int8_t>()[p * 64 + c] - zero;
        const int32_t mean = MeanOf(sum, pixels, 0.5 / static_cast<double>(result_scale)) + zero / 2;
        EXPECT_EQ(y->data<int8_t>()[c], std::clamp(mean, -128, 127))
            << pixels << " pixels, zero point " << zero;
      }
    }
}

TEST(TfliteSub, Subtracts) {
  TensorInfo a = Signed({1, 2, 2, 8}, 5), b = a, y = a;
  b.scales = {0.25f};
  const Tensor p = Random(a.shape, 1), q = Random(b.shape, 2);
  const auto result = Evaluate({a, b, y}, "SUB", ElementwiseOptions{}, {p, q}, false);
  ASSERT_TRUE(result);
  for (int64_t i = 0; i < p.size(); ++i) {
    const double exact = (p.data<int8_t>()[i] - 5) - (q.data<int8_t>()[i] - 5) * 0.5 + 5;
    EXPECT_NEAR(result->data<int8_t>()[i], std::clamp(exact, -128.0, 127.0), 0.51) << i;
  }
}

// TensorFlow Lite's own answers (tfjs-tflite, whose built-in kernels these are).
TEST(TfliteSigmoid, GivesTheBytesOfTheReference) {
  TensorInfo x = Signed({1, 10}, 0), logistic = Signed({1, 10}, -128), tanh = Signed({1, 10}, 0);
  const Tensor bytes({1, 10}, std::vector<int8_t>{-128, -77, -20, -1, 0, 1, 15, 50, 100, 127});
  const auto want = testing::ElementsAre(-128, -126, -69, -4, 0, 4, 54, 116, 127, 127);
  x.scales = {0.06f};
  logistic.scales = {1.0f / 256};
  const auto y = Evaluate({x, logistic}, "LOGISTIC", NoOptions{}, {bytes}, true);
  ASSERT_TRUE(y);
  EXPECT_THAT(y->data<int8_t>(), want);
  x.scales = {0.03f};
  tanh.scales = {1.0f / 128};
  const auto z = Evaluate({x, tanh}, "TANH", NoOptions{}, {bytes}, true);
  ASSERT_TRUE(z);
  EXPECT_THAT(z->data<int8_t>(), want);
}

}  // namespace
}  // namespace cosim::import::tflite
