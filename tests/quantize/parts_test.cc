// SPDX-License-Identifier: Apache-2.0
// The parts of quantization: fixed-point factors, histograms, ranges and step sizes.
#include <gmock/gmock.h>

#include <cmath>

#include "compiler/graph/zoo/random.h"
#include "compiler/graph/zoo/zoo.h"
#include "compiler/quantize/graph/fixed_point.h"
#include "compiler/quantize/graph/observe.h"
#include "compiler/quantize/histogram.h"
#include "compiler/quantize/step_size.h"

namespace cosim::graph {
namespace {

TEST(ToFixedPoint, NormalizesTheMultiplier) {
  EXPECT_EQ(ToFixedPoint(1.0), (FixedPoint{1 << 30, 30}));
  EXPECT_EQ(ToFixedPoint(0.75), (FixedPoint{3 << 29, 31}));
  EXPECT_EQ(ToFixedPoint(1 << 30), (FixedPoint{1 << 30, 0}));
}

TEST(ToFixedPoint, CarriesIntoTheShiftWhenRoundingUp) {
  EXPECT_EQ(ToFixedPoint(std::nextafter(1.0, 0.0)), (FixedPoint{1 << 30, 30}));
}

TEST(ToFixedPoint, StopsAtTheLargestShift) {
  EXPECT_EQ(ToFixedPoint(std::ldexp(1, -32)), (FixedPoint{1 << 30, 62}));
  EXPECT_EQ(ToFixedPoint(1e-30), (FixedPoint{1 << 30, 62}));
}

TEST(ToFixedPoint, IsWithinOnePartInTwoToTheThirtyOne) {
  zoo::Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const double factor = std::ldexp(random.Uniform(0.5f, 1.0f), static_cast<int>(random.Below(40)) - 25);
    const FixedPoint f = ToFixedPoint(factor);
    EXPECT_NEAR(std::ldexp(f.multiplier, -f.shift) / factor, 1, std::ldexp(1, -30));
    EXPECT_GE(f.multiplier, 1 << 30);
  }
}

TEST(ToFixedPointDeathTest, RefusesFactorsOutOfRange) {
  EXPECT_DEATH(ToFixedPoint(0), "factor 0");
  EXPECT_DEATH(ToFixedPoint(4e9), "too large");
}

TEST(ToPowerOfTwo, ShiftsOrMultiplies) {
  EXPECT_EQ(ToPowerOfTwo(0.125), (FixedPoint{1, 3}));
  EXPECT_EQ(ToPowerOfTwo(1), (FixedPoint{1, 0}));
  EXPECT_EQ(ToPowerOfTwo(8), (FixedPoint{8, 0}));
}

TEST(ToPowerOfTwoDeathTest, RefusesOtherFactors) { EXPECT_DEATH(ToPowerOfTwo(3), "no power of two"); }

TEST(Histogram, LeavesZerosOutOfTheBins) {
  Histogram h;
  h.Add(std::vector<float>{0, 1, -2, 0});
  EXPECT_EQ(h.count(), 4);
  EXPECT_EQ(h.min(), -2);
  EXPECT_EQ(h.max(), 1);
  int64_t in_bins = 0;
  for (int bin = 0; bin < Histogram::kBins; ++bin) in_bins += h.InBin(bin);
  EXPECT_EQ(in_bins, 2);
}

TEST(Histogram, DoesNotDependOnTheOrderOfValues) {
  const std::vector<float> small = {0.1f, -0.3f, 0.7f}, large = {5, -900};
  Histogram a, b;
  a.Add(small);
  a.Add(large);
  b.Add(large);
  b.Add(small);
  for (int bin = 0; bin < Histogram::kBins; ++bin) {
    ASSERT_EQ(a.InBin(bin), b.InBin(bin)) << bin;
    ASSERT_EQ(a.Middle(bin), b.Middle(bin));
  }
}

TEST(Histogram, PutsValuesIntoTheBinAroundThem) {
  Histogram h;
  h.Add(std::vector<float>{1.5f, -1.5f});
  for (int bin = 0; bin < Histogram::kBins; ++bin) {
    if (h.InBin(bin) == 0) continue;
    EXPECT_NEAR(std::abs(h.Middle(bin)), 1.5, 4.0 / Histogram::kBins);
  }
}

TEST(Calibrate, ObservesWantedValuesOnly) {
  Graph g("two");
  const ValueId x = g.AddInput("x", {DType::kFloat32, {1, 1, 40, 60}});
  const ValueId relu = g.Add("relu", Relu{}, {x});
  const auto histograms = Calibrate(g, {false, true}, 3, 1);
  EXPECT_EQ(histograms[x].count(), 0);
  EXPECT_EQ(histograms[relu].count(), 3 * 2400);
  EXPECT_EQ(histograms[relu].min(), 0);
}

TEST(Calibrate, ExpectsMoreThanItSawInFewValues) {
  Graph g("few");
  g.AddInput("x", {DType::kFloat32, {1, 1, 4, 4}});
  const Tensor seen = zoo::SyntheticInput(g, 1)[0];
  double sum = 0, squares = 0;
  for (const double v : seen.data<float>()) sum += v, squares += v * v;
  const double mean = sum / 16, deviation = std::sqrt(squares / 16 - mean * mean);
  const Histogram h = Calibrate(g, {true}, 1, 1)[0];
  EXPECT_EQ(h.count(), 16 + 2);
  EXPECT_NEAR(h.max(), mean + 3.5 * deviation, 1e-5);
  EXPECT_NEAR(h.min(), mean - 3.5 * deviation, 1e-5);
}

Histogram Bells(double offset, float outlier) {
  zoo::Random random(5);
  std::vector<float> values(400000);
  for (float& v : values)
    v = static_cast<float>(random.Bell()) / zoo::Random::kBellDeviation + static_cast<float>(offset);
  values[7] = outlier;
  Histogram h;
  h.Add(values);
  return h;
}

TEST(ChooseRange, KeepsAWellFilledRange) {
  const Range range = ChooseRange(Bells(0, 0.5f), 255);
  EXPECT_NEAR(range.lo, -3.3, 0.3);
  EXPECT_NEAR(range.hi, 3.3, 0.3);
}

TEST(ChooseRange, CutsOffALoneOutlier) {
  const Range range = ChooseRange(Bells(0, 10), 255);
  EXPECT_LT(range.hi, 8);
  EXPECT_NEAR(range.lo, -3.3, 0.3);
}

TEST(ChooseRange, IncludesZero) {
  EXPECT_EQ(ChooseRange(Bells(10, 10), 255).lo, 0);
  EXPECT_EQ(ChooseRange(Bells(-10, -10), 255).hi, 0);
  EXPECT_EQ(ChooseRange(Histogram(), 255).hi, 0);
}

TEST(ChooseExponent, CoversTheLargestValueWhenAllAreLarge) {
  Histogram h;
  h.Add(std::vector<float>(100, 1.0f));
  // 127 * 2^-7 falls short of 1, and being clipped costs more than coarser steps.
  EXPECT_EQ(ChooseExponent(h, 1, -40, 127), -6);
  EXPECT_EQ(ChooseExponent(h, 0.5, -40, 127), -5);
}

TEST(ChooseExponent, IsNoFinerThanAllowed) {
  Histogram h;
  h.Add(std::vector<float>(100, 1.0f));
  EXPECT_EQ(ChooseExponent(h, 1, -3, 127), -3);
}

TEST(ChooseExponent, TakesFinerStepsAtThePriceOfAnOutlier) {
  const int without = ChooseExponent(Bells(0, 0.5f), 1, -40, 127);
  EXPECT_EQ(without, -5);
  EXPECT_LT(ChooseExponent(Bells(0, 60), 1, -40, 127), 0);
}

TEST(ChooseExponent, TakesSomethingForZeros) {
  Histogram h;
  h.Add(std::vector<float>(3, 0.0f));
  EXPECT_EQ(ChooseExponent(h, 1, -40, 127), 0);
  EXPECT_EQ(ChooseExponent(h, 1, 2, 127), 2);
}

TEST(QuantizationCost, CountsClippingAndRounding) {
  Histogram h;
  h.Add(std::vector<float>{0, 0, 1.5f, 3});
  const QuantizationCost cost(h);
  EXPECT_NEAR(cost.Of(0, 4, 0.1), 2 * 0.01 / 12, 1e-6);
  EXPECT_NEAR(cost.Of(0, 2, 0.1), 1 + 0.01 / 12, 0.01);
}

TEST(Coarse, RoundsToTwelveBits) {
  EXPECT_EQ(Coarse(1.0 + 1e-9), 1.0);
  EXPECT_EQ(Coarse(0), 0);
  EXPECT_NEAR(Coarse(0.3), 0.3, 0.3 / 4096);
}

}  // namespace
}  // namespace cosim::graph
