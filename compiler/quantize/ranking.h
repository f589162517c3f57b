// SPDX-License-Identifier: Apache-2.0
// Classes in the order of their scores.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/graph/tensor.h"

namespace cosim::quantize {

/// How many classes stand before `label`: those with a larger score, and of equal ones those with a lower
/// number. `scores` are the elements in any shape; nothing when there is no such class.
std::optional<int64_t> RankOf(const graph::Tensor& scores, int64_t label);

/// The class of rank 0; -1 when there are none.
int64_t TopClass(const graph::Tensor& scores);

}  // namespace cosim::quantize
