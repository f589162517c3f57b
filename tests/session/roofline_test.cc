// SPDX-License-Identifier: Apache-2.0
// How busy the compiler keeps the array on pynq.yaml, layer by layer: networks in full size, timing only.
#include <gtest/gtest.h>

#include "compiler/session/explain.h"

namespace cosim::session {
namespace {

using runtime::Cycle;

std::vector<LayerExplanation> Convolutions(const std::string& network) {
  Diagnostics diags;
  const auto spec = isa::LoadSpec("pynq.yaml", "", {}, diags);
  EXPECT_TRUE(spec) << diags.Render();
  std::string error;
  auto result = Explain(*spec, {.network = network}, error);
  EXPECT_TRUE(result) << error;
  std::erase_if(result->layers, [](const auto& layer) { return !layer.layer.op.starts_with("conv2d"); });
  return std::move(result->layers);
}

// In a layer's own cycles the array is busy with it for three quarters of them, or the port is.
TEST(Roofline, NoConvolutionOfResnet18StaysUnderThreeQuartersOfItsBound) {
  const auto layers = Convolutions("resnet18");
  EXPECT_EQ(layers.size(), 20u);
  for (const LayerExplanation& layer : layers)
    EXPECT_GE(4 * std::max(layer.ideal, layer.own_traffic.cycles), 3 * layer.cycles) << layer.layer.name;
}

// Its float calibration takes too long in the sanitized builds.
#ifndef __SANITIZE_ADDRESS__
TEST(Roofline, ConvolutionsOfVgg16TakeWhatTheyTook) {
  const auto layers = Convolutions("vgg16");
  EXPECT_EQ(layers.size(), 13u);
  Cycle sum = 0, ideal = 0;
  for (const LayerExplanation& layer : layers) {
    sum += layer.cycles;
    ideal += layer.ideal;
  }
  EXPECT_EQ(ideal, 59'947'776);
  EXPECT_EQ(sum, 60'017'351);  // the goal: at most 64.5 M
}
#endif

}  // namespace
}  // namespace cosim::session
