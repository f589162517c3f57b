// SPDX-License-Identifier: Apache-2.0
// Post-training quantization: from a float network and the ranges its activations take to the same network
// with QuantizeLinear and DequantizeLinear around its products ("QDQ"), as ONNX's tools exchange it.
//
// Activations are int8 with one scale and a zero point; weights int8, symmetric, [-127, 127], with one scale
// or one an output channel; biases int32 in units of input scale times weight scale. What moves elements only
// keeps the scale of its operand; a Relu or Clip belongs to the product before it. All else stays float32.
// Activations that a user wants wider are int16, zero point 0, as ONNX Runtime writes them below operator
// set 21: by the operators of its own domain.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/quantize/placement.h"
#include "compiler/quantize/range.h"

namespace cosim::quantize {

/// Weights are in [-kWeightLevels, kWeightLevels].
inline constexpr int kWeightLevels = 127;

/// One operator that computes with quantized operands, and the value it ends in, a following Relu included.
struct Layer {
  std::string op;  ///< "Conv"
  /// Names in the float network: of its own result, and of the one it ends in.
  std::string product, value;
  /// In the quantized network: the result as it was computed, and quantized and back.
  std::string computed, dequantized;
  int bits = 8;  ///< of the result
};

struct Quantized {
  import::onnx::File file;
  std::vector<Layer> layers;  ///< in order
};

/// `ranges`: of every value that decides on a scale; `wide`: those of int16. `file` has operator set 13 or
/// later and is what `placement` was made for.
Quantized Quantize(const import::onnx::File& file, const Placement& placement,
                   const std::map<std::string, graph::Range>& ranges, const std::set<std::string>& wide,
                   bool per_channel);

/// Whether a node is that operator on activations, of either width.
bool IsQuantize(const import::onnx::NodeInfo& node);

}  // namespace cosim::quantize
