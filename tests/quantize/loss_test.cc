// SPDX-License-Identifier: Apache-2.0
// Ranks, and who loses the signal.
#include "compiler/quantize/loss.h"

#include <gmock/gmock.h>

#include "compiler/quantize/ranking.h"

namespace cosim::quantize {
namespace {

using graph::Tensor;

TEST(Ranking, EqualScoresGoByNumber) {
  const Tensor scores({1, 4}, std::vector<int8_t>{3, 7, 7, -1});
  EXPECT_EQ(TopClass(scores), 1);
  EXPECT_EQ(RankOf(scores, 1), 0);
  EXPECT_EQ(RankOf(scores, 2), 1);
  EXPECT_EQ(RankOf(scores, 0), 2);
  EXPECT_EQ(RankOf(scores, 3), 3);
  EXPECT_EQ(RankOf(scores, 4), std::nullopt);
  EXPECT_EQ(RankOf(scores, -1), std::nullopt);
}

graph::TensorPtr Numbers(std::vector<float> values) {
  const auto n = static_cast<int64_t>(values.size());
  return std::make_shared<const Tensor>(graph::Shape{n}, std::move(values));
}

// x -> a -> b -> c; b has another name in the quantized network, and it is there that the signal goes.
TEST(LossFinder, NamesTheStepAtWhichTheSignalGoes) {
  import::onnx::File file;
  file.nodes = {{"Conv", "a", 13, {"x"}, {"a"}, {}, ""},
                {"Relu", "b", 13, {"a"}, {"b"}, {}, ""},
                {"Gemm", "c", 13, {"b"}, {"c"}, {}, ""},
                {"Softmax", "d", 13, {"c"}, {"d"}, {}, ""}};
  const Values exact = {{"x", Numbers({1, 2})},
                        {"a", Numbers({3, 4})},
                        {"b", Numbers({3, 4})},
                        {"c", Numbers({10, 10})},
                        {"d", Numbers({5, 5})}};
  const Values quantized = {{"x", Numbers({1, 2})},
                            {"a", Numbers({3.0f, 4.05f})},
                            {"b_", Numbers({3, 4})},
                            {"c", Numbers({10, 9})},
                            {"d", Numbers({5.0f, 4.4f})}};
  LossFinder finder;
  finder.AddRun(exact, quantized);
  const auto losses = finder.Losses(file);
  ASSERT_EQ(losses.size(), 3u);
  EXPECT_EQ(losses[0].value, "a");
  EXPECT_NEAR(losses[0].lost_db, 0, 0.001);  // 40 dB are what eight bits have
  EXPECT_EQ(losses[1].value, "c");
  EXPECT_NEAR(losses[1].lost_db, 40 - 23.01, 0.01);
  EXPECT_NEAR(losses[1].db, 23.01, 0.01);
  EXPECT_EQ(losses[2].op, "Softmax");
  EXPECT_NEAR(losses[2].lost_db, 23.01 - 21.43, 0.01);
}

}  // namespace
}  // namespace cosim::quantize
