// SPDX-License-Identifier: Apache-2.0
// Convolutions by windows of 3x3 as products of transformed tiles (Winograd's F(2x2, 3x3) and F(4x4, 3x3)),
// where the model expects them to be quicker than sums of the windows themselves. Their results differ from
// those by roundings only: compiler/golden/tolerance.h says by how many.
#pragma once

#include <cstdint>

#include "compiler/schedules/cpu/blocked.h"

namespace cosim::schedules {

/// How many results a side a tile should have, 2 or 4; 0 where sums of windows are expected to be as quick,
/// or where `plain`, which is as BlockConvolution's, is nothing to transform: that is a convolution of
/// float32 in one group by windows of 3x3, with stride 1, no dilation and at least 8 input channels.
int64_t ChooseTransform(const ops::Definition& plain, const CpuTarget& target);

/// By tiles of `outputs` x `outputs` results. The tables hold the weights, transformed and packed.
Blocked TransformConvolution(const ops::Definition& plain, const graph::Tensor& weights,
                             const CpuTarget& target, int64_t outputs);

}  // namespace cosim::schedules
