// SPDX-License-Identifier: Apache-2.0
// Which layer of a quantized ONNX network, from whatever tool, loses the signal: its values against those of
// the float network that have the same names.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/quantize/interpreter.h"

namespace cosim::quantize {

class LossFinder {
 public:
  /// Counts one run of both networks: float32 values of one name and one shape are compared. Channels that a
  /// quantizer has scaled, to make up for it in the weights behind, are compared as they would be without.
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
  /// Sums over one channel (index of the second dimension) of a value.
  struct Sums {
    double exact = 0, approximate = 0, product = 0;
  };
  static double SqnrDb(const std::vector<Sums>& channels);

  std::map<std::string, std::vector<Sums>> values_;
};

}  // namespace cosim::quantize
