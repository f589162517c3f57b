// SPDX-License-Identifier: Apache-2.0
// Random integer networks, made step by step from numbers: leaving steps out gives a smaller network that is
// legal too, which is how a failure shrinks.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/graph/graph.h"

namespace cosim::testing {

/// What the hardware in question can be asked for.
struct NetworkLimits {
  int weight_bits = 8;       ///< weights have at most so many
  int value_bits = 8;        ///< values are int8, or int16 if 16
  bool shifts_only = false;  ///< requantize mostly by powers of two
};

/// A network of int8 or int16 values in which every operation is exact. `seed` makes its input, each number
/// of `steps` one or several operations on values before it; values that nothing reads are the outputs.
graph::Graph MakeNetwork(uint64_t seed, const std::vector<uint64_t>& steps, const NetworkLimits& limits);

/// Random elements for the inputs of `graph`.
std::vector<graph::Tensor> RandomInputs(const graph::Graph& graph, uint64_t seed);

}  // namespace cosim::testing
