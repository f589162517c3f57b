// SPDX-License-Identifier: Apache-2.0
// Rounding for the results of a layer, equalized channels, ranges that are measured.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <random>

#include "compiler/quantize/equalize.h"
#include "compiler/quantize/loss.h"
#include "compiler/quantize/measured_range.h"
#include "compiler/quantize/reconstruction.h"

namespace cosim::quantize {
namespace {

using graph::Tensor;
using import::onnx::File;

constexpr int kTaps = 6, kOutputs = 3, kRows = 200;

/// Rows whose operands go together, as neighbouring pixels do.
struct Rows {
  explicit Rows(uint32_t seed) {
    std::mt19937 random(seed);
    const auto draw = [&] { return static_cast<float>(random() >> 8) / (1 << 23) - 1; };
    for (int i = 0; i < kTaps * kOutputs; ++i) weights.push_back(draw());
    for (int row = 0; row < kRows; ++row) {
      const float common = 3 * draw();
      for (int k = 0; k < kTaps; ++k) x.push_back(common + 0.5f * draw());
      for (int o = 0; o < kOutputs; ++o)
        y.push_back(Sum(row, [&](int k) { return weights[o * kTaps + k]; }) + 2);
    }
  }
  template <typename W>
  float Sum(int row, W w) const {
    float sum = 0;
    for (int k = 0; k < kTaps; ++k) sum += x[row * kTaps + k] * w(k);
    return sum;
  }
  /// Mean squared error of weights in steps, the best constant added to each result.
  double Error(const std::vector<int8_t>& steps, float scale) const {
    double error = 0;
    for (int o = 0; o < kOutputs; ++o) {
      double sum = 0, squares = 0;
      for (int row = 0; row < kRows; ++row) {
        const double d = y[row * kOutputs + o] -
                         Sum(row, [&](int k) { return scale * static_cast<float>(steps[o * kTaps + k]); });
        sum += d;
        squares += d * d;
      }
      error += (squares - sum * sum / kRows) / kRows;
    }
    return error;
  }
  std::vector<float> weights, x, y;
};

TEST(Reconstruction, LosesLessThanRoundingEachWeightByItself) {
  constexpr float kScale = 0.2f;
  double nearest_error = 0, learned_error = 0;
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    const Rows rows(seed);
    Reconstruction seen(kTaps, kOutputs, true);
    seen.AddRows(rows.x, rows.y);
    const auto rounded = seen.Round(rows.weights, std::vector<float>{kScale}, 127);
    ASSERT_TRUE(rounded);
    std::vector<int8_t> nearest;
    for (float w : rows.weights) nearest.push_back(static_cast<int8_t>(std::nearbyint(w / kScale)));
    nearest_error += rows.Error(nearest, kScale);
    learned_error += rows.Error(rounded->weights, kScale);
    // The constants are those that make the means right.
    for (int o = 0; o < kOutputs; ++o) {
      double mean = 0;
      for (int row = 0; row < kRows; ++row)
        mean += rows.y[row * kOutputs + o] - rounded->bias[o] - rows.Sum(row, [&](int k) {
          return kScale * static_cast<float>(rounded->weights[o * kTaps + k]);
        });
      EXPECT_NEAR(mean / kRows, 0, 1e-4);
    }
  }
  EXPECT_LT(learned_error, 0.5 * nearest_error);
}

TEST(Reconstruction, WithoutRowsTheNearestStays) {
  const Rows rows(1);
  const auto rounded =
      Reconstruction(kTaps, kOutputs, false).Round(rows.weights, std::vector<float>{0.01f}, 127);
  ASSERT_TRUE(rounded);
  for (size_t i = 0; i < rows.weights.size(); ++i)
    EXPECT_EQ(rounded->weights[i], std::nearbyint(rows.weights[i] / 0.01f)) << i;
  EXPECT_TRUE(rounded->bias.empty());
}

TEST(Reconstruction, RefusesWhatIsNotFinite) {
  Rows rows(1);
  rows.x[7] = std::numeric_limits<float>::infinity();
  Reconstruction seen(kTaps, kOutputs, true);
  seen.AddRows(rows.x, rows.y);
  EXPECT_FALSE(seen.Round(rows.weights, std::vector<float>{0.01f}, 127));
}

std::shared_ptr<const Tensor> DrawnTensor(const graph::Shape& shape, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values(graph::NumElements(shape));
  for (float& v : values) v = static_cast<float>(random() >> 8) / (1 << 23) - 1;
  return std::make_shared<const Tensor>(shape, std::move(values));
}

/// conv, relu, depthwise conv, an addition that ties both, average, matrix.
File Uneven() {
  File file;
  file.name = "uneven.onnx";
  file.opsets[""] = 13;
  file.inputs.push_back({.name = "x", .dimensions = {1, 3, 6, 6}});
  file.outputs.push_back({.name = "y", .dimensions = {1, 2}});
  Tensor first = *DrawnTensor({4, 3, 1, 1}, 1);
  for (int i = 0; i < 3; ++i) first.mutable_data<float>()[i] *= 30;
  file.initializers = {{"w1", std::make_shared<const Tensor>(first)},
                       {"b1", DrawnTensor({4}, 2)},
                       {"w2", DrawnTensor({4, 1, 3, 3}, 3)},
                       {"w3", DrawnTensor({4, 2}, 4)}};
  file.nodes = {
      {"Conv", "c", 13, {"x", "w1", "b1"}, {"c"}, {}, ""},  {"Relu", "r", 13, {"c"}, {"r"}, {}, ""},
      {"Conv", "d", 13, {"r", "w2"}, {"d"}, {}, ""},        {"Add", "a", 13, {"d", "r"}, {"a"}, {}, ""},
      {"GlobalAveragePool", "g", 13, {"a"}, {"g"}, {}, ""}, {"Flatten", "f", 13, {"g"}, {"f"}, {}, ""},
      {"Gemm", "y", 13, {"f", "w3"}, {"y"}, {}, ""}};
  file.nodes[2].attributes = {{"group", int64_t{4}}, {"pads", std::vector<int64_t>{1, 1, 1, 1}}};
  return file;
}

TEST(Equalization, GivesChannelsOneRangeAndKeepsTheResults) {
  File file = Uneven();
  const Tensor x = *DrawnTensor({1, 3, 6, 6}, 9);
  std::string error;
  const auto before = Evaluate(file, {x}, error);
  ASSERT_TRUE(before) << error;
  Equalization equalization(file, *before);
  ASSERT_EQ(equalization.groups().size(), 1u);
  EXPECT_THAT(equalization.groups()[0].values, testing::UnorderedElementsAre("c", "r", "d", "a", "g", "f"));
  equalization.AddRun(*before);
  equalization.Apply(file);
  const auto after = Evaluate(file, {x}, error);
  ASSERT_TRUE(after) << error;
  for (int i = 0; i < 2; ++i)
    EXPECT_NEAR(after->at("y")->data<float>()[i], before->at("y")->data<float>()[i], 1e-4);
  const auto most = [](const Values& values, int channel) {
    float m = 0;
    for (int i = 0; i < 36; ++i) m = std::max(m, std::abs(values.at("c")->data<float>()[channel * 36 + i]));
    return m;
  };
  EXPECT_GT(most(*before, 0), 5 * most(*before, 1));
  EXPECT_LT(most(*after, 0), 5 * most(*after, 1));
}

// A result of the network must not change, and a function that is not linear does not pass factors on.
TEST(Equalization, LeavesOutputsAndCurvesAlone) {
  File file = Uneven();
  file.nodes[1].op = "Sigmoid";
  std::string error;
  const auto values = Evaluate(file, {*DrawnTensor({1, 3, 6, 6}, 9)}, error);
  EXPECT_TRUE(Equalization(file, *values).groups().empty());
  file = Uneven();
  file.outputs.push_back({.name = "g", .dimensions = {1, 4, 1, 1}});
  EXPECT_TRUE(Equalization(file, *values).groups().empty());
}

TEST(LossFinder, ScaledChannelsAreNoLoss) {
  const auto exact = DrawnTensor({1, 2, 50}, 3);
  Tensor scaled = *exact;
  for (int i = 0; i < 50; ++i) scaled.mutable_data<float>()[i] *= 8;
  File file;
  file.nodes = {{"Relu", "r", 13, {"x"}, {"r"}, {}, ""}};
  LossFinder finder;
  finder.AddRun({{"r", exact}}, {{"r", std::make_shared<const Tensor>(scaled)}});
  EXPECT_GT(finder.Losses(file)[0].db, 100);
}

TEST(MeasuredRange, PixelsKeepTheirSteps) {
  graph::Histogram histogram;
  std::vector<float> pixels;
  for (int i = 3; i < 250; ++i) pixels.push_back(static_cast<float>(i));
  histogram.Add(pixels);
  MeasuredRange range(histogram);
  range.Add(pixels);
  EXPECT_EQ(range.Best().lo, 0);
  EXPECT_EQ(range.Best().hi, 255);
}

}  // namespace
}  // namespace cosim::quantize
