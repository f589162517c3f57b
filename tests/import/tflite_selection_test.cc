// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's operators that choose by value or place, on small examples whose results are written out,
// and LOCAL_RESPONSE_NORMALIZATION by its definition.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "tests/import/tflite_testing.h"

namespace cosim::import::tflite {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(TfliteSelection, TheLargestComeFirstAndOfEqualsTheFirst) {
  const Tensor x({2, 4}, std::vector<float>{1, 7, 7, 3, -1, -9, 0, -2});
  const auto y = Results({Typed(DType::kFloat32, {2, 4}), Integers({}, {3}), Typed(DType::kFloat32, {2, 3}),
                          Typed(DType::kInt32, {2, 3})},
                         2, "TOPK_V2", NoOptions{}, {x});
  ASSERT_EQ(y.size(), 2u);
  EXPECT_THAT(y[0].data<float>(), ElementsAre(7, 7, 3, 0, -1, -2));
  EXPECT_THAT(y[1].data<int32_t>(), ElementsAre(1, 2, 3, 2, 0, 3));
  Tensor bytes({DType::kUint8, {4}});
  std::ranges::copy(std::vector<uint8_t>{3, 200, 127, 128}, bytes.mutable_bytes().begin());
  const auto z = Results({Scaled(DType::kUint8, {4}, 0.5f, 9), Integers({}, {2}),
                          Scaled(DType::kUint8, {2}, 0.5f, 9), Typed(DType::kInt32, {2})},
                         2, "TOPK_V2", NoOptions{}, {bytes});
  ASSERT_EQ(z.size(), 2u);
  EXPECT_THAT(Numbers(z[0]), ElementsAre(200, 128));
  EXPECT_THAT(z[1].data<int32_t>(), ElementsAre(1, 3));
}

TEST(TfliteSelection, OneHotVectorsStandAlongAnyAxis) {
  const auto known = [](float v) {
    return Known(Typed(DType::kFloat32, {}), Tensor({}, std::vector<float>{v}));
  };
  const auto of = [&](int64_t axis, const Shape& shape) {
    return Results(
        {Typed(DType::kInt32, {2}), Integers({}, {3}), known(5), known(-1), Typed(DType::kFloat32, shape)}, 1,
        "ONE_HOT", AxisOptions{axis}, {Tensor({2}, std::vector<int32_t>{2, -1})});
  };
  const auto last = of(-1, {2, 3}), first = of(0, {3, 2});
  ASSERT_TRUE(last.size() == 1 && first.size() == 1);
  EXPECT_THAT(last[0].data<float>(), ElementsAre(-1, -1, 5, -1, -1, -1));  // -1 is no place
  EXPECT_THAT(first[0].data<float>(), ElementsAre(-1, -1, -1, -1, 5, -1));
}

TEST(TfliteSelection, DepthsHaveABound) {
  const TensorInfo number = Known(Typed(DType::kFloat32, {}), Tensor({}, std::vector<float>{1}));
  EXPECT_THAT(Refusal({Typed(DType::kInt32, {2}), Integers({}, {654311426}), number, number,
                       Typed(DType::kFloat32, {2, 654311426})},
                      "ONE_HOT", AxisOptions{-1}),
              HasSubstr("a depth of more than 4194304"));
}

TEST(TfliteSelection, UpdatesOfOnePlaceAreAdded) {
  const auto y = Results({Typed(DType::kInt32, {3, 1}), Typed(DType::kFloat32, {3, 2}), Integers({2}, {4, 2}),
                          Typed(DType::kFloat32, {4, 2})},
                         1, "SCATTER_ND", NoOptions{},
                         {Tensor({3, 1}, std::vector<int32_t>{2, 0, 2}),
                          Tensor({3, 2}, std::vector<float>{1, 2, 3, 4, 10, 20})});
  ASSERT_EQ(y.size(), 1u);
  EXPECT_THAT(y[0].data<float>(), ElementsAre(3, 4, 0, 0, 11, 22, 0, 0));
  EXPECT_THAT(Refusal({Typed(DType::kInt32, {3, 1}), Scaled(DType::kInt16, {3, 2}, 1, 0),
                       Integers({2}, {4, 2}), Scaled(DType::kInt16, {4, 2}, 1, 0)},
                      "SCATTER_ND"),
              HasSubstr("int16 values, which the reference does not compute"));
}

TEST(TfliteSelection, BytesWithoutASignAndTruthsAreAddedToo) {
  const auto scattered = [](DType type, const std::vector<uint8_t>& updates) {
    Tensor given({type, {3}});
    std::ranges::copy(updates, given.mutable_bytes().begin());
    return Results({Typed(DType::kInt32, {3, 1}), Typed(type, {3}), Integers({1}, {4}), Typed(type, {4})}, 1,
                   "SCATTER_ND", NoOptions{}, {Tensor({3, 1}, std::vector<int32_t>{2, 0, 2}), given});
  };
  const auto bytes = scattered(DType::kUint8, {200, 7, 100}), truths = scattered(DType::kBool, {1, 0, 1});
  ASSERT_TRUE(bytes.size() == 1 && truths.size() == 1);
  EXPECT_THAT(Numbers(bytes[0]), ElementsAre(7, 0, 44, 0));  // 300 wraps
  EXPECT_THAT(Numbers(truths[0]), ElementsAre(0, 0, 1, 0));
}

TEST(TfliteSelection, SparseValuesStandAtTheirPlaces) {
  const auto dense = [](const TensorInfo& places, const Tensor& values, const Shape& shape) {
    const TensorInfo other = Known(Typed(values.dtype(), {}), Tensor({}, std::vector<float>{-1}));
    const std::vector<int32_t> extents(shape.begin(), shape.end());
    return Results({places, Integers({static_cast<int64_t>(extents.size())}, extents),
                    Typed(values.dtype(), values.shape()), other, Typed(values.dtype(), shape)},
                   1, "SPARSE_TO_DENSE", NoOptions{}, {values});
  };
  const auto y = dense(Integers({2, 2}, {0, 1, 1, 0}), Tensor({2}, std::vector<float>{5, 6}), {2, 3}),
             z = dense(Integers({2}, {3, 1}), Tensor({}, std::vector<float>{5}), {4}),
             one = dense(Integers({}, {2}), Tensor({}, std::vector<float>{5}), {3});
  ASSERT_TRUE(y.size() == 1 && z.size() == 1 && one.size() == 1);
  EXPECT_THAT(y[0].data<float>(), ElementsAre(-1, 5, -1, 6, -1, -1));
  EXPECT_THAT(z[0].data<float>(), ElementsAre(-1, 5, -1, 5));
  EXPECT_THAT(one[0].data<float>(), ElementsAre(-1, -1, 5));
  EXPECT_THAT(Refusal({Typed(DType::kFloat32, {2}), Integers({1}, {4}), Typed(DType::kFloat32, {2}),
                       Typed(DType::kFloat32, {}), Typed(DType::kFloat32, {4})},
                      "SPARSE_TO_DENSE"),
              HasSubstr("indices of float32"));
}

// An update that would not fit begins earlier.
TEST(TfliteSelection, PartsAreReplacedWhereTheyFit) {
  const Shape shape = {2, 3, 4}, part = {1, 2, 3};
  for (const DType type : kTypes) {
    const Tensor x = RandomOf(type, shape, 3), update = RandomOf(type, part, 4);
    for (const auto& [given, starts] :
         {std::pair{std::vector<int32_t>{1, 0, 1}, std::vector<int64_t>{1, 0, 1}},
          {{7, -5, 2}, {1, 0, 1}},
          {{0, 1, 0}, {0, 1, 0}}}) {
      const auto y =
          Results({Typed(type, shape), Typed(type, part), Typed(DType::kInt32, {3}), Typed(type, shape)}, 1,
                  "DYNAMIC_UPDATE_SLICE", NoOptions{}, {x, update, Tensor({3}, given)});
      ASSERT_EQ(y.size(), 1u);
      const auto from = Numbers(x), with = Numbers(update), to = Numbers(y[0]);
      for (int64_t i = 0; i < 24; ++i) {
        const int64_t at[] = {i / 12 - starts[0], i / 4 % 3 - starts[1], i % 4 - starts[2]};
        const bool inside = at[0] == 0 && at[1] >= 0 && at[1] < 2 && at[2] >= 0 && at[2] < 3;
        EXPECT_EQ(to[i], inside ? with[at[1] * 3 + at[2]] : from[i]) << graph::Name(type) << " " << i;
      }
    }
  }
  EXPECT_THAT(Refusal({Typed(DType::kFloat32, shape), Typed(DType::kFloat32, {1, 4, 3}),
                       Typed(DType::kInt32, {3}), Typed(DType::kFloat32, shape)},
                      "DYNAMIC_UPDATE_SLICE"),
              HasSubstr("float32[1,4,3] in float32[2,3,4]"));
}

TEST(TfliteSelection, StepsOfEachSequenceAreReversedUpToItsLength) {
  const Shape shape = {2, 3, 4};
  for (const DType type : kTypes) {
    const Tensor x = RandomOf(type, shape, 3);
    for (const auto& [time, batch, lengths] :
         {std::tuple{2, 0, std::vector<int32_t>{3, 0}}, {0, 1, {1, 2, 2}}, {1, 2, {3, 1, 2, 0}}}) {
      const auto count = static_cast<int64_t>(lengths.size());
      const auto y = Results({Typed(type, shape), Typed(DType::kInt32, {count}), Typed(type, shape)}, 1,
                             "REVERSE_SEQUENCE", AxisOptions{time, batch}, {x, Tensor({count}, lengths)});
      ASSERT_EQ(y.size(), 1u);
      const auto from = Numbers(x), to = Numbers(y[0]);
      for (int64_t i = 0; i < 24; ++i) {
        int64_t at[] = {i / 12, i / 4 % 3, i % 4};
        const int64_t length = lengths[at[batch]];
        if (at[time] < length) at[time] = length - 1 - at[time];
        EXPECT_EQ(to[i], from[at[0] * 12 + at[1] * 4 + at[2]]) << graph::Name(type) << " " << i;
      }
    }
  }
  EXPECT_THAT(
      Refusal({Typed(DType::kFloat32, shape), Typed(DType::kInt32, {2}), Typed(DType::kFloat32, shape)},
              "REVERSE_SEQUENCE", AxisOptions{1, 1}),
      HasSubstr("steps along axis 1, sequences along axis 1"));
}

TEST(TfliteSelection, ChannelsAreDividedByTheirNeighbours) {
  const Shape shape = {1, 2, 2, 5};
  const Tensor x = RandomOf(DType::kFloat32, shape, 3);
  const auto y = Results({Typed(DType::kFloat32, shape), Typed(DType::kFloat32, shape)}, 1,
                         "LOCAL_RESPONSE_NORMALIZATION",
                         LocalResponseOptions{.radius = 1, .bias = 2, .alpha = 0.5f, .beta = 0.75f}, {x});
  ASSERT_EQ(y.size(), 1u);
  const auto from = Numbers(x), to = Numbers(y[0]);
  for (int64_t i = 0; i < 20; ++i) {
    double sum = 0;
    for (int64_t c = std::max<int64_t>(0, i % 5 - 1); c <= std::min<int64_t>(4, i % 5 + 1); ++c)
      sum += from[i / 5 * 5 + c] * from[i / 5 * 5 + c];
    EXPECT_NEAR(to[i], from[i] / std::pow(2 + 0.5 * sum, 0.75), 1e-5) << i;
  }
}

}  // namespace
}  // namespace cosim::import::tflite
