// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's operators that only move elements, on every type: where each element comes from is said
// here by its definition.
#include <gmock/gmock.h>

#include <functional>

#include "tests/import/tflite_testing.h"

namespace cosim::import::tflite {
namespace {

using Place = std::function<Shape(const Shape&)>;
using testing::HasSubstr;

/// f(index, position) of every element, row-major.
void ForEach(const Shape& shape, const std::function<void(int64_t, const Shape&)>& f) {
  Shape at(shape.size(), 0);
  for (int64_t i = 0; i < graph::NumElements(shape); ++i) {
    f(i, at);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++at[d] < shape[d]) break;
      at[d] = 0;
    }
  }
}

int64_t IndexOf(const Shape& shape, const Shape& at) {
  int64_t index = 0;
  for (size_t d = 0; d < shape.size(); ++d) index = index * shape[d] + at[d];
  return index;
}

/// Result `result` of the operator on (x, constants...) has x's element at(place) at each place, of all
/// types. Where `x_last`, x stands behind the constants.
void ExpectMoved(const std::string& op, const OperatorOptions& options, const Shape& x,
                 const std::vector<TensorInfo>& constants, const std::vector<Shape>& results,
                 const std::vector<Place>& at, bool x_last = false) {
  for (const DType type : kTypes) {
    std::vector<TensorInfo> tensors = constants;
    tensors.insert(x_last ? tensors.end() : tensors.begin(), Typed(type, x));
    for (const Shape& shape : results) tensors.push_back(Typed(type, shape));
    const Tensor in = RandomOf(type, x, 3);
    const auto out = Results(tensors, results.size(), op, options, {in});
    ASSERT_EQ(out.size(), results.size()) << op;
    const auto from = Numbers(in);
    for (size_t r = 0; r < results.size(); ++r) {
      ASSERT_EQ(out[r].type(), (graph::TensorType{type, results[r]})) << op;
      const auto to = Numbers(out[r]);
      ForEach(results[r], [&](int64_t i, const Shape& place) {
        EXPECT_EQ(to[i], from[IndexOf(x, at[r](place))]) << op << " of " << graph::Name(type) << ", " << i;
      });
    }
  }
}

TEST(TfliteMovement, TransposesAnyRank) {
  ExpectMoved("TRANSPOSE", NoOptions{}, {2, 3, 4, 5}, {Integers({4}, {3, 0, 2, 1})}, {{5, 2, 4, 3}},
              {[](const Shape& p) { return Shape{p[1], p[3], p[2], p[0]}; }});
  ExpectMoved("TRANSPOSE", NoOptions{}, {2, 3, 2, 2, 3}, {Integers({5}, {4, 1, 0, 3, 2})}, {{3, 3, 2, 2, 2}},
              {[](const Shape& p) { return Shape{p[2], p[1], p[4], p[3], p[0]}; }});
  // To channels second and back: the other layout of the same tensor.
  ExpectMoved("TRANSPOSE", NoOptions{}, {2, 3, 4, 5}, {Integers({4}, {0, 2, 3, 1})}, {{2, 4, 5, 3}},
              {[](const Shape& p) { return Shape{p[0], p[3], p[1], p[2]}; }});
}

