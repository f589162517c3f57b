// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's NON_MAX_SUPPRESSION_V4 and _V5, on boxes whose overlaps are known.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/import/tflite_testing.h"

namespace cosim::import::tflite::suppression_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TensorInfo Number(float v) { return Known(Typed(DType::kFloat32, {}), Tensor({}, std::vector<float>{v})); }

// Squares of side 2 from x = 0, 1 (a third of both with the first), 10, and 10 again, corners the other way.
const std::vector<float> kBoxes = {0, 0, 2, 2, 0, 1, 2, 3, 0, 10, 2, 12, 2, 12, 0, 10};

/// sigma < 0: version 4.
std::vector<Tensor> Suppressed(const std::vector<float>& scores, float overlap, float least, float sigma = -1,
                               const std::vector<float>& boxes = kBoxes) {
  const auto count = static_cast<int64_t>(scores.size());
  std::vector<TensorInfo> tensors = {Typed(DType::kFloat32, {count, 4}), Typed(DType::kFloat32, {count}),
                                     Integers({}, {3}), Number(overlap), Number(least)};
  if (sigma >= 0) tensors.push_back(Number(sigma));
  tensors.push_back(Typed(DType::kInt32, {3}));
  if (sigma >= 0) tensors.push_back(Typed(DType::kFloat32, {3}));
  tensors.push_back(Typed(DType::kInt32, {}));
  return Results(tensors, sigma >= 0 ? 3 : 2,
                 sigma >= 0 ? "NON_MAX_SUPPRESSION_V5" : "NON_MAX_SUPPRESSION_V4", NoOptions{},
                 {Tensor({count, 4}, boxes), Tensor({count}, scores)});
}

TEST(TfliteSuppression, LeavesTheBestOfThoseThatOverlap) {
  const auto y = Suppressed({0.5f, 0.9f, 0.7f, 0.8f}, 0.25f, 0);
  ASSERT_EQ(y.size(), 2u);
  EXPECT_THAT(y[0].data<int32_t>(), ElementsAre(1, 3, 0));
  EXPECT_THAT(y[1].data<int32_t>(), ElementsAre(2));
  // From a third on they overlap too much, and a score has to exceed the least.
  const auto z = Suppressed({0.5f, 0.9f, 0.7f, 0.8f}, 0.34f, 0.5f);
  ASSERT_EQ(z.size(), 2u);
  EXPECT_THAT(z[0].data<int32_t>(), ElementsAre(1, 3, 0));
  EXPECT_THAT(z[1].data<int32_t>(), ElementsAre(2));
  const auto all = Suppressed({0.5f, 0.9f, 0.7f, 0.8f}, 0.34f, 0.4f);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_THAT(all[0].data<int32_t>(), ElementsAre(1, 3, 0));
  EXPECT_THAT(all[1].data<int32_t>(), ElementsAre(3));
}

TEST(TfliteSuppression, OfEqualScoresTheFirstComesFirst) {
  const auto y = Suppressed({0.5f, 0.5f, 0.5f, 0.5f}, 0.34f, 0);
  ASSERT_EQ(y.size(), 2u);
  EXPECT_THAT(y[0].data<int32_t>(), ElementsAre(0, 1, 2));
}

TEST(TfliteSuppression, ScoresFallWithSigma) {
  const auto y = Suppressed({0.8f, 0.9f, 0.1f, 0.7f}, 0.9f, 0, 0.5f);
  ASSERT_EQ(y.size(), 3u);
  // The first box loses exp(-1/9) to the second, which leaves it ahead of 0.7.
  const float fallen = 0.8f * std::exp(-1.0f / 9);
  ASSERT_GT(fallen, 0.7f);
  EXPECT_THAT(y[0].data<int32_t>(), ElementsAre(1, 0, 3));
  EXPECT_THAT(y[1].data<float>(), ElementsAre(0.9f, testing::FloatNear(fallen, 1e-6f), 0.7f));
  EXPECT_THAT(y[2].data<int32_t>(), ElementsAre(3));
  // Below the least it does not come back; without sigma it keeps its score.
  EXPECT_THAT(Suppressed({0.8f, 0.9f, 0.1f, 0.7f}, 0.9f, 0.75f, 0.5f)[2].data<int32_t>(), ElementsAre(1));
  EXPECT_THAT(Suppressed({0.8f, 0.9f, 0.1f, 0.7f}, 0.9f, 0.75f, 0)[2].data<int32_t>(), ElementsAre(2));
}

TEST(TfliteSuppression, BoxesWithoutAnAreaFillWhatIsLeft) {
  const auto y = Suppressed({0.9f, 0.8f}, 0.5f, 0, -1, {1, 1, 1, 5, 0, 0, 2, 2});
  ASSERT_EQ(y.size(), 2u);
  EXPECT_THAT(y[0].data<int32_t>(), ElementsAre(0, 0, 0)) << "as many as there are scores";
  EXPECT_THAT(y[1].data<int32_t>(), ElementsAre(2));
}

TEST(TfliteSuppression, ScoresThatAreNoNumbersAreLeftOut) {
  const auto y = Suppressed({NAN, 0.5f, NAN, 0.25f}, NAN, 0, 0.5f);
  ASSERT_EQ(y.size(), 3u);
  EXPECT_THAT(y[0].data<int32_t>(), ElementsAre(1, 3, 0)) << "nothing overlaps too much then";
}

TEST(TfliteSuppression, MistakesAreNamed) {
  std::vector<TensorInfo> tensors = {Typed(DType::kFloat32, {4, 4}),
                                     Typed(DType::kFloat32, {4}),
                                     Typed(DType::kInt32, {}),
                                     Number(0.5f),
                                     Number(0),
                                     Typed(DType::kInt32, {3})};
  const auto errors = [&](size_t results) {
    File file{.name = "test.tflite", .tensors = tensors};
    OperatorInfo op{.name = "NON_MAX_SUPPRESSION_V4", .outputs = {5, 6}};
    op.outputs.resize(results);
    for (int i = 0; i < 5; ++i) {
      op.inputs.push_back(i);
      if (!tensors[static_cast<size_t>(i)].data) file.inputs.push_back(i);
    }
    file.tensors.push_back(Typed(DType::kInt32, {}));
    file.operators = {op};
    file.outputs = {5};
    Diagnostics diagnostics;
    EXPECT_FALSE(Builder(file, diagnostics).Run());
    return diagnostics.Render();
  };
  EXPECT_THAT(errors(2), HasSubstr("a count that is not constant"));
  tensors[2] = Integers({}, {3});
  EXPECT_THAT(errors(1), HasSubstr("has 1 results"));
  tensors[1].shape = {5};
  EXPECT_THAT(errors(2), HasSubstr("boxes [4,4] with scores [5]"));
  tensors[1] = Scaled(DType::kInt8, {4}, 0.5f, 0);
  EXPECT_THAT(errors(2), HasSubstr("boxes, scores or bounds that are not float32"));
  tensors[1] = Typed(DType::kFloat32, {4});
  tensors[2] = Integers({}, {-3});
  EXPECT_THAT(errors(2), HasSubstr("-3 of 4 boxes"));
}

}  // namespace
}  // namespace cosim::import::tflite::suppression_test
