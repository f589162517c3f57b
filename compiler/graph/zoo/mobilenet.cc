// SPDX-License-Identifier: Apache-2.0
// MobileNets: depthwise convolutions between 1x1 ones.
#include <fmt/format.h>

#include "compiler/graph/zoo/network_builder.h"
#include "compiler/graph/zoo/networks.h"

namespace cosim::graph::zoo {
namespace {

constexpr float kReluCap = 6;

Flow Stem(NetworkBuilder& net, const Variant& variant, const std::string& name) {
  Flow x = net.Input("image", {variant.batch, 3, variant.size, variant.size});
  x = net.ConvNorm(name + ".0", name + ".1", x, net.Channels(32), 3, {.stride = {2, 2}, .pad = {1, 1, 1, 1}});
  return net.Relu(name + ".2", x, kReluCap);
}

Flow Classify(NetworkBuilder& net, Flow x) {
  x = net.Flatten("flatten", net.GlobalAvgPool("avgpool", x));
  return net.Linear("classifier", x, 1000);
}

Flow Depthwise(NetworkBuilder& net, const std::string& conv, const std::string& norm, const std::string& relu,
               Flow x, int64_t stride) {
  x = net.BatchNorm(norm, net.Depthwise(conv, x, 3, {.stride = {stride, stride}, .pad = {1, 1, 1, 1}}));
  return net.Relu(relu, x, kReluCap);
}

/// 1x1 to `expansion` times the channels, depthwise, 1x1 without a relu; a shortcut where the shape stays.
Flow InvertedResidual(NetworkBuilder& net, const std::string& name, Flow x, int64_t expansion,
                      int64_t channels, int64_t stride) {
  const int64_t inputs = net.ShapeOf(x)[1];
  Flow y = x;
  if (expansion > 1) {
    y = net.ConvNorm(name + ".conv.0.0", name + ".conv.0.1", y, inputs * expansion, 1, {});
    y = net.Relu(name + ".conv.0.2", y, kReluCap);
  }
  y = Depthwise(net, name + ".conv.1.0", name + ".conv.1.1", name + ".conv.1.2", y, stride);
  y = net.ConvNorm(name + ".conv.2", name + ".conv.3", y, channels, 1, {});
  return stride == 1 && inputs == channels ? net.Add(name + ".add", y, x) : y;
}

}  // namespace

Graph BuildMobileNetV1(NetworkBuilder net, const Variant& variant) {
  struct Layer {
    int64_t channels, stride;
  };
  constexpr Layer kLayers[] = {{64, 1},  {128, 2}, {128, 1}, {256, 2}, {256, 1},  {512, 2}, {512, 1},
                               {512, 1}, {512, 1}, {512, 1}, {512, 1}, {1024, 2}, {1024, 1}};
  Flow x = Stem(net, variant, "model.0");
  int index = 0;
  for (const Layer& layer : kLayers) {
    const std::string name = fmt::format("model.{}", ++index);
    x = Depthwise(net, name + ".0", name + ".1", name + ".2", x, layer.stride);
    x = net.ConvNorm(name + ".3", name + ".4", x, net.Channels(layer.channels), 1, {});
    x = net.Relu(name + ".5", x, kReluCap);
  }
  return net.Finish(Classify(net, x));
}

Graph BuildMobileNetV2(NetworkBuilder net, const Variant& variant) {
  struct Stage {
    int64_t expansion, channels, blocks, stride;
  };
  constexpr Stage kStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                               {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  Flow x = Stem(net, variant, "features.0");
  int index = 0;
  for (const Stage& stage : kStages) {
    for (int64_t block = 0; block < stage.blocks; ++block) {
      x = InvertedResidual(net, fmt::format("features.{}", ++index), x, stage.expansion,
                           net.Channels(stage.channels), block == 0 ? stage.stride : 1);
    }
  }
  x = net.ConvNorm("features.18.0", "features.18.1", x, std::max<int64_t>(1280, net.Channels(1280)), 1, {});
  return net.Finish(Classify(net, net.Relu("features.18.2", x, kReluCap)));
}

}  // namespace cosim::graph::zoo
