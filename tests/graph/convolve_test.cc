// SPDX-License-Identifier: Apache-2.0
// Convolutions against plain loops of the C library's fused multiply-adds in the same order: equal to the
// bit, with the vectors of every processor.
#include "compiler/graph/convolve.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "compiler/graph/float_tile.h"
#include "compiler/graph/winograd.h"
#include "compiler/graph/zoo/random.h"
#include "tests/graph/testing.h"

namespace cosim::graph {
namespace {

Tensor Draw(zoo::Random& random, Shape shape) {
  std::vector<float> data(NumElements(shape));
  for (float& v : data) v = random.Uniform(-1, 1);
  return Tensor(std::move(shape), std::move(data));
}

Tensor PlainLoops(const Conv2d& op, const Tensor& x, const Tensor& w, const Shape& shape) {
  Tensor y({DType::kFloat32, shape});
  const int64_t channels = w.shape()[1], outputs = shape[1] / op.groups;
  const int64_t height = x.shape()[2], width = x.shape()[3], rows = w.shape()[2], columns = w.shape()[3];
  for (int64_t i = 0; i < y.size(); ++i) {
    const int64_t ox = i % shape[3], oy = i / shape[3] % shape[2], o = i / (shape[3] * shape[2]) % shape[1];
    const int64_t n = i / (shape[3] * shape[2] * shape[1]);
    float sum = 0;
    for (int64_t t = 0; t < channels * rows * columns; ++t) {
      const int64_t c = t / (rows * columns) + o / outputs * channels;
      const int64_t iy = oy * op.stride[0] + t / columns % rows * op.dilation[0] - op.pad[0];
      const int64_t ix = ox * op.stride[1] + t % columns * op.dilation[1] - op.pad[1];
      const bool inside = iy >= 0 && iy < height && ix >= 0 && ix < width;
      const float v = inside ? x.data<float>()[((n * x.shape()[1] + c) * height + iy) * width + ix] : 0;
      sum = std::fma(v, w.data<float>()[o * channels * rows * columns + t], sum);
    }
    y.mutable_data<float>()[i] = sum;
  }
  return y;
}

struct Case {
  Conv2d op;
  Shape x, w, y;
};

TEST(Convolve, EqualsPlainLoopsToTheBit) {
  zoo::Random random(5);
  const Case cases[] = {
      {{.stride = {2, 1}, .pad = {1, 0, 2, 1}, .dilation = {1, 2}, .groups = 2},
       {2, 4, 9, 7},
       {6, 2, 3, 2},
       {2, 6, 5, 6}},
      {{}, {1, 5, 1, 2}, {7, 5, 1, 1}, {1, 7, 1, 2}},
      {{.pad = {1, 1, 1, 1}, .groups = 20}, {1, 20, 6, 5}, {20, 1, 3, 3}, {1, 20, 6, 5}},
      {{.stride = {2, 2}}, {2, 3, 5, 5}, {4, 3, 1, 1}, {2, 4, 3, 3}},
      {{.pad = {3, 3, 3, 3}}, {1, 1, 2, 2}, {1, 1, 7, 7}, {1, 1, 2, 2}},
      {{.stride = {2, 2}, .pad = {3, 3, 3, 3}}, {1, 3, 11, 12}, {5, 3, 7, 7}, {1, 5, 6, 6}},
      {{.stride = {3, 3}, .pad = {2, 2, 2, 2}}, {1, 2, 10, 11}, {3, 2, 5, 4}, {1, 3, 4, 4}},
      // Deeper, and of more pixels, than what is summed at a time.
      {{.pad = {1, 1, 1, 1}}, {1, 115, 15, 14}, {13, 115, 3, 3}, {1, 13, 15, 14}},
  };
  for (const Case& c : cases) {
    const Tensor w = Draw(random, c.w);
    std::vector<TensorPtr> images;
    for (int i = 0; i < 3; ++i) images.push_back(std::make_shared<const Tensor>(Draw(random, c.x)));
    std::vector<Tensor> results(images.size(), Tensor({DType::kFloat32, c.y}));
    Convolve(c.op, w, images, results);
    for (size_t i = 0; i < images.size(); ++i)
      EXPECT_EQ(results[i], PlainLoops(c.op, *images[i], w, c.y)) << ToString(c.x) << " image " << i;
  }
}

TEST(Winograd, StaysAsCloseAsFloatsGoAndAloneAsBesideOthers) {
  zoo::Random random(7);
  const Case cases[] = {
      {{.pad = {1, 1, 1, 1}}, {1, 32, 14, 14}, {33, 32, 3, 3}, {1, 33, 14, 14}},
      {{.pad = {0, 2, 1, 0}}, {2, 40, 17, 18}, {35, 40, 3, 3}, {2, 35, 16, 18}},
      {{}, {1, 64, 31, 23}, {32, 64, 3, 3}, {1, 32, 29, 21}},
      {{.pad = {3, 3, 3, 3}}, {1, 600, 12, 12}, {32, 600, 3, 3}, {1, 32, 16, 16}},
      {{.pad = {9, 9, 9, 9}}, {1, 32, 3, 3}, {32, 32, 3, 3}, {1, 32, 19, 19}},
  };
  for (const Case& c : cases) {
    ASSERT_TRUE(SuitsWinograd(c.op, c.w, c.y));
    const Tensor w = Draw(random, c.w);
    std::vector<TensorPtr> images;
    for (int i = 0; i < 3; ++i) images.push_back(std::make_shared<const Tensor>(Draw(random, c.x)));
    std::vector<Tensor> expected(images.size(), Tensor({DType::kFloat32, c.y})), results = expected;
    Convolve(c.op, w, images, expected);
    ConvolveWinograd(c.op, w, images, results);
    // Products are nine times the channels, each at most 1; results and errors grow like the root of that.
    const float bound = 2e-5f * std::sqrt(static_cast<float>(9 * c.w[1]));
    for (size_t i = 0; i < images.size(); ++i) {
      for (int64_t e = 0; e < results[i].size(); ++e)
        ASSERT_NEAR(results[i].data<float>()[e], expected[i].data<float>()[e], bound) << ToString(c.x) << e;
      std::vector<Tensor> alone = {Tensor({DType::kFloat32, c.y})};
      ConvolveWinograd(c.op, w, {images[i]}, alone);
      EXPECT_EQ(alone[0], results[i]) << ToString(c.x) << " image " << i;
    }
  }
}

TEST(Winograd, IsForSquareFiltersOfThreeOverManyChannels) {
  const Shape weight = {32, 32, 3, 3}, result = {1, 32, 14, 14};
  EXPECT_TRUE(SuitsWinograd({}, weight, result));
  EXPECT_FALSE(SuitsWinograd({.stride = {2, 1}}, weight, result));
  EXPECT_FALSE(SuitsWinograd({.dilation = {1, 2}}, weight, result));
  EXPECT_FALSE(SuitsWinograd({.groups = 2}, weight, result));
  EXPECT_FALSE(SuitsWinograd({}, {32, 32, 3, 1}, result));
  EXPECT_FALSE(SuitsWinograd({}, {32, 3, 3, 3}, result));
  EXPECT_FALSE(SuitsWinograd({}, weight, {1, 32, 7, 7}));
}

TEST(Random, DrawsBellsInVectorsAsOneByOne) {
  zoo::Random one(8), many(8);
  std::vector<int32_t> bells(1003);
  many.Bells(bells);
  for (const int32_t bell : bells) EXPECT_EQ(bell, one.Bell());
  EXPECT_EQ(many.Bits(), one.Bits());
}

TEST(FloatTiles, AgreeOnEveryProcessor) {
  zoo::Random random(6);
  constexpr int64_t kDepth = 301, kStride = kTileColumns + 3;
  const Tensor weights = Draw(random, {kTileRows, kDepth}), panel = Draw(random, {kDepth, kTileColumns});
  Tensor start = Draw(random, {kTileRows, kStride});
  start.mutable_data<float>()[1] = std::numeric_limits<float>::infinity();
  start.mutable_data<float>()[2] = -std::numeric_limits<float>::infinity();
  for (const FloatTiles& tiles : SupportedFloatTiles())
    for (int64_t rows = 1; rows <= kTileRows; ++rows) {
      Tensor sums = start, expected = start;
      tiles[rows - 1](weights.data<float>().data(), kDepth, panel.data<float>().data(), kDepth,
                      sums.mutable_data<float>().data(), kStride);
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < kTileColumns; ++c) {
          float& sum = expected.mutable_data<float>()[r * kStride + c];
          for (int64_t k = 0; k < kDepth; ++k)
            sum = std::fma(weights.data<float>()[r * kDepth + k], panel.data<float>()[k * kTileColumns + c],
                           sum);
        }
      EXPECT_EQ(sums, expected) << rows << " rows";
    }
}

}  // namespace
}  // namespace cosim::graph
