// SPDX-License-Identifier: Apache-2.0
// ONNX's operators as operators of the host library: one factory a name. What an attribute means in which
// version of the operator set is decided here.
#pragma once

#include <string>
#include <vector>

#include "compiler/graph/host_operator.h"
#include "compiler/import/onnx/reader.h"

namespace cosim::import::onnx {

struct Made {
  graph::HostOperatorPtr op;             ///< null: `error` says why
  std::vector<graph::TensorPtr> append;  ///< further operands, which older operator sets have as attributes
  std::string error;
};

bool IsKnown(const std::string& op);
/// All names, in alphabetical order.
std::vector<std::string> KnownOperators();

/// `node` is of a known operator.
Made Make(const NodeInfo& node);

}  // namespace cosim::import::onnx
