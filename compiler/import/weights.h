// SPDX-License-Identifier: Apache-2.0
// Weights less their zero points as constants of the graph.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "compiler/graph/tensor.h"

namespace cosim::import {

/// int8 if they all fit, else int16.
inline graph::Tensor WeightTensor(graph::Shape shape, std::vector<int16_t> weights) {
  const bool fit = std::ranges::all_of(weights, [](int16_t w) { return w >= -128 && w <= 127; });
  if (fit) return {std::move(shape), std::vector<int8_t>(weights.begin(), weights.end())};
  return {std::move(shape), std::move(weights)};
}

}  // namespace cosim::import
