// SPDX-License-Identifier: Apache-2.0
// Products of matrices that are both computed, on arrays that suit register tiles: one of them is packed as
// it is read. Products by constants are blocked.h's.
#pragma once

#include <optional>

#include "compiler/schedules/cpu/blocked.h"
#include "compiler/schedules/cpu/target.h"
#include "compiler/te/te.h"

namespace cosim::schedules {

/// What tiles of `plain` are for: [..., M, N], a sum over one axis of a * b, as ops::Computation has it in
/// `product`. Nothing when plain loops are as good: few rows or columns, another type than float32, an
/// unknown processor.
std::optional<TileProblem> ProductProblem(const te::Tensor& plain, const CpuTarget& target);

/// The computations: a block of columns of b (Pattern::kPack), the sums by such blocks (Pattern::kTiles), and
/// these in the plain layout; a is read as it stands, columns of b may be rows in memory.
Blocked BlockProduct(const te::Tensor& plain, const Tile& tile);

}  // namespace cosim::schedules
