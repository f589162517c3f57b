// SPDX-License-Identifier: Apache-2.0
// Which operators of a float network are quantized, and where its values become integers.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/quantize/interpreter.h"

namespace cosim::quantize {

struct Placement {
  std::vector<bool> computes;  ///< by node: with quantized operands
  /// Activations that are quantized, with the one that decides on their scale: themselves, or what was moved.
  std::map<std::string, std::string> scale_of;
  /// For each node that computes, the value it ends in: its result, or that of a Relu or Clip behind it.
  std::map<size_t, std::string> ends_in;
};

/// `example`: the values of any run, for their types.
Placement Place(const import::onnx::File& file, const Values& example);

}  // namespace cosim::quantize
