// SPDX-License-Identifier: Apache-2.0
// How much of the signal each layer of a quantized network keeps.
#pragma once

#include <string>
#include <vector>

#include "compiler/quantize/interpreter.h"
#include "compiler/quantize/quantize.h"

namespace cosim::quantize {

/// Sums over values of an exact and an approximate tensor, of as many runs as are added.
class Agreement {
 public:
  void Add(const graph::Tensor& exact, const graph::Tensor& approximate);
  /// 10 log10(sum of squares / sum of squared errors), within [-200, 200].
  double SqnrDb() const;
  /// 1 where both are zero.
  double Cosine() const;

 private:
  double exact_ = 0, approximate_ = 0, product_ = 0, error_ = 0;
};

struct LayerReport {
  Layer layer;
  Agreement all;    ///< with everything before it quantized too
  Agreement alone;  ///< its operands as the float network has them, then quantized: what this layer loses
};

/// All values of the quantized network when every layer's result is taken from `reference`, the values of the
/// float network, where it becomes an integer: so each layer shows its own errors only. `inputs` are those of
/// both. Nothing, and `error` set, when it cannot be evaluated.
std::optional<Values> EvaluateAlone(const Quantized& quantized, const std::vector<graph::Tensor>& inputs,
                                    const Values& reference, std::string& error);

/// Adds one run. False, and `error` set, when the quantized network cannot be evaluated.
bool AddRun(const Quantized& quantized, const std::vector<graph::Tensor>& inputs, const Values& reference,
            std::vector<LayerReport>& report, std::string& error);

/// Rows for all layers, nothing added yet.
std::vector<LayerReport> EmptyReport(const Quantized& quantized);

/// The layer that loses most by itself; the first of equals. `report` is not empty.
const LayerReport& WorstLayer(const std::vector<LayerReport>& report);

}  // namespace cosim::quantize
