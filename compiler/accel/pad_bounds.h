// SPDX-License-Identifier: Apache-2.0
// The condition of a Select, or an index that is kept within limits, as bounds on single loops of its nest:
// of a copy, elsewhere there is padding; of ALU ops, elsewhere the element stays as it is.
#pragma once

#include <optional>
#include <vector>

#include "compiler/accel/ir.h"
#include "compiler/accel/linear_access.h"

namespace cosim::accel {

/// Appends to `bounds` (dim: index into `nest`); false if the condition is anything but a conjunction of
/// comparisons, each affine in one loop of the nest.
bool CollectBounds(const tir::Expr& condition, const std::vector<NestLoop>& nest, std::vector<Bound>& bounds);

/// Cuts the loops of `nest` to where such a condition holds; false where it is none.
bool KeepWhere(const tir::Expr& condition, std::vector<NestLoop>& nest);

/// An index without the minima and maxima around it, which are appended to `bounds`: beyond those it is that
/// of the last element within. Unchanged where loops of the nest have no part in it. Nothing where it is not
/// one loop of the nest, element by element, and what stands outside of it.
std::optional<tir::Expr> Unclamped(const tir::Expr& index, const std::vector<NestLoop>& nest,
                                   std::vector<Bound>& bounds);

}  // namespace cosim::accel
