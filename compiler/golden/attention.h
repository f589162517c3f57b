// SPDX-License-Identifier: Apache-2.0
// What transformers are made of beside convolutions: products of activations, softmax, layer norm.
#pragma once

#include "compiler/graph/ops.h"
#include "compiler/graph/tensor.h"

namespace cosim::golden {

/// Two operands of one quantized type -> int32.
void Multiply(const graph::MatMul& op, const graph::Tensor& a, const graph::Tensor& b, graph::Tensor& out);
void Normalize(const graph::QSoftmax& op, const graph::Tensor& x, graph::Tensor& out);
void Normalize(const graph::QLayerNorm& op, const graph::Tensor& x, const graph::Tensor& gain,
               const graph::Tensor& offset, graph::Tensor& out);

}  // namespace cosim::golden
