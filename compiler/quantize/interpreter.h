// SPDX-License-Identifier: Apache-2.0
// Runs an ONNX network node by node with the host's operators and keeps every value: what calibration and
// reports look at. Knows values by their names, so a network and its quantized form can be held side by side.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/import/onnx/reader.h"

namespace cosim::quantize {

/// By name.
using Values = std::map<std::string, graph::TensorPtr>;

/// Computes a node's results from the operands in `values` and adds them there. False, and `error` set, when
/// its operator is not known or refuses the operands, or a result has more elements than `most`.
bool EvaluateNode(const import::onnx::NodeInfo& node, Values& values, std::string& error,
                  int64_t most = import::onnx::kMostElements);

/// Every value of `file`, initializers included; `inputs` in its order.
std::optional<Values> Evaluate(const import::onnx::File& file, const std::vector<graph::Tensor>& inputs,
                               std::string& error);

}  // namespace cosim::quantize
