// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's operators that few files have, by their definitions written once more here.
#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

#include "tests/import/tflite_testing.h"

namespace cosim::import::tflite {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(TfliteUncommon, AVectorBecomesADiagonal) {
  for (const DType type : kTypes) {
    const Tensor x = RandomOf(type, {2, 3}, 4);
    const auto y = Results({Typed(type, {2, 3}), Typed(type, {2, 3, 3})}, 1, "MATRIX_DIAG", NoOptions{}, {x});
    ASSERT_EQ(y.size(), 1u);
    const auto from = Numbers(x), to = Numbers(y[0]);
    for (size_t i = 0; i < to.size(); ++i)
      EXPECT_EQ(to[i], i / 3 % 3 == i % 3 ? from[i / 9 * 3 + i % 3] : 0) << graph::Name(type) << ", " << i;
  }
}

TEST(TfliteUncommon, ADiagonalIsSetInMatricesOfAnyShape) {
  for (const auto& [rows, columns] : std::vector<std::pair<int64_t, int64_t>>{{3, 3}, {2, 4}, {4, 2}})
    for (const DType type : kTypes) {
      const int64_t length = std::min(rows, columns);
      const Tensor x = RandomOf(type, {2, rows, columns}, 4), d = RandomOf(type, {2, length}, 5);
      const auto y = Results({Typed(type, x.shape()), Typed(type, d.shape()), Typed(type, x.shape())}, 1,
                             "MATRIX_SET_DIAG", NoOptions{}, {x, d});
      ASSERT_EQ(y.size(), 1u);
      const auto from = Numbers(x), diagonal = Numbers(d), to = Numbers(y[0]);
      for (int64_t i = 0; i < x.size(); ++i) {
        const int64_t matrix = i / (rows * columns), row = i / columns % rows, column = i % columns;
        EXPECT_EQ(to[i], row == column ? diagonal[matrix * length + row] : from[i]) << graph::Name(type);
      }
    }
  EXPECT_THAT(Refusal({Typed(DType::kInt8, {2, 3}), Typed(DType::kInt8, {3}), Typed(DType::kInt8, {2, 3})},
                      "MATRIX_SET_DIAG"),
              HasSubstr("a diagonal of [3] in [2,3]"));
}

TEST(TfliteUncommon, PlacesAmongBounds) {
  const BucketOptions bounds{{-1, 0.5f, 0.5f, 7}};
  const auto y = Results({Typed(DType::kFloat32, {6}), Typed(DType::kInt32, {6})}, 1, "BUCKETIZE", bounds,
                         {Tensor({6}, std::vector<float>{-2, -1, 0, 0.5f, 9, NAN})});
  ASSERT_EQ(y.size(), 1u);
  EXPECT_THAT(y[0].data<int32_t>(), ElementsAre(0, 1, 1, 3, 4, 4));
  const auto z = Results({Typed(DType::kInt64, {3}), Typed(DType::kInt32, {3})}, 1, "BUCKETIZE", bounds,
                         {Tensor({3}, std::vector<int64_t>{-2, 6, 7})});
  ASSERT_EQ(z.size(), 1u);
  EXPECT_THAT(z[0].data<int32_t>(), ElementsAre(0, 3, 4));
  EXPECT_THAT(
      Refusal({Typed(DType::kInt32, {2}), Typed(DType::kInt32, {2})}, "BUCKETIZE", BucketOptions{{2, 1}}),
      HasSubstr("do not ascend"));
}

TEST(TfliteUncommon, DifferentElementsOfAConstant) {
  const auto y =
      Results({Integers({5}, {7, 3, 7, 9, 3}), Typed(DType::kInt32, {3}), Typed(DType::kInt64, {5})}, 2,
              "UNIQUE", NoOptions{}, {});
  ASSERT_EQ(y.size(), 2u);
  EXPECT_THAT(y[0].data<int32_t>(), ElementsAre(7, 3, 9));
  EXPECT_THAT(y[1].data<int64_t>(), ElementsAre(0, 1, 0, 2, 1));
  Tensor bytes({DType::kUint8, {3}});
  bytes.mutable_bytes()[0] = bytes.mutable_bytes()[2] = 200;
  const auto z =
      Results({Known(Typed(DType::kUint8, {3}), bytes), Typed(DType::kUint8, {2}), Typed(DType::kInt32, {3})},
              2, "UNIQUE", NoOptions{}, {});
  ASSERT_EQ(z.size(), 2u);
  EXPECT_THAT(z[0].data<uint8_t>(), ElementsAre(200, 0));
  File file{.name = "test.tflite",
            .tensors = {Typed(DType::kInt32, {5}), Typed(DType::kInt32, {3}), Typed(DType::kInt32, {5})},
            .operators = {{.name = "UNIQUE", .inputs = {0}, .outputs = {1, 2}}},
            .inputs = {0},
            .outputs = {1}};
  Diagnostics diagnostics;
  EXPECT_FALSE(Builder(file, diagnostics).Run());
  EXPECT_THAT(diagnostics.Render(), HasSubstr("elements that are not constant"));
}

TEST(TfliteUncommon, BitsStandAsAnotherType) {
  const struct {
    DType from, to;
    Shape x, y;
  } cases[] = {{DType::kFloat32, DType::kInt32, {2, 3}, {2, 3}}, {DType::kInt32, DType::kInt8, {3}, {3, 4}},
               {DType::kUint8, DType::kInt16, {5, 2}, {5}},      {DType::kInt64, DType::kUint8, {2}, {2, 8}},
               {DType::kInt8, DType::kUint8, {2, 3}, {2, 3}},    {DType::kInt16, DType::kInt64, {3, 4}, {3}}};
  for (const auto& [from, to, before, after] : cases) {
    const Tensor x = RandomOf(from, before, 6);
    const auto y = Results({Typed(from, before), Typed(to, after)}, 1, "BITCAST", NoOptions{}, {x});
    ASSERT_EQ(y.size(), 1u);
    EXPECT_TRUE(std::ranges::equal(y[0].bytes(), x.bytes()))
        << graph::Name(from) << " to " << graph::Name(to);
  }
  EXPECT_THAT(Refusal({Typed(DType::kInt8, {3}), Typed(DType::kInt32, {})}, "BITCAST"),
              HasSubstr("does not end in 4 elements"));
}

// 2^bits steps, one of which is 0.
TEST(TfliteUncommon, RoundsAsTrainingDid) {
  for (const bool narrow : {false, true}) {
    const FakeQuantOptions options{-1.05f, 2.5f, 4, narrow};
    const Tensor x = RandomOf(DType::kFloat32, {4, 50}, 7);
    const auto y = Results({Typed(DType::kFloat32, {4, 50}), Typed(DType::kFloat32, {4, 50})}, 1,
                           "FAKE_QUANT", options, {x});
    ASSERT_EQ(y.size(), 1u);
    const double least = narrow ? 1 : 0, step = 3.55 / (15 - least), zero = std::round(least + 1.05 / step);
    for (int64_t i = 0; i < 200; ++i) {
      const double q =
          std::clamp(std::round(static_cast<double>(x.data<float>()[i]) / step) + zero, least, 15.0);
      EXPECT_NEAR(y[0].data<float>()[i], (q - zero) * step, 1e-5) << i;
    }
  }
  const TensorInfo real = Typed(DType::kFloat32, {2});
  EXPECT_THAT(Refusal({real, real}, "FAKE_QUANT", FakeQuantOptions{1, 2, 8}),
              HasSubstr("8 bits from 1 to 2"));
  EXPECT_THAT(Refusal({real, real}, "FAKE_QUANT", FakeQuantOptions{-1, 1, 40}), HasSubstr("40 bits"));
}

TEST(TfliteUncommon, ADenseConstantIsItself) {
  const auto y =
      Results({Integers({3}, {5, 0, 7}), Typed(DType::kInt32, {3})}, 1, "DENSIFY", NoOptions{}, {});
  ASSERT_EQ(y.size(), 1u);
  EXPECT_THAT(y[0].data<int32_t>(), ElementsAre(5, 0, 7));
  EXPECT_THAT(Refusal({Typed(DType::kInt32, {3}), Typed(DType::kInt32, {3})}, "DENSIFY"),
              HasSubstr("no constant"));
}

// Each element of x adds its multiple of the kernel, from where the padding begins.
TEST(TfliteUncommon, TransposedConvolutionsOfVolumes) {
  for (const bool same : {false, true})
    for (const int64_t stride : {1, 2}) {
      const VolumeOptions options{.same_padding = same, .stride = {stride, 1, stride}};
      const Shape xs = {2, 3, 2, 4, 3}, ws = {2, 3, 3, 2, 3};
      Shape ys = {2, 0, 0, 0, 2};
      int64_t begin[3];
      for (size_t d : {0, 1, 2}) {
        const int64_t s = options.stride[d], spread = (xs[d + 1] - 1) * s + ws[d];
        ys[d + 1] = same ? xs[d + 1] * s : (xs[d + 1] - 1) * s + std::max(ws[d], s);
        begin[d] = std::max<int64_t>(spread - ys[d + 1], 0) / 2;
      }
      const Tensor x = RandomOf(DType::kFloat32, xs, 8), w = RandomOf(DType::kFloat32, ws, 9),
                   bias = RandomOf(DType::kFloat32, {2}, 10);
      const std::vector<int32_t> extents(ys.begin(), ys.end());
      const auto y =
          Results({Integers({5}, extents), Known(Typed(DType::kFloat32, ws), w), Typed(DType::kFloat32, xs),
                   Known(Typed(DType::kFloat32, {2}), bias), Typed(DType::kFloat32, ys)},
                  1, "CONV_3D_TRANSPOSE", options, {x});
      ASSERT_EQ(y.size(), 1u);
      std::vector<double> want(static_cast<size_t>(graph::NumElements(ys)));
      for (size_t i = 0; i < want.size(); ++i) want[i] = static_cast<double>(bias.data<float>()[i % 2]);
      for (int64_t i = 0; i < x.size(); ++i)
        for (int64_t k = 0; k < w.size(); ++k) {
          if (i % 3 != k % 3) continue;  // channels of x
          const int64_t at[3] = {i / 24 % 3, i / 12 % 2, i / 3 % 4}, tap[3] = {k / 54, k / 18 % 3, k / 6 % 3};
          int64_t to = i / 72;
          bool inside = true;
          for (size_t d : {0, 1, 2}) {
            const int64_t place = at[d] * options.stride[d] + tap[d] - begin[d];
            inside &= place >= 0 && place < ys[d + 1];
            to = to * ys[d + 1] + place;
          }
          if (inside)
            want[static_cast<size_t>(to * 2 + k / 3 % 2)] +=
                static_cast<double>(x.data<float>()[i]) * static_cast<double>(w.data<float>()[k]);
        }
      for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(y[0].data<float>()[i], want[i], 1e-3) << i;
    }
}

}  // namespace
}  // namespace cosim::import::tflite
