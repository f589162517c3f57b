// SPDX-License-Identifier: Apache-2.0
// Operations that only move elements, of whatever type.
#pragma once

#include <vector>

#include "compiler/graph/ops.h"
#include "compiler/graph/tensor.h"

namespace cosim::golden {

void Concatenate(const std::vector<graph::TensorPtr>& operands, graph::Tensor& out);
void Frame(const graph::Pad& op, const graph::Tensor& x, graph::Tensor& out);
void Spread(const graph::DepthToSpace& op, const graph::Tensor& x, graph::Tensor& out);
void Repeat(const graph::ResizeNearest& op, const graph::Tensor& x, graph::Tensor& out);

}  // namespace cosim::golden
