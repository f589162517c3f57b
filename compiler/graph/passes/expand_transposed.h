// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler/graph/graph.h"

namespace cosim::graph {

/// Writes each ConvTranspose2d of constant weights as a Conv2d that computes the pixels of a stride x stride
/// square as channels, and a DepthToSpace. A BiasAdd, BatchNorm or Relu behind it goes before the
/// DepthToSpace. Left alone where the result's extents are no multiples of the strides or a window begins
/// beyond the image.
Graph ExpandTransposed(const Graph& graph);

}  // namespace cosim::graph
