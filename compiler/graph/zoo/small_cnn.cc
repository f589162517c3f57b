// SPDX-License-Identifier: Apache-2.0
// A small network that meets the awkward cases: odd extents, uneven padding, channel counts that fill no
// tile.
#include "compiler/graph/zoo/network_builder.h"
#include "compiler/graph/zoo/networks.h"

namespace cosim::graph::zoo {

Graph BuildSmallCnn(NetworkBuilder net, const Variant& variant) {
  Flow x = net.Input("image", {variant.batch, 3, 27, 27});
  x = net.ConvNorm("stem.conv", "stem.bn", x, 20, 3, {.pad = {1, 1, 1, 1}});
  x = net.Relu("stem.relu", x);
  x = net.MaxPool("stem.pool", x, {.kernel = {3, 3}, .stride = {2, 2}, .pad = {1, 1, 1, 1}});

  Flow y = net.ConvNorm("block1.conv1", "block1.bn1", x, 20, 3, {.pad = {1, 1, 1, 1}});
  y = net.Relu("block1.relu1", y);
  y = net.ConvNorm("block1.conv2", "block1.bn2", y, 20, 3, {.pad = {1, 1, 1, 1}});
  x = net.Relu("block1.relu2", net.Add("block1.add", y, x));

  y = net.ConvNorm("block2.conv1", "block2.bn1", x, 36, 3, {.stride = {2, 2}, .pad = {0, 0, 1, 1}});
  y = net.Relu("block2.relu1", y);
  y = net.ConvNorm("block2.conv2", "block2.bn2", y, 36, 3, {.pad = {1, 1, 1, 1}});
  Flow shortcut = net.ConvNorm("block2.downsample.0", "block2.downsample.1", x, 36, 1, {.stride = {2, 2}});
  x = net.Relu("block2.relu2", net.Add("block2.add", y, shortcut));

  x = net.MaxPool("pool", x, {.kernel = {3, 3}, .stride = {2, 2}});
  x = net.Flatten("flatten", net.GlobalAvgPool("avgpool", x));
  return net.Finish(net.Linear("fc", x, 10));
}

}  // namespace cosim::graph::zoo
