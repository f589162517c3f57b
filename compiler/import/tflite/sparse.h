// SPDX-License-Identifier: Apache-2.0
// Tensors that a TensorFlow Lite file stores as a tree of levels, one a dimension, of which some leave out
// what is zero.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compiler/graph/tensor.h"

namespace cosim::import::tflite {

struct Sparsity {
  struct Level {
    bool sparse = false;
    int64_t extent = 0;                      ///< of a dense level
    std::vector<int64_t> segments, indices;  ///< of a sparse one: a node's children, and where they stand
  };
  std::vector<int64_t> order;   ///< which dimension a level is; those behind the tensor's own are of blocks
  std::vector<int64_t> blocks;  ///< the dimension that each dimension of blocks divides
  std::vector<Level> levels;
};

/// All elements, from those that are stored; nothing when the levels do not describe such a tensor.
std::optional<graph::Tensor> Densified(const Sparsity& sparsity, const graph::TensorType& type,
                                       std::span<const uint8_t> data);

}  // namespace cosim::import::tflite
