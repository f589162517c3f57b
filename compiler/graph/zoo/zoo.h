// SPDX-License-Identifier: Apache-2.0
// Networks in code, with weights from a seed: the same bits on every machine. They are float graphs as a
// training framework would export them, batch normalization not folded. Trained models come through
// importers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/graph/graph.h"

namespace cosim::graph::zoo {

/// Names of the networks Build knows, sorted.
const std::vector<std::string_view>& Names();

/// A network of the zoo and how large it is made.
struct Variant {
  std::string name;
  double width = 1;   ///< factor of the channels, which stay multiples of 8 where it is not 1
  int64_t size = 0;   ///< height and width of the image
  int64_t batch = 1;  ///< images at a time
};

/// Reads "mobilenet_v1" or "mobilenet_v1:width=0.5,size=160,batch=4". Nothing, and `error` says what is wrong
/// and what would be right, when there is no such network or it has no such argument.
std::optional<Variant> ParseVariant(std::string_view text, std::string& error);

/// The float graph of the network that `text` names, which ParseVariant must accept. Weights are scaled so
/// that activations keep their magnitude from layer to layer.
Graph Build(std::string_view text, uint64_t seed);

/// One tensor for each float input of `graph`: image-like (smooth shapes, edges and noise), mean about 0,
/// variance about 1.
std::vector<Tensor> SyntheticInput(const Graph& graph, uint64_t seed);

}  // namespace cosim::graph::zoo
