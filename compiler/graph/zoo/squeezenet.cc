// SPDX-License-Identifier: Apache-2.0
// SqueezeNet 1.1: fire modules, whose two expansions are concatenated.
#include <fmt/format.h>

#include "compiler/graph/zoo/network_builder.h"
#include "compiler/graph/zoo/networks.h"

namespace cosim::graph::zoo {
namespace {

// Frames of zeros around small images and no normalization: more than a relu takes has to be given back.
constexpr double kFireGain = 2.8;

Flow Fire(NetworkBuilder& net, const std::string& name, Flow x, int64_t squeezed, int64_t expanded) {
  const auto convolve = [&](const std::string& part, Flow from, int64_t channels, int64_t kernel) {
    const int64_t pad = kernel / 2;
    const Flow y =
        net.ConvBias(name + "." + part, from, channels, kernel, {.pad = {pad, pad, pad, pad}}, kFireGain);
    return net.Relu(name + "." + part + "_activation", y);
  };
  x = convolve("squeeze", x, net.Channels(squeezed), 1);
  const Flow narrow = convolve("expand1x1", x, net.Channels(expanded), 1);
  return net.Concat(name + ".concat", {narrow, convolve("expand3x3", x, net.Channels(expanded), 3)});
}

}  // namespace

Graph BuildSqueezeNet(NetworkBuilder net, const Variant& variant) {
  Flow x = net.Input("image", {variant.batch, 3, variant.size, variant.size});
  x = net.Relu("features.1", net.ConvBias("features.0", x, net.Channels(64), 3, {.stride = {2, 2}}));
  constexpr struct {
    int64_t squeezed, expanded;
  } kModules[] = {{16, 64}, {16, 64}, {32, 128}, {32, 128}, {48, 192}, {48, 192}, {64, 256}, {64, 256}};
  int index = 2, module = 0;
  for (const auto& [squeezed, expanded] : kModules) {
    if (module == 0 || module == 2 || module == 4) {
      x = net.MaxPool(fmt::format("features.{}", index++), x, {.kernel = {3, 3}, .stride = {2, 2}});
    }
    x = Fire(net, fmt::format("features.{}", index++), x, squeezed, expanded);
    ++module;
  }
  x = net.Relu("classifier.2", net.ConvBias("classifier.1", x, 1000, 1, {}));
  return net.Finish(net.Flatten("flatten", net.GlobalAvgPool("classifier.3", x)));
}

}  // namespace cosim::graph::zoo
