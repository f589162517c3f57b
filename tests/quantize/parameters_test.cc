// SPDX-License-Identifier: Apache-2.0
// Scales, zero points and rounding, on numbers worked out by hand.
#include "compiler/quantize/parameters.h"

#include <gmock/gmock.h>

namespace cosim::quantize {
namespace {

using graph::Tensor;
using testing::ElementsAre;
using testing::FloatEq;

std::vector<int> Ints(const Tensor& tensor) {
  const auto data = tensor.data<int8_t>();
  return {data.begin(), data.end()};
}

TEST(Asymmetric, EndsAndZeroAreSteps) {
  const auto relu = Asymmetric(0, 0.2);
  EXPECT_THAT(relu.scales, ElementsAre(FloatEq(0.2f)));
  EXPECT_EQ(relu.zero_point, -128);
  EXPECT_EQ(Asymmetric(-1, 4.0 / kSteps).zero_point, -64);
  EXPECT_EQ(Asymmetric(-4, 4.0 / kSteps).zero_point, 127);
}

TEST(Asymmetric, NothingButZerosHasAScaleToDivideBy) {
  for (const double scale : {0.0, 1e-35}) {
    const auto nothing = Asymmetric(0, scale);
    EXPECT_THAT(nothing.scales, ElementsAre(1));
    EXPECT_EQ(nothing.zero_point, 0);
  }
}

TEST(WeightScales, TheLargestWeightOfAChannelBecomesTheLastLevel) {
  const Tensor weight({2, 2, 2}, std::vector<float>{1, -2, 3, 4, -5, 6, -7, 127});
  EXPECT_THAT(WeightScales(weight, AllTogether(weight.shape()), {}, 1, 127, 1 << 30), ElementsAre(1));
  EXPECT_THAT(WeightScales(weight, ChannelsAlong(weight.shape(), 0), {}, 1, 127, 1 << 30),
              ElementsAre(FloatEq(4.0f / 127), 1));
  EXPECT_THAT(WeightScales(weight, ChannelsAlong(weight.shape(), 1), {}, 1, 127, 1 << 30),
              ElementsAre(FloatEq(6.0f / 127), 1));
  EXPECT_THAT(WeightScales(weight, ChannelsAlong(weight.shape(), 2), {}, 1, 7, 1 << 30),
              ElementsAre(1, FloatEq(127.0f / 7)));
}

TEST(WeightScales, ALargeBiasFitsItsSteps) {
  const Tensor weight({2, 1}, std::vector<float>{127, 127});
  const std::vector<float> bias = {0, -(1 << 20)};
  EXPECT_THAT(WeightScales(weight, ChannelsAlong(weight.shape(), 0), bias, 0.5f, 127, 1 << 10),
              ElementsAre(1, 2048));
  // Groups share channels: outputs 0 and 2 are of the first.
  const std::vector<float> groups = {0, 0, 1 << 20, 0};
  EXPECT_THAT(WeightScales(weight, ChannelsAlong(weight.shape(), 0), groups, 0.5f, 127, 1 << 10),
              ElementsAre(2048, 1));
}

TEST(WithoutTies, FactorsOfFewBitsMoveALittle) {
  for (const float scale : {1.0f, 3 / 128.0f, 511 / 65536.0f, 0x1.fep-20f}) {
    const float moved = WithoutTies(scale, 1, 1);
    EXPECT_GT(moved, scale);
    EXPECT_LT(moved, scale * (1 + 1e-6f));
    EXPECT_NE(std::fmod(std::ldexp(moved, 9 - std::ilogb(moved)), 1.0f), 0) << "more than 9 bits";
  }
  // Three floats, none of them short, may have a short product.
  const float product = 0.3f * WithoutTies(0.1f / 0.3f, 0.3f, 0.1f) / 0.1f;
  EXPECT_NE(product, 1);
  EXPECT_NEAR(product, 1, 1e-6);
}

TEST(WithoutTies, OthersStay) {
  for (const float scale : {0.1f, 513 / 65536.0f, 1e-5f}) EXPECT_EQ(WithoutTies(scale, 1, 1), scale);
}

TEST(WeightScales, ChannelsOfZerosTakeThatOfOthers) {
  const Tensor some({2, 1}, std::vector<float>{0, 254}), none({2, 1}, std::vector<float>{0, 0});
  EXPECT_THAT(WeightScales(some, ChannelsAlong(some.shape(), 0), {}, 1, 127, 1 << 30), ElementsAre(2, 2));
  EXPECT_THAT(WeightScales(none, ChannelsAlong(none.shape(), 0), {}, 1, 127, 1 << 30), ElementsAre(1, 1));
}

TEST(QuantizeWeight, RoundsHalvesAwayFromZeroWithinTheLevels) {
  const Tensor weight({2, 3}, std::vector<float>{0.5f, -0.5f, 2.25f, -3, 8, -0.0f});
  EXPECT_THAT(Ints(QuantizeWeight(weight, AllTogether(weight.shape()), {1}, 7)),
              ElementsAre(1, -1, 2, -3, 7, 0));
  EXPECT_THAT(Ints(QuantizeWeight(weight, ChannelsAlong(weight.shape(), 1), {0.5f, 1, 2}, 7)),
              ElementsAre(1, -1, 1, -6, 7, 0));
}

TEST(QuantizeBias, RoundsHalvesAwayFromZeroWithinInt32) {
  const std::vector<float> bias = {1.25f, -1.25f, 1e10f, -1e10f};
  EXPECT_THAT(QuantizeBias(bias, {0.5f}), ElementsAre(3, -3, 2147483647, -2147483647));
  EXPECT_THAT(QuantizeBias(bias, {0.5f, 5}), ElementsAre(3, 0, 2147483647, -2000000000));
}

}  // namespace
}  // namespace cosim::quantize