TEST(TfliteMovement, SlicesByMasks) {
  const auto bounds = [](std::vector<int32_t> begin, std::vector<int32_t> end, std::vector<int32_t> step) {
    const Shape shape = {static_cast<int64_t>(begin.size())};
    return std::vector<TensorInfo>{Integers(shape, begin), Integers(shape, end), Integers(shape, step)};
  };
  ExpectMoved("STRIDED_SLICE", SliceOptions{.begin = 1, .end = 4}, {4, 5, 6},
              bounds({9, 3, 1}, {3, -5, 0}, {1, -1, 2}), {{3, 3, 3}},
              {[](const Shape& p) { return Shape{p[0], 3 - p[1], 1 + 2 * p[2]}; }});
  ExpectMoved("STRIDED_SLICE", SliceOptions{.shrink_axis = 2}, {4, 5, 6},
              bounds({1, -2, 0}, {3, 0, 6}, {1, 1, 5}), {{2, 2}},
              {[](const Shape& p) { return Shape{1 + p[0], 3, 5 * p[1]}; }});
  ExpectMoved("STRIDED_SLICE", SliceOptions{.ellipsis = 2, .new_axis = 1}, {4, 5, 6},
              bounds({0, 0, 2}, {0, 0, 4}, {1, 1, 1}), {{1, 4, 5, 2}},
              {[](const Shape& p) { return Shape{p[1], p[2], 2 + p[3]}; }});
  ExpectMoved("STRIDED_SLICE", SliceOptions{.offset = true}, {7}, bounds({2}, {3}, {1}), {{3}},
              {[](const Shape& p) { return Shape{2 + p[0]}; }});
  ExpectMoved("STRIDED_SLICE", SliceOptions{}, {7}, bounds({6}, {-9}, {-3}), {{3}},
              {[](const Shape& p) { return Shape{6 - 3 * p[0]}; }});
  ExpectMoved("SLICE", NoOptions{}, {3, 4}, {Integers({2}, {1, 2}), Integers({2}, {-1, 1})}, {{2, 1}},
              {[](const Shape& p) { return Shape{1 + p[0], 2}; }});
  ExpectMoved("REVERSE_V2", NoOptions{}, {3, 4}, {Integers({2}, {0, -1})}, {{3, 4}},
              {[](const Shape& p) { return Shape{2 - p[0], 3 - p[1]}; }});
  const auto fault = [&](const SliceOptions& options, const std::vector<TensorInfo>& list,
                         const Shape& result) {
    std::vector<TensorInfo> tensors = {Typed(DType::kFloat32, {4, 5})};
    tensors.insert(tensors.end(), list.begin(), list.end());
    tensors.push_back(Typed(DType::kFloat32, result));
    return Refusal(tensors, "STRIDED_SLICE", options);
  };
  EXPECT_THAT(fault({}, bounds({0, 0}, {1, 1}, {1, 0}), {1, 1}), HasSubstr("step of 0"));
  EXPECT_THAT(fault({.shrink_axis = 1}, bounds({4}, {5}, {1}), {5}), HasSubstr("nothing of dimension 0"));
  EXPECT_THAT(fault({}, bounds({0, 0, 0}, {1, 1, 1}, {1, 1, 1}), {1}), HasSubstr("3 bounds for [4,5]"));
  EXPECT_THAT(fault({.ellipsis = 3}, bounds({0, 0}, {1, 1}, {1, 1}), {4, 5}), HasSubstr("two ellipses"));
}

TEST(TfliteMovement, SplitsAndUnpacksToSeveralResults) {
  const Place even[] = {[](const Shape& p) { return p; },
                        [](const Shape& p) { return Shape{p[0], p[1] + 2}; },
                        [](const Shape& p) { return Shape{p[0], p[1] + 4}; }};
  ExpectMoved("SPLIT", NoOptions{}, {2, 6}, {Integers({}, {-1})}, {{2, 2}, {2, 2}, {2, 2}},
              {even[0], even[1], even[2]}, true);
  ExpectMoved("SPLIT_V", NoOptions{}, {2, 6}, {Integers({2}, {2, -1}), Integers({}, {1})}, {{2, 2}, {2, 4}},
              {even[0], even[1]});
  ExpectMoved("UNPACK", AxisOptions{.axis = 1}, {2, 2, 3}, {}, {{2, 3}, {2, 3}},
              {[](const Shape& p) { return Shape{p[0], 0, p[1]}; },
               [](const Shape& p) { return Shape{p[0], 1, p[1]}; }});
  EXPECT_THAT(Refusal({Integers({}, {0}), Typed(DType::kInt8, {3}), Typed(DType::kInt8, {3})}, "RELU"),
              HasSubstr("has 2 operands"));
}

TEST(TfliteMovement, PacksAlongANewAxis) {
  for (const DType type : kTypes) {
    const Tensor a = RandomOf(type, {2, 3}, 1), b = RandomOf(type, {2, 3}, 2);
    const auto y = Results({Typed(type, {2, 3}), Typed(type, {2, 3}), Typed(type, {2, 2, 3})}, 1, "PACK",
                           AxisOptions{.axis = -2}, {a, b});
    ASSERT_EQ(y.size(), 1u);
    const auto to = Numbers(y[0]), one = Numbers(a), two = Numbers(b);
    for (int64_t i = 0; i < 12; ++i) EXPECT_EQ(to[i], (i / 3 % 2 ? two : one)[i / 6 * 3 + i % 3]);
  }
}

