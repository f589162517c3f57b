// SPDX-License-Identifier: Apache-2.0
// VGG-16: 3x3 convolutions with biases, and three large dense layers.
#include <fmt/format.h>

#include "compiler/graph/zoo/network_builder.h"
#include "compiler/graph/zoo/networks.h"

namespace cosim::graph::zoo {

Graph BuildVgg16(NetworkBuilder net, const Variant& variant) {
  Flow x = net.Input("image", {variant.batch, 3, variant.size, variant.size});
  int index = 0;  // torchvision counts relus and pools too
  for (int stage = 0; stage < 5; ++stage) {
    const int64_t channels = net.Channels(int64_t{64} << std::min(stage, 3));
    for (int layer = 0; layer < (stage < 2 ? 2 : 3); ++layer, index += 2) {
      x = net.ConvBias(fmt::format("features.{}", index), x, channels, 3, {.pad = {1, 1, 1, 1}});
      x = net.Relu(fmt::format("features.{}", index + 1), x);
    }
    x = net.MaxPool(fmt::format("features.{}", index++), x, {});
  }
  x = net.Flatten("flatten", x);
  x = net.Relu("classifier.1", net.Linear("classifier.0", x, net.Channels(4096)));
  x = net.Relu("classifier.4", net.Linear("classifier.3", x, net.Channels(4096)));
  return net.Finish(net.Linear("classifier.6", x, 1000));
}

}  // namespace cosim::graph::zoo
