// SPDX-License-Identifier: Apache-2.0
// The zoo: well-formed, reproducible, and with activations that keep their magnitude.
#include "compiler/graph/zoo/zoo.h"

#include <gmock/gmock.h>

#include <cmath>

#include "compiler/graph/float_executor.h"
#include "compiler/graph/print.h"
#include "compiler/graph/verify.h"
#include "compiler/graph/zoo/random.h"

namespace cosim::graph::zoo {
namespace {

using testing::IsEmpty;

int64_t TotalMacs(const Graph& graph) {
  int64_t macs = 0;
  for (ValueId id = 0; id < graph.size(); ++id) macs += Macs(graph, id);
  return macs;
}

double RootMeanSquare(const Tensor& tensor) {
  double sum = 0;
  for (float v : tensor.data<float>()) sum += double{v} * v;
  return std::sqrt(sum / static_cast<double>(tensor.size()));
}

TEST(Zoo, NamesAreSorted) { EXPECT_THAT(Names(), testing::ElementsAre("mlp", "resnet18", "small_cnn")); }

class ZooNetwork : public testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(All, ZooNetwork, testing::ValuesIn(Names()),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(ZooNetwork, Verifies) { EXPECT_THAT(Verify(Build(GetParam(), 1)), IsEmpty()); }

TEST_P(ZooNetwork, HasTheSameWeightsForTheSameSeedOnly) {
  const std::string first = Print(Build(GetParam(), 1));
  EXPECT_EQ(first, Print(Build(GetParam(), 1)));
  EXPECT_NE(first, Print(Build(GetParam(), 2)));
}

TEST_P(ZooNetwork, KeepsTheMagnitudeOfActivations) {
  const Graph graph = Build(GetParam(), 1);
  const auto values = RunFloat(graph, SyntheticInput(graph, 1));
  for (ValueId id = 0; id < graph.size(); ++id) {
    if (graph.node(id).As<Constant>()) continue;
    const double magnitude = RootMeanSquare(*values[id]);
    EXPECT_GT(magnitude, 0.1) << graph.node(id).name;
    EXPECT_LT(magnitude, 10) << graph.node(id).name;
  }
}

TEST(Zoo, ResNet18HasTheMacsOfThePaper) {
  const Graph graph = Build("resnet18", 1);
  EXPECT_EQ(TotalMacs(graph), 1814073344);
  EXPECT_EQ(graph.node(graph.outputs()[0]).type.shape, (Shape{1, 1000}));
}

TEST(SyntheticInput, HasMeanZeroAndVarianceOneAboutIt) {
  const Graph graph = Build("resnet18", 1);
  for (uint64_t seed = 0; seed < 4; ++seed) {
    const Tensor image = SyntheticInput(graph, seed).at(0);
    double sum = 0;
    for (float v : image.data<float>()) sum += v;
    EXPECT_NEAR(sum / static_cast<double>(image.size()), 0, 0.5);
    EXPECT_NEAR(RootMeanSquare(image), 1, 0.5);
  }
}

TEST(SyntheticInput, IsSmootherThanNoise) {
  const Graph graph = Build("resnet18", 1);
  const Tensor image = SyntheticInput(graph, 3).at(0);
  const auto x = image.data<float>();
  double steps = 0;
  for (int64_t i = 1; i < image.size(); ++i) steps += std::pow(x[i] - x[i - 1], 2);
  // White noise would have twice the variance between neighbours.
  EXPECT_LT(std::sqrt(steps / static_cast<double>(image.size())), 0.5 * RootMeanSquare(image));
}

TEST(Random, DrawsPinnedBits) {
  Random random(0);
  EXPECT_EQ(random.Bits(), 0xe220a8397b1dcdafu);
  EXPECT_EQ(random.Bits(), 0x6e789e6aa1b965f4u);
}

TEST(Random, BellHasItsStatedDeviation) {
  Random random(7);
  double sum = 0, squares = 0;
  constexpr int kDraws = 100000;
  for (int i = 0; i < kDraws; ++i) {
    const double v = random.Bell() / Random::kBellDeviation;
    sum += v;
    squares += v * v;
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.02);
  EXPECT_NEAR(squares / kDraws, 1, 0.02);
}

}  // namespace
}  // namespace cosim::graph::zoo