TEST(TfliteMovement, RepeatsAndMirrors) {
  ExpectMoved("TILE", NoOptions{}, {2, 3}, {Integers({2}, {2, 3})}, {{4, 9}},
              {[](const Shape& p) { return Shape{p[0] % 2, p[1] % 3}; }});
  ExpectMoved("BROADCAST_TO", NoOptions{}, {2, 1}, {Integers({3}, {3, 2, 4})}, {{3, 2, 4}},
              {[](const Shape& p) { return Shape{p[1], 0}; }});
  const auto pads = Integers({2, 2}, {1, 2, 2, 0});
  ExpectMoved("MIRROR_PAD", MirrorOptions{}, {3, 4}, {pads}, {{6, 6}}, {[](const Shape& p) {
                const int64_t rows[] = {1, 0, 1, 2, 1, 0}, columns[] = {2, 1, 0, 1, 2, 3};
                return Shape{rows[p[0]], columns[p[1]]};
              }});
  ExpectMoved("MIRROR_PAD", MirrorOptions{.symmetric = true}, {3, 4}, {pads}, {{6, 6}}, {[](const Shape& p) {
                const int64_t rows[] = {0, 0, 1, 2, 2, 1}, columns[] = {1, 0, 0, 1, 2, 3};
                return Shape{rows[p[0]], columns[p[1]]};
              }});
  EXPECT_THAT(Refusal({Typed(DType::kInt8, {2}), Integers({1, 2}, {2, 0}), Typed(DType::kInt8, {4})},
                      "MIRROR_PAD", MirrorOptions{}),
              HasSubstr("a mirror of 2 and 0 around 2"));
}

TEST(TfliteMovement, MovesBlocksOfPixels) {
  ExpectMoved("DEPTH_TO_SPACE", BlockOptions{2}, {2, 2, 3, 8}, {}, {{2, 4, 6, 2}}, {[](const Shape& p) {
                return Shape{p[0], p[1] / 2, p[2] / 2, (p[1] % 2 * 2 + p[2] % 2) * 2 + p[3]};
              }});
  ExpectMoved("SPACE_TO_DEPTH", BlockOptions{2}, {2, 4, 6, 2}, {}, {{2, 2, 3, 8}}, {[](const Shape& p) {
                const int64_t place = p[3] / 2;
                return Shape{p[0], p[1] * 2 + place / 2, p[2] * 2 + place % 2, p[3] % 2};
              }});
  ExpectMoved("SPACE_TO_BATCH_ND", NoOptions{}, {2, 4, 6, 3},
              {Integers({2}, {2, 3}), Integers({2, 2}, {0, 0, 0, 0})}, {{12, 2, 2, 3}}, {[](const Shape& p) {
                const int64_t place = p[0] / 2;
                return Shape{p[0] % 2, p[1] * 2 + place / 3, p[2] * 3 + place % 3, p[3]};
              }});
  ExpectMoved("BATCH_TO_SPACE_ND", NoOptions{}, {12, 2, 2, 3},
              {Integers({2}, {2, 3}), Integers({2, 2}, {1, 0, 0, 2})}, {{2, 3, 4, 3}}, {[](const Shape& p) {
                const int64_t y = p[1] + 1, x = p[2];
                return Shape{(y % 2 * 3 + x % 3) * 2 + p[0], y / 2, x / 3, p[3]};
              }});
  ExpectMoved("BATCH_TO_SPACE_ND", NoOptions{}, {4, 3, 2}, {Integers({1}, {2}), Integers({1, 2}, {0, 1})},
              {{2, 5, 2}}, {[](const Shape& p) { return Shape{p[1] % 2 * 2 + p[0], p[1] / 2, p[2]}; }});
}

