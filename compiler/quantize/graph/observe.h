// SPDX-License-Identifier: Apache-2.0
// Runs a float graph on sample inputs and keeps what quantization wants to know about its values.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/quantize/histogram.h"

namespace cosim::graph {

/// Histograms of the values `wanted` over `samples` synthetic inputs of seeds `seed`, `seed` + 1, ... By
/// ValueId; empty for values not wanted.
std::vector<Histogram> Calibrate(const Graph& graph, const std::vector<bool>& wanted, int samples,
                                 uint64_t seed);

}  // namespace cosim::graph
