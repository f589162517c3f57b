// SPDX-License-Identifier: Apache-2.0
// Tensors from real numbers to quantized ones and back.
#pragma once

#include <vector>

#include "compiler/graph/graph.h"

namespace cosim::graph {

/// Float tensors to the quantized tensors that `graph`'s inputs expect, by the quantization on those inputs.
std::vector<Tensor> QuantizeInputs(const Graph& graph, const std::vector<Tensor>& inputs);

/// int8, int16 or int32 elements to real numbers.
Tensor ToReal(const Tensor& tensor, const Quantization& quantization);

}  // namespace cosim::graph
