// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's reductions and products. What they are compared with is the definition of the
// reference kernels, written once more here in other words.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/import/tflite_fixed_point.h"
#include "tests/import/tflite_testing.h"

namespace cosim::import::tflite {
namespace {

using testing::ElementsAre;

TEST(TfliteReductions, SumsAndMeansOfBytesOverAnyDimensions) {
  for (const DType type : kQuantized)
    for (const bool mean : {false, true})
      for (const auto& [axes, kept] : {std::pair(std::vector<int32_t>{-1}, Shape{3, 4, 1}),
                                       std::pair(std::vector<int32_t>{0, 2}, Shape{1, 4, 1}),
                                       std::pair(std::vector<int32_t>{1}, Shape{3, 1, 5})}) {
        const int32_t zx = ZeroOf(type, -20), zy = ZeroOf(type, 6);
        const float from = 0.02f, to = mean ? 0.017f : 0.06f;
        const Tensor x = RandomOf(type, {3, 4, 5}, 8);
        const auto y = Results({Scaled(type, {3, 4, 5}, from, zx), Integers({std::ssize(axes)}, axes),
                                Scaled(type, kept, to, zy)},
                               1, mean ? "MEAN" : "SUM", ReduceOptions{true}, {x});
        ASSERT_EQ(y.size(), 1u);
        std::vector<int64_t> sums(static_cast<size_t>(graph::NumElements(kept)), 0);
        const auto in = Numbers(x);
        int64_t count = 60 / graph::NumElements(kept);
        for (int64_t i = 0; i < 60; ++i) {
          const int64_t at[] = {i / 20, i / 5 % 4, i % 5};
          int64_t index = 0;
          for (int d = 0; d < 3; ++d) index = index * kept[d] + (kept[d] == 1 ? 0 : at[d]);
          sums[index] += static_cast<int64_t>(in[i]) - zx;
        }
        int exponent = 0;
        auto factor = static_cast<int64_t>(std::round(
            std::ldexp(std::frexp(static_cast<double>(from) / static_cast<double>(to), &exponent), 31)));
        int bits = 0;
        while (mean && int64_t{2} << bits <= count) ++bits;
        if (mean) factor = (factor << bits) / count;
        for (size_t i = 0; i < sums.size(); ++i) {
          const int64_t high =
              (sums[i] * (int64_t{1} << std::max(exponent - bits, 0)) * factor + (int64_t{1} << 30)) >> 31;
          const auto scaled = static_cast<int64_t>(
              std::round(std::ldexp(static_cast<double>(high), std::min(exponent - bits, 0))));
          EXPECT_EQ(Numbers(y[0])[i], static_cast<double>(RangeOf(type)(scaled + zy)))
              << graph::Name(type) << mean << i;
        }
      }
}

TEST(TfliteReductions, ExtremesAndPlaces) {
  for (const DType type : {DType::kInt8, DType::kUint8, DType::kInt16, DType::kInt32, DType::kFloat32}) {
    const Tensor x = RandomOf(type, {4, 10}, 9);
    const auto in = Numbers(x);
    const auto most = Results({Typed(type, {4, 10}), Integers({1}, {1}), Typed(type, {4})}, 1, "REDUCE_MAX",
                              ReduceOptions{}, {x});
    const auto least = Results({Typed(type, {4, 10}), Integers({1}, {-1}), Typed(type, {4, 1})}, 1,
                               "REDUCE_MIN", ReduceOptions{true}, {x});
    const auto where = Results({Typed(type, {4, 10}), Integers({}, {1}), Typed(DType::kInt32, {4})}, 1,
                               "ARG_MAX", NoOptions{}, {x});
    const auto nadir = Results({Typed(type, {4, 10}), Integers({1}, {-1}), Typed(DType::kInt64, {4})}, 1,
                               "ARG_MIN", NoOptions{}, {x});
    ASSERT_TRUE(most.size() == 1 && least.size() == 1 && where.size() == 1 && nadir.size() == 1);
    for (int64_t r = 0; r < 4; ++r) {
      const auto row = in.begin() + r * 10;
      EXPECT_EQ(Numbers(most[0])[r], *std::max_element(row, row + 10));
      EXPECT_EQ(Numbers(least[0])[r], *std::min_element(row, row + 10));
      EXPECT_EQ(Numbers(where[0])[r], std::max_element(row, row + 10) - row);
      EXPECT_EQ(Numbers(nadir[0])[r], std::min_element(row, row + 10) - row);
    }
  }
  Tensor bits({DType::kBool, {2, 3}});
  bits.mutable_data<uint8_t>()[4] = 1;
  const auto any = Results({Typed(DType::kBool, {2, 3}), Integers({1}, {1}), Typed(DType::kBool, {2})}, 1,
                           "REDUCE_ANY", ReduceOptions{}, {bits});
  ASSERT_EQ(any.size(), 1u);
  EXPECT_THAT(Numbers(any[0]), ElementsAre(0, 1));
  const Tensor list({4}, std::vector<float>{1, 2, 3, 4});
  const auto sums = Results({Typed(DType::kFloat32, {4}), Integers({}, {0}), Typed(DType::kFloat32, {4})}, 1,
                            "CUMSUM", CumulativeOptions{.exclusive = true, .reverse = true}, {list});
  ASSERT_EQ(sums.size(), 1u);
  EXPECT_THAT(Numbers(sums[0]), ElementsAre(9, 7, 4, 0));
}

TEST(TfliteReductions, NormalizesRows) {
  const Tensor x = RandomOf(DType::kInt8, {6, 20}, 3);
  const auto y =
      Results({Scaled(DType::kInt8, {6, 20}, 0.1f, 4), Scaled(DType::kInt8, {6, 20}, 1.0f / 128, 0)}, 1,
              "L2_NORMALIZATION", ElementwiseOptions{}, {x});
  const Tensor b = RandomOf(DType::kUint8, {6, 20}, 4);
  const auto v =
      Results({Scaled(DType::kUint8, {6, 20}, 0.1f, 90), Scaled(DType::kUint8, {6, 20}, 1.0f / 128, 128)}, 1,
              "L2_NORMALIZATION", ElementwiseOptions{}, {b});
  const Tensor r = RandomOf(DType::kFloat32, {6, 20}, 3);
  const auto z = Results({Typed(DType::kFloat32, {6, 20}), Typed(DType::kFloat32, {6, 20})}, 1,
                         "L2_NORMALIZATION", ElementwiseOptions{}, {r});
  const auto w = Results({Typed(DType::kFloat32, {6, 20}), Typed(DType::kFloat32, {6, 20})}, 1, "LOG_SOFTMAX",
                         NoOptions{}, {r});
  ASSERT_TRUE(y.size() == 1 && v.size() == 1 && z.size() == 1 && w.size() == 1);
  for (int64_t row = 0; row < 6; ++row) {
    double sum = 0, unsigned_sum = 0, real_sum = 0, exponentials = 0;
    for (int64_t i = row * 20; i < row * 20 + 20; ++i) {
      sum += std::pow(Numbers(x)[i] - 4, 2);
      unsigned_sum += std::pow(Numbers(b)[i] - 90, 2);
      real_sum += std::pow(Numbers(r)[i], 2);
      exponentials += std::exp(Numbers(r)[i]);
    }
    for (int64_t i = row * 20; i < row * 20 + 20; ++i) {
      EXPECT_NEAR(Numbers(y[0])[i], std::min((Numbers(x)[i] - 4) / std::sqrt(sum) * 128, 127.0), 0.51);
      EXPECT_NEAR(Numbers(v[0])[i],
                  std::min((Numbers(b)[i] - 90) / std::sqrt(unsigned_sum) * 128 + 128, 255.0), 0.51);
      EXPECT_NEAR(Numbers(z[0])[i], Numbers(r)[i] / std::sqrt(real_sum), 1e-6);
      EXPECT_NEAR(Numbers(w[0])[i], Numbers(r)[i] - std::log(exponentials), 1e-5);
    }
  }
}

// Rows of one scale after another, from those that are all but flat to those of which one value is left.
TEST(TfliteReductions, LogarithmsOfSoftmaxAreWithinAStepOfRealOnes) {
  for (const float scale : {0.001f, 0.02f, 0.1f, 0.4f, 1.7f})
    for (const int64_t n : {1, 2, 20, 1000}) {
      const Tensor x = RandomOf(DType::kInt8, {3, n}, static_cast<uint32_t>(n));
      const auto y =
          Results({Scaled(DType::kInt8, {3, n}, scale, -9), Scaled(DType::kInt8, {3, n}, 1.0f / 16, 127)}, 1,
                  "LOG_SOFTMAX", NoOptions{}, {x});
      ASSERT_EQ(y.size(), 1u);
      for (int64_t row = 0; row < 3; ++row) {
        double sum = 0;
        for (int64_t i = row * n; i < row * n + n; ++i)
          sum += std::exp(static_cast<double>(scale) * Numbers(x)[i]);
        for (int64_t i = row * n; i < row * n + n; ++i) {
          const double real = 16 * (static_cast<double>(scale) * Numbers(x)[i] - std::log(sum)) + 127;
          EXPECT_NEAR(Numbers(y[0])[i], std::max(real, -128.0), 0.52) << scale << " " << n;
        }
      }
    }
}

TEST(TfliteMatMul, MultipliesBytesAndFloats) {
  const Tensor a = RandomOf(DType::kInt8, {2, 3, 7}, 1), b = RandomOf(DType::kInt8, {2, 5, 7}, 2);
  const auto y =
      Results({Scaled(DType::kInt8, {2, 3, 7}, 0.05f, 3), Scaled(DType::kInt8, {2, 5, 7}, 0.02f, -6),
               Scaled(DType::kInt8, {2, 3, 5}, 0.4f, 9)},
              1, "BATCH_MATMUL", ProductOptions{.transpose_b = true}, {a, b});
  const Tensor c = RandomOf(DType::kFloat32, {2, 3, 7}, 1), d = RandomOf(DType::kFloat32, {2, 5, 7}, 2);
  const auto z = Results({Typed(DType::kFloat32, {2, 3, 7}), Typed(DType::kFloat32, {2, 5, 7}),
                          Typed(DType::kFloat32, {2, 3, 5})},
                         1, "BATCH_MATMUL", ProductOptions{.transpose_b = true}, {c, d});
  ASSERT_TRUE(y.size() == 1 && z.size() == 1);
  const double factor = static_cast<double>(0.05f) * static_cast<double>(0.02f) / static_cast<double>(0.4f);
  for (int64_t i = 0; i < 30; ++i) {
    int64_t sum = 0;
    double real = 0;
    for (int64_t k = 0; k < 7; ++k) {
      const int64_t p = i / 5 * 7 + k, q = (i / 15 * 5 + i % 5) * 7 + k;
      sum += (a.data<int8_t>()[p] - 3) * (b.data<int8_t>()[q] + 6);
      real += static_cast<double>(c.data<float>()[p]) * static_cast<double>(d.data<float>()[q]);
    }
    EXPECT_EQ(Numbers(y[0])[i], static_cast<double>(RangeOf(DType::kInt8)(Times(sum, factor) + 9)));
    EXPECT_NEAR(Numbers(z[0])[i], real, 1e-4);
  }
}

// Weights that the network computes.
TEST(TfliteDense, TakesWeightsOfTheNetwork) {
  const Tensor x = RandomOf(DType::kUint8, {3, 7}, 1), w = RandomOf(DType::kUint8, {5, 7}, 2);
  const TensorInfo bias =
      Known(Typed(DType::kInt32, {5}), Tensor({5}, std::vector<int32_t>{0, 900, -900, 50, 1}));
  const auto y =
      Results({Scaled(DType::kUint8, {3, 7}, 0.05f, 130), Scaled(DType::kUint8, {5, 7}, 0.02f, 120), bias,
               Scaled(DType::kUint8, {3, 5}, 0.4f, 137)},
              1, "FULLY_CONNECTED", DenseOptions{}, {x, w});
  const Tensor c = RandomOf(DType::kFloat32, {3, 7}, 1), d = RandomOf(DType::kFloat32, {5, 7}, 2);
  const auto z = Results(
      {Typed(DType::kFloat32, {3, 7}), Typed(DType::kFloat32, {5, 7}), Typed(DType::kFloat32, {3, 5})}, 1,
      "FULLY_CONNECTED", DenseOptions{.activation = Activation::kRelu}, {c, d});
  ASSERT_TRUE(y.size() == 1 && z.size() == 1);
  const double factor = static_cast<double>(0.05f * 0.02f) / static_cast<double>(0.4f);
  for (int64_t i = 0; i < 15; ++i) {
    int64_t sum = bias.data->data<int32_t>()[i % 5];
    double real = 0;
    for (int64_t k = 0; k < 7; ++k) {
      const int64_t p = i / 5 * 7 + k, q = i % 5 * 7 + k;
      sum += (x.data<uint8_t>()[p] - 130) * (w.data<uint8_t>()[q] - 120);
      real += static_cast<double>(c.data<float>()[p]) * static_cast<double>(d.data<float>()[q]);
    }
    EXPECT_EQ(Numbers(y[0])[i], static_cast<double>(RangeOf(DType::kUint8)(Times(sum, factor) + 137)));
    EXPECT_NEAR(Numbers(z[0])[i], std::max(real, 0.0), 1e-4);
  }
  EXPECT_THAT(Refusal({Typed(DType::kFloat32, {3, 7}), Scaled(DType::kInt8, {5, 7}, 0.1f, 0),
                       Typed(DType::kFloat32, {3, 5})},
                      "FULLY_CONNECTED", DenseOptions{}),
              testing::HasSubstr("weights that are not constant, nor like its input"));
}

// Rows are bytes by their own range: x = {1.2, -2, 4}, then {0, 0, 0}.
TEST(TfliteHybrid, DenseQuantizesEachRow) {
  TensorInfo w = Scaled(DType::kInt8, {2, 3}, 0.5f, 0);
  w = Known(w, Tensor({2, 3}, std::vector<int8_t>{10, 20, 30, -5, 0, 7}));
  const TensorInfo bias = Known(Typed(DType::kFloat32, {2}), Tensor({2}, std::vector<float>{0.25f, -1}));
  const Tensor x({2, 3}, std::vector<float>{1.2f, -2, 4, 0, 0, 0});
  const auto y = Results({Typed(DType::kFloat32, {2, 3}), w, bias, Typed(DType::kFloat32, {2, 2})}, 1,
                         "FULLY_CONNECTED", DenseOptions{}, {x});
  ASSERT_EQ(y.size(), 1u);
  // 38, -64 and 127 of 4 / 127.
  const float unit = 4.0f / 127 * 0.5f;
  EXPECT_THAT(y[0].data<float>(), ElementsAre(testing::FloatEq((380 - 1280 + 3810) * unit + 0.25f),
                                              testing::FloatEq((-190 + 889) * unit - 1), 0.25f, -1));
  const auto z = Results({Typed(DType::kFloat32, {2, 3}), w, bias, Typed(DType::kFloat32, {2, 2})}, 1,
                         "FULLY_CONNECTED", DenseOptions{.asymmetric = true}, {x});
  ASSERT_EQ(z.size(), 1u);
  // From -2 to 4 in 255 steps, 0 being step 85: byte -43.
  const float step = 6.0f / 255;
  EXPECT_THAT(
      z[0].data<float>()[0],
      testing::FloatNear(static_cast<float>(10 * 51 + 20 * -85 + 30 * 170) * step * 0.5f + 0.25f, 1e-4f));
}

// The rows of DenseQuantizesEachRow by the same matrix, which may stand either way.
TEST(TfliteHybrid, MatricesMultiplyRowsAsDenseLayersDo) {
  const Tensor x({1, 2, 3}, std::vector<float>{1.2f, -2, 4, 0, 0, 0});
  for (const bool turned : {false, true}) {
    const Shape shape = turned ? Shape{2, 3} : Shape{3, 2};
    const TensorInfo w = Known(Scaled(DType::kInt8, shape, 0.5f, 0),
                               Tensor(shape, turned ? std::vector<int8_t>{10, 20, 30, -5, 0, 7}
                                                    : std::vector<int8_t>{10, -5, 20, 0, 30, 7}));
    for (const bool asymmetric : {false, true}) {
      const auto y =
          Results({Typed(DType::kFloat32, {1, 2, 3}), w, Typed(DType::kFloat32, {1, 2, 2})}, 1,
                  "BATCH_MATMUL", ProductOptions{.transpose_b = turned, .asymmetric = asymmetric}, {x});
      ASSERT_EQ(y.size(), 1u);
      const float unit = 4.0f / 127 * 0.5f, step = 6.0f / 255 * 0.5f;
      const float first = asymmetric ? (10 * 51 + 20 * -85 + 30 * 170) * step : (380 - 1280 + 3810) * unit,
                  second = asymmetric ? (-5 * 51 + 7 * 170) * step : (-190 + 889) * unit;
      EXPECT_THAT(y[0].data<float>(),
                  ElementsAre(testing::FloatNear(first, 1e-4f), testing::FloatNear(second, 1e-4f), 0, 0));
    }
  }
}

TEST(TfliteHybrid, ConvolutionsHaveAZeroPointWhereChannelsHaveScales) {
  const Shape shape = {2, 4, 4, 2};
  const Tensor x = RandomOf(DType::kFloat32, shape, 4), kernel = RandomOf(DType::kInt8, {3, 2, 2, 2}, 5);
  for (const bool by_channel : {false, true}) {
    TensorInfo w = Known(Scaled(DType::kInt8, {3, 2, 2, 2}, 0.01f, 0), kernel);
    if (by_channel) w.scales = {0.01f, 0.02f, 0.03f}, w.zero_points = {0, 0, 0};
    const auto y = Results({Typed(DType::kFloat32, shape), w, Typed(DType::kFloat32, {2, 3, 3, 3})}, 1,
                           "CONV_2D", WindowOptions{}, {x});
    ASSERT_EQ(y.size(), 1u);
    for (int64_t i = 0; i < 54; ++i) {
      const int64_t n = i / 27, o = i % 3;
      const auto image = x.data<float>().subspan(n * 32, 32);
      const double least = *std::ranges::min_element(image), most = *std::ranges::max_element(image);
      const double unit = by_channel ? (most - least) / 255 : std::max(most, -least) / 127;
      const double zero =
          by_channel ? std::round(std::abs(most) < std::abs(least) ? 127 - most / unit : -128 - least / unit)
                     : 0;
      double sum = 0;
      for (int64_t k = 0; k < 8; ++k) {
        const int64_t at = ((i % 27 / 9 + k / 4) * 4 + i % 9 / 3 + k / 2 % 2) * 2 + k % 2;
        const double byte = std::clamp(std::round(static_cast<double>(image[at]) / unit) + zero,
                                       by_channel ? -128.0 : -127.0, 127.0);
        sum += (byte - zero) * kernel.data<int8_t>()[o * 8 + k];
      }
      // A tie may fall on either side: a step of one tap.
      EXPECT_NEAR(y[0].data<float>()[i],
                  sum * unit * static_cast<double>(w.scales[w.scales.size() == 1 ? 0 : o]), 128 * unit * 0.03)
          << i;
    }
  }
}

TEST(TfliteConstants, HalvesAndChannelsBecomeFloats) {
  File file{.name = "test.tflite"};
  Tensor halves({DType::kFloat16, {2, 3}});
  for (int i = 0; i < 6; ++i)
    halves.mutable_data<graph::Half>()[i] = graph::Half(0.5f * static_cast<float>(i));
  TensorInfo bytes = Known(Typed(DType::kInt8, {2}), Tensor({2}, std::vector<int8_t>{4, -4}));
  bytes.scales = {0.5f, 0.25f};
  bytes.zero_points = {0, 0};
  file.tensors = {Typed(DType::kFloat32, {1, 3}), Known(Typed(DType::kFloat16, {2, 3}), halves),
                  Typed(DType::kFloat32, {2, 3}), bytes,
                  Typed(DType::kFloat32, {2}),    Typed(DType::kFloat32, {1, 2})};
  file.operators = {
      {.name = "DEQUANTIZE", .inputs = {1}, .outputs = {2}},
      {.name = "DEQUANTIZE", .inputs = {3}, .outputs = {4}},
      {.name = "FULLY_CONNECTED", .inputs = {0, 2, 4}, .outputs = {5}, .options = DenseOptions{}}};
  file.inputs = {0};
  file.outputs = {5};
  Diagnostics diagnostics;
  const auto model = Builder(file, diagnostics).Run();
  ASSERT_TRUE(model) << diagnostics.Render();
  EXPECT_TRUE(HasCore(*model));
  const auto values = golden::Run(model->graph, {Tensor({1, 3}, std::vector<float>{1, 2, 3})});
  EXPECT_THAT(values[model->graph.outputs()[0]]->data<float>(), ElementsAre(0.5f * 8 + 2, 0.5f * 26 - 1));
}

}  // namespace
}  // namespace cosim::import::tflite
