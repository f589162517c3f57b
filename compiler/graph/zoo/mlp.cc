// SPDX-License-Identifier: Apache-2.0
// The smallest network: dense layers only.
#include "compiler/graph/zoo/network_builder.h"
#include "compiler/graph/zoo/networks.h"

namespace cosim::graph::zoo {

Graph BuildMlp(uint64_t seed) {
  NetworkBuilder net("mlp", seed);
  Flow x = net.Flatten("flatten", net.Input("image", {1, 1, 28, 28}));
  x = net.Relu("relu1", net.Linear("fc1", x, 256));
  x = net.Relu("relu2", net.Linear("fc2", x, 128));
  return net.Finish(net.Linear("fc3", x, 10));
}

}  // namespace cosim::graph::zoo
