// SPDX-License-Identifier: Apache-2.0
// Operations that move values and compute none: their results are quantized as their operands are.
#pragma once

#include "compiler/graph/graph.h"

namespace cosim::graph {

/// Whether an operation leaves the values of its operand as they are.
inline bool KeepsValues(const Node& node) {
  return node.As<MaxPool>() || node.As<Flatten>() || node.As<DepthToSpace>() || node.As<ResizeNearest>() ||
         node.As<Pad>();
}

}  // namespace cosim::graph
