// SPDX-License-Identifier: Apache-2.0
// A convolutional autoencoder: strided convolutions down, transposed ones up.
#include <fmt/format.h>

#include "compiler/graph/zoo/network_builder.h"
#include "compiler/graph/zoo/networks.h"

namespace cosim::graph::zoo {

Graph BuildAutoencoder(NetworkBuilder net, const Variant& variant) {
  Flow x = net.Input("image", {variant.batch, 3, variant.size, variant.size});
  int index = 0;
  for (int64_t channels : {32, 64, 128}) {
    const std::string name = fmt::format("encoder.{}", index++);
    x = net.ConvNorm(name + ".conv", name + ".norm", x, net.Channels(channels), 3,
                     {.stride = {2, 2}, .pad = {1, 1, 1, 1}});
    x = net.Relu(name + ".relu", x);
  }
  index = 0;
  for (int64_t channels : {64, 32, 0}) {
    const std::string name = fmt::format("decoder.{}", index++);
    const int64_t outputs = channels == 0 ? 3 : net.Channels(channels);
    x = net.ConvTranspose(name + ".conv", x, outputs, 4, {.stride = {2, 2}, .pad = {1, 1, 1, 1}});
    x = net.BatchNorm(name + ".norm", x);
    if (channels != 0) x = net.Relu(name + ".relu", x);
  }
  return net.Finish(x);
}

}  // namespace cosim::graph::zoo
