// SPDX-License-Identifier: Apache-2.0
// The four ways to choose a range, on distributions whose answer is known.
#include "compiler/quantize/range.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace cosim::quantize {
namespace {

using graph::Histogram;
using graph::Range;

Histogram Of(const std::vector<float>& values) {
  Histogram histogram;
  histogram.Add(values);
  return histogram;
}

/// 100,000 values of a bell curve of deviation 1, and one far outside.
Histogram BellWithOutlier() {
  std::mt19937 random(5);
  std::vector<float> values;
  for (int i = 0; i < 100'000; ++i) {
    float sum = 0;  // of twelve uniform values: the same on every machine
    for (int k = 0; k < 12; ++k) sum += static_cast<float>(random() >> 8) / (1 << 24);
    values.push_back(sum - 6);
  }
  values.push_back(60);
  return Of(values);
}

TEST(ChooseRange, MaxCoversEverythingAndZero) {
  const Range range = ChooseRange(Of({1, 2, 60}), Method::kMax);
  EXPECT_EQ(range.lo, 0);
  EXPECT_EQ(range.hi, 60);
  EXPECT_EQ(ChooseRange(Of({-3, -1}), Method::kMax).hi, 0);
}

TEST(ChooseRange, PercentileAndKlIgnoreOneOutlier) {
  const Histogram histogram = BellWithOutlier();
  for (const Method method : {Method::kPercentile, Method::kKl}) {
    const Range range = ChooseRange(histogram, method);
    EXPECT_GT(range.hi, 2.5) << static_cast<int>(method);
    EXPECT_LT(range.hi, 8) << static_cast<int>(method);
    EXPECT_LT(range.lo, -2.5) << static_cast<int>(method);
    EXPECT_GE(range.lo, -6.1) << static_cast<int>(method);
  }
}

TEST(ChooseRange, MseCostsNoMoreThanTheOthers) {
  const Histogram histogram = BellWithOutlier();
  const graph::QuantizationCost cost(histogram);
  const auto of = [&](Method method) {
    const Range range = ChooseRange(histogram, method);
    return cost.Of(range.lo, range.hi, (range.hi - range.lo) / 255);
  };
  for (const Method method : {Method::kMax, Method::kPercentile, Method::kKl})
    EXPECT_LE(of(Method::kMse), of(method) * 1.01) << static_cast<int>(method);
}

TEST(ChooseRange, APercentileLeavesOneInTenThousandAtEachEnd) {
  std::vector<float> values;
  for (int i = 1; i <= 100'000; ++i) values.push_back(static_cast<float>(i));
  const Range range = ChooseRange(Of(values), Method::kPercentile);
  EXPECT_NEAR(range.hi, 99'990, 131072.0 / Histogram::kBins * 2);
  EXPECT_EQ(range.lo, 0);
}

TEST(ChooseRange, KeepsWhatHasNoTail) {
  std::vector<float> values;
  for (int i = 0; i < 50'000; ++i) values.push_back(static_cast<float>(i % 1000) / 1000 - 0.5f);
  for (const Method method : {Method::kPercentile, Method::kKl, Method::kMse}) {
    const Range range = ChooseRange(Of(values), method);
    EXPECT_LT(range.lo, -0.47) << static_cast<int>(method);
    EXPECT_GT(range.hi, 0.47) << static_cast<int>(method);
  }
}

TEST(ChooseRange, NothingButZerosIsARangeToo) {
  for (const Method method : {Method::kMax, Method::kPercentile, Method::kKl, Method::kMse}) {
    const Range range = ChooseRange(Of({0, 0, 0}), method);
    EXPECT_EQ(range.lo, 0);
    EXPECT_EQ(range.hi, 0);
  }
}

TEST(ParseMethod, KnowsFourNames) {
  for (const char* name : {"max", "percentile", "kl", "mse"}) EXPECT_TRUE(ParseMethod(name)) << name;
  EXPECT_FALSE(ParseMethod("entropy"));
}

}  // namespace
}  // namespace cosim::quantize
