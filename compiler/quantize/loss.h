// SPDX-License-Identifier: Apache-2.0
// Which layer of a quantized ONNX network, from whatever tool, loses the signal: its values against those of
// the float network that have the same names.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/quantize/report.h"

namespace cosim::quantize {

class LossFinder {
 public:
  /// Counts one run of both networks: float32 values of one name and one number of elements are compared.
  void AddRun(const Values& reference, const Values& quantized);

  struct Loss {
    std::string op, value;  ///< of the float network
    double db = 0;          ///< signal to noise of the value
    double lost_db = 0;     ///< below that of its worst operand; no more than 40 dB counts as there
  };
  /// For every node of `reference` whose first result was compared, in order. A result that was not compared
  /// counts as being as good as the worst of its operands.
  std::vector<Loss> Losses(const import::onnx::File& reference) const;

 private:
  std::map<std::string, Agreement> values_;
};

}  // namespace cosim::quantize
