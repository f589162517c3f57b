// SPDX-License-Identifier: Apache-2.0
// The smallest network: dense layers only.
#include "compiler/graph/zoo/network_builder.h"
#include "compiler/graph/zoo/networks.h"

namespace cosim::graph::zoo {

Graph BuildMlp(NetworkBuilder net, const Variant& variant) {
  Flow x = net.Flatten("flatten", net.Input("image", {variant.batch, 1, 28, 28}));
  x = net.Relu("relu1", net.Linear("fc1", x, 256));
  x = net.Relu("relu2", net.Linear("fc2", x, 128));
  return net.Finish(net.Linear("fc3", x, 10));
}

}  // namespace cosim::graph::zoo
