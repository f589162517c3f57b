// SPDX-License-Identifier: Apache-2.0
// How far a quantized graph is from its float reference, layer by layer. Runs nothing: the caller brings the
// values of both graphs.
#pragma once

#include <string>
#include <vector>

#include "compiler/quantize/graph/quantize_graph.h"

namespace cosim::graph {

/// One quantized value beside the float value it stands for.
struct QuantizationRow {
  std::string name;    ///< Of the float value.
  ValueId value = 0;   ///< In the integer graph.
  double sqnr_db = 0;  ///< 10 log10(sum of squares of float values / sum of squares of errors); at most 200.
  double zeros = 0;    ///< Share of values that stand for 0.0.
  double saturated =
      0;  ///< Share of values at the ends of their type, those that a relu clips from below not counted.
};

/// A row for each value of the reference that has a counterpart, in topological order. `float_values` and
/// `integer_values` hold all values of `quantized.reference` and `quantized.graph` for the same input.
std::vector<QuantizationRow> ReportQuantization(const QuantizedGraph& quantized,
                                                const std::vector<TensorPtr>& float_values,
                                                const std::vector<TensorPtr>& integer_values);

}  // namespace cosim::graph
