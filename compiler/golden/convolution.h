// SPDX-License-Identifier: Apache-2.0
// Integer convolutions and dense layers of the golden model.
#pragma once

#include "compiler/graph/ops.h"
#include "compiler/graph/tensor.h"

namespace cosim::golden {

/// Quantized x [N,C,H,W] and int8 w [O,C/groups,KH,KW] into int32 `out`, whose shape is set.
void Convolve(const graph::Conv2d& op, const graph::Tensor& x, const graph::Tensor& w, graph::Tensor& out);

/// Quantized x [N,K] and int8 w [O,K] into int32 `out`, whose shape is set.
void Multiply(const graph::Dense& op, const graph::Tensor& x, const graph::Tensor& w, graph::Tensor& out);

}  // namespace cosim::golden
