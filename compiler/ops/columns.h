// SPDX-License-Identifier: Apache-2.0
// Tensor expressions of the operations that reduce over the channels of a pixel: products of activations,
// softmax, layer norm. compiler/graph/ops.h says what they mean.
#pragma once

#include <string>
#include <vector>

#include "compiler/graph/ops.h"
#include "compiler/ops/definition.h"
#include "compiler/te/te.h"

namespace cosim::ops {

Definition MatMul(const std::string& name, const graph::MatMul& op, const std::vector<int64_t>& shape,
                  const te::Tensor& a, const te::Tensor& b);
Definition Softmax(const std::string& name, const graph::QSoftmax& op, const te::Tensor& x);
Definition LayerNorm(const std::string& name, const graph::QLayerNorm& op, const te::Tensor& x,
                     const te::Tensor& gain, const te::Tensor& offset);

}  // namespace cosim::ops
