// SPDX-License-Identifier: Apache-2.0
// What quantization costs a network of the zoo, for sweeps that weigh it against cycles.
#pragma once

#include <cstdint>

#include "compiler/quantize/graph/quantize_graph.h"

namespace cosim::session {

struct Accuracy {
  double sqnr_db =
      0;  ///< of all outputs: 10 log10(sum of squares in float / sum of squared errors); at most 200
  int inputs = 0;
};

/// Over so many synthetic inputs, of which the network was calibrated on none; at least one.
Accuracy AccuracyOf(const graph::QuantizedGraph& quantized, int inputs, uint64_t seed);

}  // namespace cosim::session
