// SPDX-License-Identifier: Apache-2.0
// The condition of a Select as bounds on single loops of its nest: of a copy, elsewhere there is padding; of
// ALU ops, elsewhere the element stays as it is.
#pragma once

#include <vector>

#include "compiler/accel/ir.h"
#include "compiler/accel/linear_access.h"

namespace cosim::accel {

/// Appends to `bounds` (dim: index into `nest`); false if the condition is anything but a conjunction of
/// comparisons, each affine in one loop of the nest.
bool CollectBounds(const tir::Expr& condition, const std::vector<NestLoop>& nest, std::vector<Bound>& bounds);

/// Cuts the loops of `nest` to where such a condition holds; false where it is none.
bool KeepWhere(const tir::Expr& condition, std::vector<NestLoop>& nest);

}  // namespace cosim::accel
