// SPDX-License-Identifier: Apache-2.0
// How much of the signal each layer of a quantized network keeps.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/quantize/compiled.h"
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

/// The quantized network with each layer by itself: what reads a layer's result as an integer reads an input
/// instead, which is to be given the float network's value, so that each layer shows its own errors only.
struct LayersAlone {
  import::onnx::File file;
  /// The float network's values for the inputs behind those of the network.
  std::vector<std::string> exact;
  /// By Layer::dequantized: its own result, quantized and back.
  std::map<std::string, std::string> dequantized;

  /// All inputs for a run: those of the network, then those of `reference`.
  Operands InputsOf(const std::vector<graph::Tensor>& inputs, const Values& reference) const;
};
/// `example`: values of the float network, for their types.
LayersAlone MakeLayersAlone(const Quantized& quantized, const Values& example);

/// Adds one run: values of the float network, of the quantized one, and of its `layers` alone.
void AddRun(const Values& reference, const Values& all, const LayersAlone& layers, const Values& alone,
            std::vector<LayerReport>& report);

/// Rows for all layers, nothing added yet.
std::vector<LayerReport> EmptyReport(const Quantized& quantized);

/// The layer that loses most by itself; the first of equals. `report` is not empty.
const LayerReport& WorstLayer(const std::vector<LayerReport>& report);

}  // namespace cosim::quantize
