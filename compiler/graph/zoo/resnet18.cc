// SPDX-License-Identifier: Apache-2.0
// ResNet-18: a 7x7 stem and four stages of two basic blocks.
#include <fmt/format.h>

#include "compiler/graph/zoo/network_builder.h"
#include "compiler/graph/zoo/networks.h"

namespace cosim::graph::zoo {
namespace {

/// Two 3x3 convolutions around a shortcut, which has a 1x1 convolution where the shape changes.
Flow BasicBlock(NetworkBuilder& net, const std::string& name, Flow x, int64_t channels, int64_t stride,
                bool project) {
  Flow y = net.ConvNorm(name + ".conv1", name + ".bn1", x, channels, 3,
                        {.stride = {stride, stride}, .pad = {1, 1, 1, 1}});
  y = net.Relu(name + ".relu1", y);
  y = net.ConvNorm(name + ".conv2", name + ".bn2", y, channels, 3, {.pad = {1, 1, 1, 1}});
  if (project) {
    x = net.ConvNorm(name + ".downsample.0", name + ".downsample.1", x, channels, 1,
                     {.stride = {stride, stride}});
  }
  return net.Relu(name + ".relu2", net.Add(name + ".add", y, x));
}

}  // namespace

Graph BuildResNet18(uint64_t seed) {
  NetworkBuilder net("resnet18", seed);
  Flow x = net.Input("image", {1, 3, 224, 224});
  x = net.ConvNorm("conv1", "bn1", x, 64, 7, {.stride = {2, 2}, .pad = {3, 3, 3, 3}});
  x = net.MaxPool("maxpool", net.Relu("relu", x), {.kernel = {3, 3}, .stride = {2, 2}, .pad = {1, 1, 1, 1}});
  for (int stage = 1; stage <= 4; ++stage) {
    const int64_t channels = int64_t{32} << stage;
    const bool first = stage == 1;
    x = BasicBlock(net, fmt::format("layer{}.0", stage), x, channels, first ? 1 : 2, !first);
    x = BasicBlock(net, fmt::format("layer{}.1", stage), x, channels, 1, false);
  }
  x = net.Flatten("flatten", net.GlobalAvgPool("avgpool", x));
  return net.Finish(net.Linear("fc", x, 1000));
}

}  // namespace cosim::graph::zoo
