// SPDX-License-Identifier: Apache-2.0
// What is done to a float network before it is quantized. Each pass keeps what the network computes, up to
// the rounding of floats, and the names of the values that stay.
#pragma once

#include "compiler/quantize/interpreter.h"
#include "isa/diagnostics.h"

namespace cosim::quantize {

/// Nodes whose operands are all constants become constants, unless those are large; constants that nothing
/// reads go.
void FoldConstants(import::onnx::File& file);

/// BatchNormalization, and Add or Mul of a constant with one element a channel, behind a convolution with
/// constant weights that nothing else reads: into its weights and bias. MatMul with constant weights and an
/// Add of a constant vector: into Gemm.
/// The result takes the name of what was folded.
void FoldIntoProducts(import::onnx::File& file);

/// x * clip(x + 3, 0, 6) / 6 in whatever order, and without the product with x, as HardSwish and HardSigmoid;
/// nodes that no output needs go. After Upgrade; the operator set becomes 14 where there is a HardSwish.
void FuseActivations(import::onnx::File& file);

/// Brings the operator set to at least 13, where scales may be one a channel. What cannot be brought there is
/// reported. `example`: the values of any run, for their shapes.
void Upgrade(import::onnx::File& file, const Values& example, Diagnostics& diagnostics);

}  // namespace cosim::quantize
