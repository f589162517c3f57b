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

TEST(Zoo, NamesAreSorted) {
  EXPECT_TRUE(std::is_sorted(Names().begin(), Names().end()));
  EXPECT_THAT(Names(), testing::IsSupersetOf({"mlp", "resnet18", "small_cnn"}));
}

/// The network itself where it is quick, a smaller one where its float execution takes seconds.
std::string ToTest(std::string_view name) {
  std::string error;
  const std::string small = std::string(name) + ":size=64";
  return name != "resnet18" && ParseVariant(small, error) ? small : std::string(name);
}

class ZooNetwork : public testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(All, ZooNetwork, testing::ValuesIn(Names()),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(ZooNetwork, Verifies) { EXPECT_THAT(Verify(Build(ToTest(GetParam()), 1)), IsEmpty()); }

TEST_P(ZooNetwork, HasTheSameWeightsForTheSameSeedOnly) {
  const std::string name = ToTest(GetParam()), first = Print(Build(name, 1));
  EXPECT_EQ(first, Print(Build(name, 1)));
  EXPECT_NE(first, Print(Build(name, 2)));
}

TEST_P(ZooNetwork, KeepsTheMagnitudeOfActivations) {
  const Graph graph = Build(ToTest(GetParam()), 1);
  const auto values = RunFloat(graph, SyntheticInput(graph, 1));
  for (ValueId id = 0; id < graph.size(); ++id) {
    if (graph.node(id).As<Constant>()) continue;
    if (graph.node(id).As<Softmax>()) continue;  // shares of a whole
    const double magnitude = RootMeanSquare(*values[id]);
    EXPECT_GT(magnitude, 0.1) << graph.node(id).name;
    EXPECT_LT(magnitude, 10) << graph.node(id).name;
  }
}

TEST(Zoo, NetworksHaveTheMacsOfTheirPapers) {
  EXPECT_EQ(TotalMacs(Build("resnet34:size=64", 1)), 299552768);
  EXPECT_EQ(TotalMacs(Build("mobilenet_v1", 1)), 568740352);
  EXPECT_EQ(TotalMacs(Build("mobilenet_v2", 1)), 300774272);
}

TEST(Zoo, ReadsTheArgumentsOfANetwork) {
  std::string error;
  const auto variant = ParseVariant("mobilenet_v1:width=0.5,size=160,batch=4", error);
  ASSERT_TRUE(variant) << error;
  EXPECT_EQ(variant->name, "mobilenet_v1");
  EXPECT_EQ(variant->width, 0.5);
  EXPECT_EQ(variant->size, 160);
  EXPECT_EQ(variant->batch, 4);
  const Graph graph = Build("mobilenet_v1:width=0.5,size=64,batch=2", 1);
  EXPECT_EQ(graph.node(graph.inputs()[0]).type.shape, (Shape{2, 3, 64, 64}));
  EXPECT_EQ(graph.node(*graph.Find("model.13.3")).type.shape, (Shape{2, 512, 2, 2}));
}

TEST(Zoo, SaysWhatIsWrongWithArguments) {
  const auto error_of = [](std::string_view text) {
    std::string error;
    EXPECT_FALSE(ParseVariant(text, error)) << text;
    return error;
  };
  EXPECT_EQ(error_of("resnet"), "unknown network 'resnet'");
  EXPECT_EQ(error_of("mlp:size=28"), "network 'mlp' has no argument 'size', only batch");
  EXPECT_EQ(error_of("resnet50:depth=3"),
            "network 'resnet50' has no argument 'depth', only width, size, batch");
  EXPECT_EQ(error_of("resnet50:size=20"), "size '20' is not in 32..512");
  EXPECT_EQ(error_of("resnet50:size=2e9"), "size '2e9' is not in 32..512");
  EXPECT_EQ(error_of("resnet50:size=512,batch=64"),
            "64 images of 512x512 are too large: at most 802816 pixels together");
  EXPECT_EQ(error_of("vit_tiny:size=100"), "size '100' is not in 32..512 in steps of 16");
  EXPECT_EQ(error_of("resnet50:width=nan"), "width 'nan' is not in 0.1..2");
  EXPECT_EQ(error_of("resnet50:batch="), "batch '' is not in 1..64");
  EXPECT_EQ(error_of("resnet50:"), "network 'resnet50' has no argument '', only width, size, batch");
  EXPECT_EQ(error_of("resnet50:batch=2,"), "network 'resnet50' has no argument '', only width, size, batch");
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
