// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's operators on rows that belong together and on bits, integer powers and products, and
// conversions to int32, by their definitions written once more here.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/import/tflite_fixed_point.h"
#include "tests/import/tflite_testing.h"

namespace cosim::import::tflite {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(TfliteSegments, RowsThatFollowEachOtherAreAdded) {
  const Tensor x({5, 2}, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  const auto y = Results(
      {Typed(DType::kFloat32, {5, 2}), Integers({5}, {0, 0, 1, 2, 2}), Typed(DType::kFloat32, {3, 2})}, 1,
      "SEGMENT_SUM", NoOptions{}, {x});
  ASSERT_EQ(y.size(), 1u);
  EXPECT_THAT(y[0].data<float>(), ElementsAre(4, 6, 5, 6, 16, 18));
  const auto refused = [](std::vector<int32_t> ids) {
    return Refusal(
        {Typed(DType::kFloat32, {3, 2}), Integers({3}, std::move(ids)), Typed(DType::kFloat32, {2, 2})},
        "SEGMENT_SUM");
  };
  EXPECT_THAT(refused({0, 2, 2}), HasSubstr("segment 2 behind 0"));
  EXPECT_THAT(refused({1, 1, 2}), HasSubstr("segment 1 behind -1"));
  EXPECT_THAT(refused({0, 1, 0}), HasSubstr("segment 0 behind 1"));
  EXPECT_THAT(
      Refusal({Typed(DType::kFloat32, {3, 2}), Typed(DType::kInt32, {3}), Typed(DType::kFloat32, {2, 2})},
              "SEGMENT_SUM"),
      HasSubstr("segments that are not constant"));
}

/// Of int32 rows 3, -5, 7, 11, 2 in segments that come with the data.
std::vector<double> Unsorted(const std::string& op, const std::vector<int32_t>& ids) {
  const auto y = Results(
      {Typed(DType::kInt32, {5}), Typed(DType::kInt32, {5}), Integers({}, {4}), Typed(DType::kInt32, {4})}, 1,
      op, NoOptions{}, {Tensor({5}, std::vector<int32_t>{3, -5, 7, 11, 2}), Tensor({5}, ids)});
  return y.empty() ? std::vector<double>{} : Numbers(y[0]);
}

TEST(TfliteSegments, RowsOfAnyOrderAreCombinedAndThoseOfNoneLeftOut) {
  constexpr double kLeast = std::numeric_limits<int32_t>::min(), kMost = std::numeric_limits<int32_t>::max();
  const std::vector<int32_t> ids = {2, 0, 2, -1, 3};
  EXPECT_THAT(Unsorted("UNSORTED_SEGMENT_SUM", ids), ElementsAre(-5, 0, 10, 2));
  EXPECT_THAT(Unsorted("UNSORTED_SEGMENT_PROD", ids), ElementsAre(-5, 1, 21, 2));
  EXPECT_THAT(Unsorted("UNSORTED_SEGMENT_MAX", ids), ElementsAre(-5, kLeast, 7, 2));
  EXPECT_THAT(Unsorted("UNSORTED_SEGMENT_MIN", ids), ElementsAre(-5, kMost, 3, 2));
  // What the reference stops at is left out here, where a run cannot fail.
  EXPECT_THAT(Unsorted("UNSORTED_SEGMENT_SUM", {0, 4, 9, 0, 1}), ElementsAre(14, 2, 0, 0));
  EXPECT_THAT(Refusal({Typed(DType::kInt32, {2}), Integers({2}, {0, 4}), Integers({}, {4}),
                       Typed(DType::kInt32, {4})},
                      "UNSORTED_SEGMENT_SUM"),
              HasSubstr("a segment beyond the 4 that there are"));
  EXPECT_THAT(Refusal({Typed(DType::kInt32, {2, 1024}), Typed(DType::kInt32, {2}), Integers({}, {1 << 21}),
                       Typed(DType::kInt32, {1 << 21, 1024})},
                      "UNSORTED_SEGMENT_SUM"),
              HasSubstr("segments of rows of 1024"));
}

TEST(TfliteSegments, FloatsOfAnEmptySegmentAreTheFurthestThereAre) {
  const auto y =
      Results({Typed(DType::kFloat32, {2, 2}), Integers({2}, {1, 1}), Integers({1}, {2}),
               Typed(DType::kFloat32, {2, 2})},
              1, "UNSORTED_SEGMENT_MAX", NoOptions{}, {Tensor({2, 2}, std::vector<float>{1, -2, 0.5f, -1})});
  ASSERT_EQ(y.size(), 1u);
  constexpr float kLeast = std::numeric_limits<float>::lowest();
  EXPECT_THAT(y[0].data<float>(), ElementsAre(kLeast, kLeast, 1, -1));
}

/// op(a [3,4], b [4]) on any bits of a type.
void ExpectBits(const std::string& op, DType type, const std::function<int64_t(int64_t, int64_t)>& want) {
  const Tensor a = RandomOf(type, {3, 4}, 5), b = RandomOf(type, {4}, 6);
  const auto y =
      Results({Typed(type, {3, 4}), Typed(type, {4}), Typed(type, {3, 4})}, 1, op, NoOptions{}, {a, b});
  ASSERT_EQ(y.size(), 1u);
  for (size_t i = 0; i < 12; ++i)
    EXPECT_EQ(static_cast<int64_t>(Numbers(y[0])[i]),
              want(static_cast<int64_t>(Numbers(a)[i]), static_cast<int64_t>(Numbers(b)[i % 4])))
        << graph::Name(type) << i;
}

TEST(TfliteBits, AreCombinedAndShiftedAsTheyStandInTheFile) {
  for (const DType type : {DType::kInt8, DType::kUint8, DType::kInt16, DType::kInt32}) {
    const auto bits = static_cast<int64_t>(8 * graph::SizeOf(type));
    ExpectBits("BITWISE_XOR", type, [](int64_t a, int64_t b) { return a ^ b; });
    ExpectBits("RIGHT_SHIFT", type, [&](int64_t a, int64_t b) {
      const int64_t by = std::clamp<int64_t>(b, 0, bits - 1);
      return static_cast<int64_t>(std::floor(static_cast<double>(a) / std::exp2(static_cast<double>(by))));
    });
  }
  EXPECT_THAT(Refusal({Typed(DType::kInt64, {2}), Typed(DType::kInt64, {2}), Typed(DType::kInt64, {2})},
                      "RIGHT_SHIFT"),
              HasSubstr("int64 values"));
}

TEST(TflitePowers, OfIntegersAreCutOffAtTheirRange) {
  const auto y =
      Results({Typed(DType::kInt32, {2, 4}), Integers({4}, {0, 1, 3, 31}), Typed(DType::kInt32, {2, 4})}, 1,
              "POW", NoOptions{}, {Tensor({2, 4}, std::vector<int32_t>{7, -7, -5, 2, 0, 0, 0, -2})});
  ASSERT_EQ(y.size(), 1u);
  EXPECT_THAT(y[0].data<int32_t>(), ElementsAre(1, -7, -125, 2147483647, 1, 0, 0, -2147483648));
  EXPECT_THAT(Refusal({Typed(DType::kInt32, {2}), Integers({2}, {1, -1}), Typed(DType::kInt32, {2})}, "POW"),
              HasSubstr("to a power below 0"));
}

/// The upper 16 bits of a factor, rounded, times x; rounded half up.
int64_t WideTimes(int64_t x, double factor) {
  int exponent = 0;
  const auto fraction = static_cast<int64_t>(std::round(std::ldexp(std::frexp(factor, &exponent), 31)));
  const int64_t upper = std::min<int64_t>((fraction + 0x8000) / 0x10000, 0x7FFF), shift = 15 - exponent;
  return (x * upper + (int64_t{1} << (shift - 1))) >> shift;
}

TEST(TfliteProducts, OfIntegersAreScaledFactorByFactor) {
  for (const DType type : {DType::kInt8, DType::kInt16})
    for (const bool keep : {false, true}) {
      const bool wide = type == DType::kInt16;
      const int32_t zx = wide ? 0 : 5, zy = wide ? 0 : -7;
      const float from = wide ? 0.00013f : 0.017f, to = wide ? 0.003f : 0.02f;
      const Tensor x = RandomOf(type, {2, 3, 4}, 12);
      const auto y = Results({Scaled(type, {2, 3, 4}, from, zx), Integers({2}, {0, 1}),
                              Scaled(type, keep ? Shape{1, 1, 4} : Shape{4}, to, zy)},
                             1, "REDUCE_PROD", ReduceOptions{keep}, {x});
      ASSERT_EQ(y.size(), 1u);
      const double factor = static_cast<double>(from) / std::pow(static_cast<double>(to), 1.0 / 6);
      const auto in = Numbers(x);
      for (size_t c = 0; c < 4; ++c) {
        int64_t product = static_cast<int64_t>(in[c]) - zx;
        for (size_t k = 1; k < 6; ++k)
          product = WideTimes(product * (static_cast<int64_t>(in[4 * k + c]) - zx), factor);
        EXPECT_EQ(static_cast<int64_t>(Numbers(y[0])[c]), RangeOf(type)(WideTimes(product, factor) + zy))
            << c;
      }
    }
  EXPECT_THAT(Refusal({Scaled(DType::kUint8, {2, 3}, 0.1f, 3), Integers({1}, {0}),
                       Scaled(DType::kUint8, {3}, 0.1f, 3)},
                      "REDUCE_PROD", ReduceOptions{false}),
              HasSubstr("products of uint8 values"));
}

TEST(TfliteQuantize, BytesAndInt16BecomeInt32) {
  for (const DType type : {DType::kInt8, DType::kInt16}) {
    const int32_t zero = type == DType::kInt8 ? -9 : 0;
    const float from = 0.04f, to = 0.00013f;
    const Tensor x = RandomOf(type, {40}, 4);
    const auto y = Results({Scaled(type, {40}, from, zero), Scaled(DType::kInt32, {40}, to, 77)}, 1,
                           "QUANTIZE", NoOptions{}, {x});
    ASSERT_EQ(y.size(), 1u);
    for (size_t i = 0; i < 40; ++i)
      EXPECT_EQ(static_cast<int64_t>(Numbers(y[0])[i]),
                Times(static_cast<int64_t>(Numbers(x)[i]) - zero,
                      static_cast<double>(from) / static_cast<double>(to)) +
                    77);
  }
  EXPECT_THAT(Refusal({Scaled(DType::kUint8, {4}, 0.1f, 3), Scaled(DType::kInt32, {4}, 0.1f, 3)}, "QUANTIZE"),
              HasSubstr("uint8 to int32: quantized int8 and int16 are"));
}

// 12 bytes ask for a gigabyte of floats: none of it is made before the network runs.
TEST(TfliteSegments, TablesOfGigabytesAreLeftForTheRun) {
  const auto largest = [](const std::vector<TensorInfo>& tensors, const std::string& op) {
    Diagnostics diagnostics;
    const auto model = OneOperator(tensors, op, NoOptions{}, diagnostics);
    EXPECT_TRUE(model) << diagnostics.Render();
    int64_t most = 0;
    for (size_t i = 0; model && i < model->graph.nodes().size(); ++i)
      if (const auto* constant = model->graph.nodes()[i].As<graph::Constant>())
        most = std::max(most, constant->data->size());
    return most;
  };
  constexpr int32_t kRows = 1 << 20, kColumns = 256;
  const TensorInfo y = Typed(DType::kFloat32, {kRows, kColumns}),
                   rows = Typed(DType::kFloat32, {1, kColumns});
  EXPECT_LE(largest({Integers({1, 1}, {0}), rows, Integers({2}, {kRows, kColumns}), y}, "SCATTER_ND"), 1024);
  EXPECT_LE(largest({rows, Integers({1}, {0}), Integers({1}, {kRows}), y}, "UNSORTED_SEGMENT_SUM"), 1024);
}

}  // namespace
}  // namespace cosim::import::tflite
