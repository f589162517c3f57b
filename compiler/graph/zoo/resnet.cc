// SPDX-License-Identifier: Apache-2.0
// ResNets: a 7x7 stem and four stages of residual blocks.
#include <fmt/format.h>

#include <array>

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

/// 1x1, 3x3 and 1x1 to four times the channels.
Flow Bottleneck(NetworkBuilder& net, const std::string& name, Flow x, int64_t channels, int64_t stride,
                bool project) {
  Flow y = net.Relu(name + ".relu1", net.ConvNorm(name + ".conv1", name + ".bn1", x, channels, 1, {}));
  y = net.ConvNorm(name + ".conv2", name + ".bn2", y, channels, 3,
                   {.stride = {stride, stride}, .pad = {1, 1, 1, 1}});
  y = net.Relu(name + ".relu2", y);
  y = net.ConvNorm(name + ".conv3", name + ".bn3", y, 4 * channels, 1, {});
  if (project) {
    x = net.ConvNorm(name + ".downsample.0", name + ".downsample.1", x, 4 * channels, 1,
                     {.stride = {stride, stride}});
  }
  return net.Relu(name + ".relu3", net.Add(name + ".add", y, x));
}

Graph BuildResNet(NetworkBuilder& net, const Variant& variant, std::array<int, 4> blocks, bool bottleneck) {
  Flow x = net.Input("image", {variant.batch, 3, variant.size, variant.size});
  x = net.ConvNorm("conv1", "bn1", x, net.Channels(64), 7, {.stride = {2, 2}, .pad = {3, 3, 3, 3}});
  x = net.MaxPool("maxpool", net.Relu("relu", x), {.kernel = {3, 3}, .stride = {2, 2}, .pad = {1, 1, 1, 1}});
  for (int stage = 1; stage <= 4; ++stage) {
    const int64_t channels = net.Channels(int64_t{32} << stage);
    for (int block = 0; block < blocks[stage - 1]; ++block) {
      const int64_t stride = stage > 1 && block == 0 ? 2 : 1;
      const bool project = block == 0 && (stage > 1 || bottleneck);
      const auto add = bottleneck ? Bottleneck : BasicBlock;
      x = add(net, fmt::format("layer{}.{}", stage, block), x, channels, stride, project);
    }
  }
  x = net.Flatten("flatten", net.GlobalAvgPool("avgpool", x));
  return net.Finish(net.Linear("fc", x, 1000));
}

}  // namespace

Graph BuildResNet18(NetworkBuilder net, const Variant& variant) {
  return BuildResNet(net, variant, {2, 2, 2, 2}, false);
}
Graph BuildResNet34(NetworkBuilder net, const Variant& variant) {
  return BuildResNet(net, variant, {3, 4, 6, 3}, false);
}
Graph BuildResNet50(NetworkBuilder net, const Variant& variant) {
  return BuildResNet(net, variant, {3, 4, 6, 3}, true);
}

}  // namespace cosim::graph::zoo
