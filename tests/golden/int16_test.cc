// SPDX-License-Identifier: Apache-2.0
// The golden model's operations on int16, on values computed by hand that no int8 could be.
#include <gmock/gmock.h>

#include "tests/golden/testing.h"

namespace cosim::golden {
namespace {

using graph::Tensor;
using testing::ElementsAre;

TEST(GoldenInt16, MultipliesByInt8Weights) {
  const Tensor x = Int16({1, 2, 1, 2}, {-32768, 32767, 1000, -1});
  EXPECT_THAT(RunOne(graph::Conv2d{}, {x, Int8({1, 2, 1, 1}, {-128, 127})}).data<int32_t>(),
              ElementsAre(32768 * 128 + 127000, -32767 * 128 - 127));
  EXPECT_THAT(RunOne(graph::Dense{}, {x.Reshaped({1, 4}), Int8({1, 4}, {127, 127, 1, 100})}).data<int32_t>(),
              ElementsAre(-127 + 1000 - 100));
}

TEST(GoldenInt16, WrapsSums) {
  std::vector<int16_t> x(1 << 10, -32768);
  std::vector<int8_t> w(1 << 10, -128);
  EXPECT_THAT(RunOne(graph::Dense{}, {Int16({1, 1 << 10}, x), Int8({1, 1 << 10}, w)}).data<int32_t>(),
              ElementsAre(0));  // 2^32
}

TEST(GoldenInt16, MultipliesMatrices) {
  const Tensor a = Int16({1, 2, 1, 1}, {30000, -30000}), b = Int16({1, 2, 1, 2}, {-30000, 1, -1, 30000});
  EXPECT_THAT(RunOne(graph::MatMul{}, {a, b}).data<int32_t>(),
              ElementsAre(-900'000'000 + 30000, 30000 - 900'000'000));
}

TEST(GoldenInt16, RequantizesToSixteenBits) {
  EXPECT_THAT(RunOne(graph::Requantize{.multiplier = {1}, .shift = {1}, .bits = 16},
                     {Int32({1, 1, 1, 4}, {65535, 65533, -65537, -65600})})
                  .data<int16_t>(),
              ElementsAre(32767, 32767, -32768, -32768));
}

TEST(GoldenInt16, WorksElementByElement) {
  const Tensor x = Int16({1, 3}, {-32768, 300, 32767}), y = Int16({1, 3}, {-32768, 400, 32767});
  EXPECT_THAT(RunOne(graph::QAdd{{0, 1, 0}, {0, -1, 1}, 0}, {x, y}).data<int16_t>(),
              ElementsAre(-16384, 100, 16384));
  EXPECT_THAT(RunOne(graph::QMul{.shift = 10}, {x, y}).data<int16_t>(), ElementsAre(32767, 117, 32767));
  EXPECT_THAT(RunOne(graph::Rescale{.multiplier = 3, .shift = 1}, {x}).data<int16_t>(),
              ElementsAre(-32768, 450, 32767));
  EXPECT_THAT(RunOne(graph::Clip{-1000, 20000}, {x}).data<int16_t>(), ElementsAre(-1000, 300, 20000));
  graph::Table table{std::vector<int32_t>(65536, 7)};
  table.table[0] = -9;
  table.table[65535] = 32767;
  EXPECT_THAT(RunOne(table, {x}).data<int16_t>(), ElementsAre(-9, 7, 32767));
}

TEST(GoldenInt16, Pools) {
  const Tensor x = Int16({1, 1, 2, 2}, {-32768, -32700, -32600, -32767});
  EXPECT_THAT(RunOne(graph::MaxPool{.pad = {1, 1, 0, 0}}, {x}).data<int16_t>(), ElementsAre(-32768));
  EXPECT_THAT(RunOne(graph::SumPool{{2, 2}, {2, 2}, {1, 1, 0, 0}, 500}, {x}).data<int32_t>(),
              ElementsAre(1500 - 32768));
  EXPECT_THAT(RunOne(graph::GlobalSumPool{}, {x}).data<int32_t>(), ElementsAre(-130835));
}

TEST(GoldenInt16, Rearranges) {
  const Tensor x = Int16({1, 1, 1, 2}, {-32768, 300});
  EXPECT_THAT(RunOne(graph::Pad{{0, 1, 0, 0}, 9999}, {x}).data<int16_t>(), ElementsAre(9999, -32768, 300));
  EXPECT_THAT(RunOne(graph::Concat{}, {x, x}).data<int16_t>(), ElementsAre(-32768, 300, -32768, 300));
  EXPECT_THAT(RunOne(graph::ResizeNearest{{1, 2}}, {x}).data<int16_t>(),
              ElementsAre(-32768, -32768, 300, 300));
}

TEST(GoldenInt16, Normalizes) {
  graph::QSoftmax softmax{.exponentials = std::vector<int32_t>(65536, 0), .levels = 30000};
  softmax.exponentials[0] = 200;
  softmax.exponentials[60000] = 100;
  EXPECT_THAT(RunOne(softmax, {Int16({1, 2}, {30000, -30000})}).data<int16_t>(), ElementsAre(20000, 10000));
  const std::vector<float> gain(2, 10000), offset(2, 0.25f);
  EXPECT_THAT(RunOne(graph::QLayerNorm{1e-3f},
                     {Int16({1, 2}, {-32768, 32767}), Tensor({2}, gain), Tensor({2}, offset)})
                  .data<int16_t>(),
              ElementsAre(-10000, 10000));
}

}  // namespace
}  // namespace cosim::golden
