// SPDX-License-Identifier: Apache-2.0
// Classes and samples in the order of their scores.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/graph/graph.h"

namespace cosim::quantize {

/// How many classes stand before `label`: those with a larger score, and of equal ones those with a lower
/// number. `scores` are the elements in any shape; nothing when there is no such class.
std::optional<int64_t> RankOf(const graph::Tensor& scores, int64_t label);

/// The class of rank 0; -1 when there are none.
int64_t TopClass(const graph::Tensor& scores);

/// Of pairs of a positive and a negative sample, the share in which the positive one has the larger score;
/// equal scores count half. That is the area under the receiver operating characteristic. `samples`: scores,
/// and whether they are positive. Nothing when all are of one kind.
std::optional<double> AreaUnderCurve(std::vector<std::pair<double, bool>> samples);

/// The mean squared difference of two tensors of the same number of elements, as real numbers:
/// (q - zero_point) * scale where they have such a quantization.
double MeanSquaredError(const graph::Tensor& a, const std::optional<graph::Quantization>& of_a,
                        const graph::Tensor& b, const std::optional<graph::Quantization>& of_b);

}  // namespace cosim::quantize