TEST(TfliteMovement, PadsWithTheZeroPointOrAGivenValue) {
  const auto x = RandomOf(DType::kUint8, {1, 3, 2}, 1);
  const TensorInfo bytes = Scaled(DType::kUint8, {1, 3, 2}, 0.5f, 77);
  const auto y = Results(
      {bytes, Integers({1}, {2}), Integers({1, 2}, {1, 0}), Scaled(DType::kUint8, {2, 2, 2}, 0.5f, 77)}, 1,
      "SPACE_TO_BATCH_ND", NoOptions{}, {x});
  ASSERT_EQ(y.size(), 1u);
  const auto v = x.data<uint8_t>();
  EXPECT_THAT(y[0].data<uint8_t>(), testing::ElementsAre(77, 77, v[2], v[3], v[0], v[1], v[4], v[5]));
  TensorInfo five = Typed(DType::kUint8, {});
  Tensor value({DType::kUint8, {}});
  value.mutable_data<uint8_t>()[0] = 5;
  const auto z = Results(
      {Typed(DType::kUint8, {2}), Integers({1, 2}, {1, 1}), Known(five, value), Typed(DType::kUint8, {4})}, 1,
      "PADV2", NoOptions{}, {RandomOf(DType::kUint8, {2}, 4)});
  const auto zeros = Results({Typed(DType::kUint8, {2}), Integers({1, 2}, {1, 1}), Typed(DType::kUint8, {4})},
                             1, "PAD", NoOptions{}, {RandomOf(DType::kUint8, {2}, 4)});
  ASSERT_TRUE(z.size() == 1 && zeros.size() == 1);
  const auto w = Numbers(RandomOf(DType::kUint8, {2}, 4));
  EXPECT_THAT(Numbers(z[0]), testing::ElementsAre(5, w[0], w[1], 5));
  EXPECT_THAT(Numbers(zeros[0]), testing::ElementsAre(0, w[0], w[1], 0));
}

TEST(TfliteMovement, GathersRows) {
  ExpectMoved("GATHER", AxisOptions{.axis = 1}, {2, 4, 3}, {Integers({2, 2}, {3, 0, 1, 3})}, {{2, 2, 2, 3}},
              {[](const Shape& p) {
                const int64_t places[] = {3, 0, 1, 3};
                return Shape{p[0], places[p[1] * 2 + p[2]], p[3]};
              }});
  ExpectMoved("GATHER", AxisOptions{.axis = 1, .batch = 1}, {2, 4, 3}, {Integers({2, 1}, {3, 1})},
              {{2, 1, 3}}, {[](const Shape& p) { return Shape{p[0], p[0] == 0 ? 3 : 1, p[2]}; }});
  ExpectMoved("GATHER_ND", NoOptions{}, {2, 4, 3}, {Integers({2, 2}, {1, 2, 0, 3})}, {{2, 3}},
              {[](const Shape& p) { return p[0] == 0 ? Shape{1, 2, p[1]} : Shape{0, 3, p[1]}; }});
  ExpectMoved("EMBEDDING_LOOKUP", NoOptions{}, {4, 3}, {Integers({3}, {2, 0, 2})}, {{3, 3}},
              {[](const Shape& p) { return Shape{p[0] == 1 ? 0 : 2, p[1]}; }}, true);
}

