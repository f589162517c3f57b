// SPDX-License-Identifier: Apache-2.0
// Names for values and nodes that a pass adds to a network.
#pragma once

#include <set>
#include <string>

#include "compiler/import/onnx/reader.h"

namespace cosim::quantize {

class Names {
 public:
  explicit Names(const import::onnx::File& file) {
    for (const auto& input : file.inputs) taken_.insert(input.name);
    for (const auto& [name, tensor] : file.initializers) taken_.insert(name);
    for (const auto& node : file.nodes) {
      taken_.insert(node.name);
      taken_.insert(node.outputs.begin(), node.outputs.end());
    }
  }

  /// `wanted`, with underscores behind it where that is taken; taken from now on.
  std::string Make(std::string wanted) {
    while (!taken_.insert(wanted).second) wanted += '_';
    return wanted;
  }

 private:
  std::set<std::string> taken_;
};

}  // namespace cosim::quantize
