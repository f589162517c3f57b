// SPDX-License-Identifier: Apache-2.0
// Loads and stores of a nest as accesses by element: trailing indices walk an element's lanes, leading ones
// count elements.
#pragma once

#include <optional>
#include <vector>

#include "compiler/accel/ir.h"

namespace cosim::accel {

/// A loop of a nest, from outside in.
struct NestLoop {
  tir::Var var;
  tir::Expr min, extent;
  bool tensorized = false;  ///< the schedule wants a tensor intrinsic for it
};

struct LaneIndex {
  tir::Var var;  ///< null: `constant`
  int64_t constant = 0;
  tir::Expr other;  ///< what it is where it is neither; null elsewhere
};

struct ElementAccess {
  tir::Buffer buffer;
  std::vector<LaneIndex> lanes;  ///< one a trailing index
  tir::Expr offset;              ///< elements; mentions no loop of the nest
  std::vector<int64_t> strides;  ///< elements, one a loop of the nest
};

/// Nothing if an index is not affine in the nest's loops, or a lane index is neither a plain loop variable
/// nor a constant, unless the caller takes `any_lanes`.
std::optional<ElementAccess> LinearAccess(const tir::Buffer& buffer, const std::vector<tir::Expr>& indices,
                                          size_t lane_dims, const std::vector<NestLoop>& nest,
                                          bool any_lanes = false);

/// Elements of `memory` that stand side by side in the lanes of `buffer`: more than one where its last
/// dimension is as many times that of the memory, which then has no others (isa::Operand::parts).
int64_t PartsOf(const tir::Buffer& buffer, const isa::Memory& memory);

/// An access that counts elements as long as `parts` of the memory, in elements of the memory.
ElementAccess InParts(ElementAccess access, int64_t parts);

/// Trailing dimensions of a buffer in this memory that are lanes (and the record's fields, if it has
/// several).
size_t LaneDims(const isa::Memory& memory);

}  // namespace cosim::accel