TEST(TfliteShapes, AreKnownWhenTheNetworkIsCompiled) {
  const auto one = [](const std::vector<TensorInfo>& tensors, const char* op,
                      const std::vector<Tensor>& inputs) {
    const auto y = Results(tensors, 1, op, NoOptions{}, inputs);
    return y.empty() ? std::vector<double>{} : Numbers(y[0]);
  };
  using testing::ElementsAre;
  const Tensor x = RandomOf(DType::kFloat32, {2, 5, 3}, 1);
  EXPECT_THAT(one({Typed(DType::kFloat32, {2, 5, 3}), Typed(DType::kInt32, {3})}, "SHAPE", {x}),
              ElementsAre(2, 5, 3));
  EXPECT_THAT(one({Typed(DType::kFloat32, {2, 5, 3}), Typed(DType::kInt32, {})}, "RANK", {x}),
              ElementsAre(3));
  EXPECT_THAT(
      one({Integers({2}, {1, 3}), Integers({3}, {4, 5, 1}), Typed(DType::kInt32, {3})}, "BROADCAST_ARGS", {}),
      ElementsAre(4, 5, 3));
  EXPECT_THAT(one({Integers({2}, {1, 3}), Integers({}, {7}), Typed(DType::kInt32, {1, 3})}, "FILL", {}),
              ElementsAre(7, 7, 7));
  EXPECT_THAT(
      one({Integers({}, {2}), Integers({}, {9}), Integers({}, {3}), Typed(DType::kInt32, {3})}, "RANGE", {}),
      ElementsAre(2, 5, 8));
  EXPECT_THAT(one({Typed(DType::kUint8, {2}), Typed(DType::kUint8, {2})}, "ZEROS_LIKE",
                  {RandomOf(DType::kUint8, {2}, 1)}),
              ElementsAre(0, 0));
  EXPECT_THAT(one({Integers({2, 2}, {0, 5, 1, 0}), Typed(DType::kInt64, {2, 2})}, "WHERE", {}),
              ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(Refusal({Typed(DType::kBool, {2}), Typed(DType::kInt64, {1, 1})}, "WHERE"),
              HasSubstr("not constant"));
}

// Bytes that stand for nothing beside some that do: the file is odd, but the graph is whole.
TEST(TfliteMovement, ConcatenatesBytesWithoutAScale) {
  const Tensor a = RandomOf(DType::kInt8, {1, 2, 2, 3}, 1), b = RandomOf(DType::kInt8, {1, 2, 2, 2}, 2);
  const auto y = Results({Scaled(DType::kInt8, {1, 2, 2, 3}, 0.5f, 1), Typed(DType::kInt8, {1, 2, 2, 2}),
                          Scaled(DType::kInt8, {1, 2, 2, 5}, 0.5f, 1)},
                         1, "CONCATENATION", ConcatOptions{.axis = 3}, {a, b});
  ASSERT_EQ(y.size(), 1u);
  for (size_t i = 0; i < 20; ++i)
    EXPECT_EQ(Numbers(y[0])[i],
              i % 5 < 3 ? Numbers(a)[i / 5 * 3 + i % 5] : Numbers(b)[i / 5 * 2 + i % 5 - 3]);
}

// uint8 to the scale of the result, int16 as it is.
TEST(TfliteMovement, AnOperandMayStandTwiceInAConcatenation) {
  File file{
      .name = "test.tflite",
      .tensors = {Scaled(DType::kUint8, {1, 4}, 0.5f, 10), Scaled(DType::kUint8, {2, 4}, 1, 0)},
      .operators = {{.name = "CONCATENATION", .inputs = {0, 0}, .outputs = {1}, .options = ConcatOptions{}}},
      .inputs = {0},
      .outputs = {1}};
  Diagnostics diagnostics;
  const auto model = Builder(file, diagnostics).Run();
  ASSERT_TRUE(model) << diagnostics.Render();
  EXPECT_TRUE(graph::Verify(model->graph).empty());
}

TEST(TfliteMovement, ConcatenationsScaleBytesWithoutASignAlone) {
  const Tensor a = RandomOf(DType::kUint8, {3, 40}, 1), b = RandomOf(DType::kUint8, {2, 40}, 2);
  const auto y = Results({Scaled(DType::kUint8, {3, 40}, 0.5f, 10), Scaled(DType::kUint8, {2, 40}, 0.3f, 200),
                          Scaled(DType::kUint8, {5, 40}, 0.5f, 10)},
                         1, "CONCATENATION", ConcatOptions{.axis = 0}, {a, b});
  const Tensor c = RandomOf(DType::kInt16, {1, 4}, 1), d = RandomOf(DType::kInt16, {1, 4}, 2);
  const auto z = Results({Scaled(DType::kInt16, {1, 4}, 0.5f, 0), Scaled(DType::kInt16, {1, 4}, 0.3f, 0),
                          Scaled(DType::kInt16, {2, 4}, 0.5f, 0)},
                         1, "CONCATENATION", ConcatOptions{.axis = 0}, {c, d});
  ASSERT_TRUE(y.size() == 1 && z.size() == 1);
  for (size_t i = 0; i < 200; ++i) {
    const float scale = 0.3f / 0.5f, bias = -200 * scale;
    EXPECT_EQ(Numbers(y[0])[i],
              i < 120 ? Numbers(a)[i]
                      : std::clamp(static_cast<double>(
                                       std::round(static_cast<float>(Numbers(b)[i - 120]) * scale + bias)) +
                                       10,
                                   0.0, 255.0));
  }
  for (size_t i = 0; i < 8; ++i) EXPECT_EQ(Numbers(z[0])[i], Numbers(i < 4 ? c : d)[i % 4]);
  EXPECT_THAT(Refusal({Scaled(DType::kUint8, {1, 4}, 1e38f, 7), Scaled(DType::kUint8, {1, 4}, 1e-10f, 0)},
                      "CONCATENATION", ConcatOptions{.axis = 0}),
              testing::HasSubstr("scales that the reference does not define"));
  EXPECT_THAT(Refusal({Scaled(DType::kInt8, {1, 4}, 0.5f, 0), Scaled(DType::kInt8, {1, 4}, 0.3f, 0),
                       Scaled(DType::kInt8, {2, 4}, 0.5f, 0)},
                      "CONCATENATION", ConcatOptions{.axis = 0}),
              testing::HasSubstr("quantized differently"));
}

}  // namespace
}  // namespace cosim::import::tflite
