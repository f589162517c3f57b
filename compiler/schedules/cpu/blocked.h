// SPDX-License-Identifier: Apache-2.0
// Convolutions and dense layers on arrays that suit register tiles: weights packed when the network is
// compiled, sums by blocks of output channels. The same values as the plain definition's, integers to the
// bit.
#pragma once

#include <optional>
#include <vector>

#include "compiler/graph/tensor.h"
#include "compiler/ops/definition.h"
#include "compiler/schedules/cpu/target.h"
#include "compiler/schedules/cpu/tile.h"

namespace cosim::schedules {

/// `definition` has up to three computations: what the sums read, if it is not x; the sums by blocks of
/// channels (Pattern::kTiles); and these in the plain layout. Its tables hold the packed weights.
struct Blocked {
  ops::Definition definition;
  std::vector<Tile> tiles;  ///< of each computation
};

/// What tiles of `plain` are for, which convolves. Nothing when plain loops are as good: on an unknown
/// processor, or of types that it has no instruction for.
std::optional<TileProblem> ConvolutionProblem(const ops::Computation& plain, const CpuTarget& target);

/// In tiles for that problem. Integer sums wrap as the plain ones do.
Blocked BlockConvolution(const ops::Computation& plain, const graph::Tensor& weights, const CpuTarget& target,
                         const Tile& tile);

}  // namespace cosim::schedules
