// SPDX-License-Identifier: Apache-2.0
// Pools, rearrangements, products of activations and normalizations of the golden model on values computed by
// hand.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/golden/testing.h"

namespace cosim::golden {
namespace {

using graph::Shape;
using graph::Tensor;
using testing::ElementsAre;

TEST(GoldenSumPool, CountsTheFrame) {
  const Tensor y = RunOne(graph::SumPool{{2, 2}, {2, 2}, {1, 1, 0, 0}, 10},
                          {Int8({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9})});
  EXPECT_EQ(y.shape(), (Shape{1, 1, 2, 2}));
  EXPECT_THAT(y.data<int32_t>(), ElementsAre(31, 25, 31, 28));
}

TEST(GoldenConcat, JoinsChannelsOfEachImage) {
  const Tensor y = RunOne(
      graph::Concat{}, {Int8({2, 1, 1, 2}, {1, 2, 3, 4}), Int8({2, 2, 1, 2}, {5, 6, 7, 8, 9, 10, 11, 12})});
  EXPECT_EQ(y.shape(), (Shape{2, 3, 1, 2}));
  EXPECT_THAT(y.data<int8_t>(), ElementsAre(1, 2, 5, 6, 7, 8, 3, 4, 9, 10, 11, 12));
}

TEST(GoldenPad, PutsTheValueAround) {
  const Tensor y = RunOne(graph::Pad{{1, 0, 0, 2}, -3}, {Int8({1, 1, 1, 2}, {7, 8})});
  EXPECT_EQ(y.shape(), (Shape{1, 1, 2, 4}));
  EXPECT_THAT(y.data<int8_t>(), ElementsAre(-3, -3, -3, -3, 7, 8, -3, -3));
}

TEST(GoldenPad, RepeatsTheNearestElements) {
  const Tensor y = RunOne(graph::Pad{.pad = {1, 0, 0, 2}, .edge = true}, {Int8({1, 1, 2, 2}, {7, 8, 9, 5})});
  EXPECT_EQ(y.shape(), (Shape{1, 1, 3, 4}));
  EXPECT_THAT(y.data<int8_t>(), ElementsAre(7, 8, 8, 8, 7, 8, 8, 8, 9, 5, 5, 5));
}

TEST(GoldenDepthToSpace, LaysChannelsOutAsSquares) {
  const Tensor y = RunOne(graph::DepthToSpace{{2, 1}}, {Int8({1, 4, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8})});
  EXPECT_EQ(y.shape(), (Shape{1, 2, 2, 2}));
  EXPECT_THAT(y.data<int8_t>(), ElementsAre(1, 2, 5, 6, 3, 4, 7, 8));
}

TEST(GoldenResizeNearest, RepeatsPixels) {
  const Tensor y = RunOne(graph::ResizeNearest{{1, 2}}, {Int8({1, 1, 2, 2}, {1, 2, 3, 4})});
  EXPECT_THAT(y.data<int8_t>(), ElementsAre(1, 1, 2, 2, 3, 3, 4, 4));
}

TEST(GoldenQMul, MultipliesDistancesFromTheZeroPoints) {
  const Tensor y =
      RunOne(graph::QMul{1, -2, 3, 1, 5}, {Int8({1, 3}, {3, -1, 127}), Int8({1, 3}, {0, 1, 127})});
  // (2 * 2 * 3 + 1) >> 1, (-2 * 3 * 3 + 1) >> 1
  EXPECT_THAT(y.data<int8_t>(), ElementsAre(6 + 5, -9 + 5, 127));
}

TEST(GoldenRescale, RoundsHalvesUp) {
  const Tensor y = RunOne(graph::Rescale{1, 1, 1, -1}, {Int8({1, 3}, {2, 0, -128})});
  EXPECT_THAT(y.data<int8_t>(), ElementsAre(0, -1, -65));
}

TEST(GoldenQAdd, SubtractsWithANegativeMultiplier) {
  const Tensor y =
      RunOne(graph::QAdd{{0, 2, 0}, {1, -3, 1}, 0}, {Int8({1, 2}, {5, 0}), Int8({1, 2}, {4, -4})});
  // 10 + ((-9 + 1) >> 1), 0 + ((15 + 1) >> 1)
  EXPECT_THAT(y.data<int8_t>(), ElementsAre(6, 8));
}

TEST(GoldenTable, LooksEveryValueUp) {
  graph::Table op;
  for (int i = 0; i < 256; ++i) op.table.push_back(127 - i);
  EXPECT_THAT(RunOne(op, {Int8({1, 3}, {-128, 0, 127})}).data<int8_t>(), ElementsAre(127, -1, -128));
}

TEST(GoldenMatMul, MultipliesRowsOfChannelsWithPixels) {
  // Two groups of one channel: each pixel of a times each pixel of b.
  const Tensor y = RunOne(graph::MatMul{.groups = 2},
                          {Int8({1, 2, 1, 2}, {1, 2, 3, 4}), Int8({1, 2, 1, 3}, {1, 10, 100, 2, 20, -20})});
  EXPECT_EQ(y.shape(), (Shape{1, 6, 1, 2}));
  EXPECT_THAT(y.data<int32_t>(), ElementsAre(1, 2, 10, 20, 100, 200, 6, 8, 60, 80, -60, -80));
}

TEST(GoldenMatMul, SumsOverPixelsWhenTransposed) {
  const Tensor y = RunOne(graph::MatMul{.groups = 1, .transpose_b = true},
                          {Int8({1, 2, 1, 1}, {3, 5}), Int8({1, 2, 1, 2}, {1, 10, 2, -1})});
  EXPECT_THAT(y.data<int32_t>(), ElementsAre(3 + 50, 6 - 5));
}

TEST(GoldenQSoftmax, SharesLevelsByExponentials) {
  graph::QSoftmax op{
      .groups = 1, .exponentials = std::vector<int32_t>(256, 0), .levels = 100, .zero_point = -10};
  op.exponentials[0] = 8;
  op.exponentials[2] = 3;
  const Tensor y = RunOne(op, {Int8({1, 3, 1, 2}, {5, 1, 3, 1, -100, 1})});
  // 8, 3, 0 of 11; 8, 8, 8 of 24: floor(share + 1/2).
  EXPECT_THAT(y.data<int8_t>(), ElementsAre(63, 23, 17, 23, -10, 23));
}

TEST(GoldenQLayerNorm, CentresAndScalesEachPixel) {
  const Tensor x = Int8({1, 2, 1, 2}, {10, 7, 20, 7});
  const Tensor gain(Shape{2}, std::vector<float>{10, 20}), offset(Shape{2}, std::vector<float>{1, -1});
  // (-10, 10) / sqrt(100 + 1) of the first pixel, 0 of the second.
  EXPECT_THAT(RunOne(graph::QLayerNorm{1}, {x, gain, offset}).data<int8_t>(), ElementsAre(-9, 1, 19, -1));
}

}  // namespace
}  // namespace cosim::golden
