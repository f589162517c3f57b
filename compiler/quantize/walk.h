// SPDX-License-Identifier: Apache-2.0
// A network on several inputs at a time, as far as it is wanted: constants of nodes that were not reached yet
// may still change.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/quantize/interpreter.h"

namespace cosim::quantize {

class Walk {
 public:
  /// `file` outlives it; its nodes stay what they are. `inputs`: of each run, all of the same types.
  Walk(const import::onnx::File& file, const std::vector<std::vector<graph::Tensor>>& inputs);

  /// Computes all that the nodes before `node` compute for it and those behind it. False, and `error` set,
  /// when the importer refuses them.
  bool To(size_t node, std::string& error);

  /// Operands of the node that it went to, and of those behind it.
  const graph::Tensor& Get(size_t run, const std::string& name) const { return *values_[run].at(name); }
  size_t runs() const { return values_.size(); }

 private:
  const import::onnx::File& file_;
  std::vector<bool> constant_;  // by node
  std::map<std::string, size_t> producer_;
  std::map<std::string, size_t> last_use_;  // the last node that reads a value
  std::vector<Values> values_;              // by run: what nodes from at_ on read
  size_t at_ = 0;
};

}  // namespace cosim::quantize
