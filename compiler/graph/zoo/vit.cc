// SPDX-License-Identifier: Apache-2.0
// A vision transformer of ViT-tiny's size: 16x16 patches, 192 channels, 12 encoder layers of 3 heads.
// Positions come from a depthwise convolution, the class from the mean over all tokens; tokens are the pixels
// of the patch image.
#include <fmt/format.h>

#include "compiler/graph/zoo/network_builder.h"
#include "compiler/graph/zoo/networks.h"

namespace cosim::graph::zoo {
namespace {

constexpr int64_t kHeads = 3, kLayers = 12;
// Trained attention is peaked: scores have about three times the deviation that makes them nearly even.
constexpr double kScoreDeviation = 3;

Flow Attention(NetworkBuilder& net, const std::string& name, Flow x) {
  const int64_t channels = net.ShapeOf(x)[1];
  const double depth = static_cast<double>(channels / kHeads);
  // 1 / sqrt(depth) is part of the queries' weights.
  const Flow queries = net.ConvBias(name + ".query", x, channels, 1, {}, kScoreDeviation / depth);
  const Flow keys = net.ConvBias(name + ".key", x, channels, 1, {}, kScoreDeviation);
  const Flow values = net.ConvBias(name + ".value", x, channels, 1, {}, 1);
  const Flow shares =
      net.Softmax(name + ".softmax", net.Scores(name + ".scores", queries, keys, kHeads), kHeads);
  return net.ConvBias(name + ".proj", net.Attend(name + ".attend", shares, values, kHeads), channels, 1, {});
}

Flow Perceptron(NetworkBuilder& net, const std::string& name, Flow x) {
  const int64_t channels = net.ShapeOf(x)[1];
  const Flow y = net.Gelu(name + ".act", net.ConvBias(name + ".fc1", x, 4 * channels, 1, {}));
  return net.ConvBias(name + ".fc2", y, channels, 1, {}, 1);
}

}  // namespace

Graph BuildVitTiny(NetworkBuilder net, const Variant& variant) {
  Flow x = net.Input("image", {variant.batch, 3, variant.size, variant.size});
  x = net.ConvBias("patch_embed", x, 192, 16, {.stride = {16, 16}});
  x = net.Add("pos_embed.add", x, net.Depthwise("pos_embed", x, 3, {.pad = {1, 1, 1, 1}}));
  for (int layer = 0; layer < kLayers; ++layer) {
    const std::string name = fmt::format("blocks.{}", layer);
    x = net.Add(name + ".add1", x, Attention(net, name + ".attn", net.LayerNorm(name + ".norm1", x)));
    x = net.Add(name + ".add2", x, Perceptron(net, name + ".mlp", net.LayerNorm(name + ".norm2", x)));
  }
  x = net.Flatten("flatten", net.GlobalAvgPool("avgpool", net.LayerNorm("norm", x)));
  return net.Finish(net.Linear("head", x, 1000));
}

}  // namespace cosim::graph::zoo
