// SPDX-License-Identifier: Apache-2.0
// The condition of a padding Select as bounds on single loops of the copy's nest.
#pragma once

#include <vector>

#include "compiler/accel/ir.h"
#include "compiler/accel/linear_access.h"

namespace cosim::accel {

/// Appends to `bounds` (dim: index into `nest`); false if the condition is anything but a conjunction of
/// comparisons, each affine with coefficient 1 or -1 in one loop of the nest.
bool CollectBounds(const tir::Expr& condition, const std::vector<NestLoop>& nest, std::vector<Bound>& bounds);

}  // namespace cosim::accel
