// SPDX-License-Identifier: Apache-2.0
// ONNX's operators on bytes as core operations of the graph, which an accelerator can run, where those
// compute the same bytes (rounding.h).
#pragma once

#include <string>

#include "compiler/host/spatial.h"
#include "compiler/import/onnx/values.h"

namespace cosim::import::onnx {

/// Defines the node's result in `values` as core operations and returns nothing; or returns why they cannot
/// do it, for people, and leaves `values` as they are to a reader. The host's operator has accepted the
/// operands, and `result` is the type it gives. `quantized`: the file has quantized operations already.
std::string MapToCore(const NodeInfo& node, const graph::TensorType& result, bool quantized, Values& values);

}  // namespace cosim::import::onnx
