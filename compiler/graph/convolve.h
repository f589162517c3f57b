// SPDX-License-Identifier: Apache-2.0
// Float32 convolutions of the executor: patches of a few pixels, then tiles of sums (float_tile.h).
#pragma once

#include <vector>

#include "compiler/graph/ops.h"
#include "compiler/graph/tensor.h"

namespace cosim::graph {

/// results[i] = images[i] convolved with `weight`, for tensors [N,C,H,W] of one type each. What several have
/// in common, the weights, is read once. Each sum is of its own and goes by channel, then tap: the same bits
/// on every processor, and alone or beside others.
void Convolve(const Conv2d& op, const Tensor& weight, const std::vector<TensorPtr>& images,
              std::vector<Tensor>& results);

}  // namespace cosim::graph
