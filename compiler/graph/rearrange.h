// SPDX-License-Identifier: Apache-2.0
// References of the operations that only move elements, of whatever type.
#pragma once

#include <vector>

#include "compiler/graph/ops.h"
#include "compiler/graph/tensor.h"

namespace cosim::graph {

void Concatenate(const std::vector<TensorPtr>& operands, Tensor& out);
void Frame(const Pad& op, const Tensor& x, Tensor& out);
void Spread(const DepthToSpace& op, const Tensor& x, Tensor& out);
void Repeat(const ResizeNearest& op, const Tensor& x, Tensor& out);

}  // namespace cosim::graph
