// SPDX-License-Identifier: Apache-2.0
// Networks in code, with weights from a seed: the same bits on every machine. They are float graphs as a
// training framework would export them, batch normalization not folded. Trained models come through
// importers.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler/graph/graph.h"

namespace cosim::graph::zoo {

/// Names of the networks Build knows, sorted.
const std::vector<std::string_view>& Names();

/// The float graph of network `name`, which must be one of Names(). Weights are scaled so that activations
/// keep their magnitude from layer to layer.
Graph Build(std::string_view name, uint64_t seed);

/// One tensor for each float input of `graph`: image-like (smooth shapes, edges and noise), mean about 0,
/// variance about 1.
std::vector<Tensor> SyntheticInput(const Graph& graph, uint64_t seed);

}  // namespace cosim::graph::zoo
