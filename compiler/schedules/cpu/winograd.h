// SPDX-License-Identifier: Apache-2.0
// Convolutions by windows of 3x3 as products of transformed tiles (Winograd's F(2x2, 3x3) and F(4x4, 3x3)),
// where the model expects them to be quicker than sums of the windows themselves. Their results differ from
// those by roundings only: compiler/golden/tolerance.h says by how many.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/schedules/cpu/blocked.h"

namespace cosim::schedules {

/// What tiles of each of the products are for, by tiles of `outputs` x `outputs` results, 2 or 4; nothing
/// where `plain` is nothing to transform: that is a convolution of float32 in one group by windows of 3x3,
/// with stride 1, no dilation and at least 8 input channels.
std::optional<TileProblem> TransformedProblem(const ops::Computation& plain, const CpuTarget& target,
                                              int64_t outputs);

/// How many results a side a tile should have, 2 or 4; 0 where sums of windows are expected to be as quick.
int64_t ChooseTransform(const ops::Computation& plain, const CpuTarget& target);

/// By tiles of `outputs` x `outputs` results, and by `tile` for that problem. The tables hold the weights,
/// transformed and packed.
Blocked TransformConvolution(const ops::Computation& plain, const graph::Tensor& weights,
                             const CpuTarget& target, int64_t outputs, const Tile& tile);

}  // namespace cosim::schedules
