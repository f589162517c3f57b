// SPDX-License-Identifier: Apache-2.0
// Graphs whose quantization stands beside their operators (DequantizeLinear -> operator -> QuantizeLinear),
// as graphs of operators on integers of 8 or 16 bits: QLinearConv, QGemm, QLinearAdd, averages, softmax; and,
// under one quantization, whatever only moves elements or picks the largest.
#pragma once

#include "compiler/import/onnx/reader.h"

namespace cosim::import::onnx {

/// Before: `file` as Read gives it. After: each QuantizeLinear whose operand is computed from dequantized
/// values by an operator of those above is that operator on those integers; activations in between that the
/// result's saturation implies are gone, others are a Clip. Nodes that no output needs any more are gone.
void FoldQdq(File& file);

}  // namespace cosim::import::onnx
