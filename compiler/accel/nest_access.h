// SPDX-License-Identifier: Apache-2.0
// Questions about the accesses of one nest: which loops are lanes, whether two accesses go together, what
// becomes a leaf's access.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/accel/ir.h"
#include "compiler/accel/linear_access.h"

namespace cosim::accel {

/// Whether the two accesses name one element (or lane, by the indices given), index by index.
bool SameElement(const tir::Buffer& a, const std::vector<tir::Expr>& ia, const tir::Buffer& b,
                 const std::vector<tir::Expr>& ib);

/// Whether it loads an element that another one says the number of: a value of a table.
bool IsLookup(const tir::Expr& expr);

/// Appends the loads in `expr`, from left to right; of a lookup those that say which.
void CollectLoads(const tir::Expr& expr, std::vector<tir::Expr>& out);

bool SameLanes(const ElementAccess& a, const ElementAccess& b);

/// The operand's lanes are the result's last ones (a parameter vector is shared by the batch).
bool LanesFollow(const ElementAccess& operand, const ElementAccess& result, const isa::Memory& memory);

/// Every loop of `kept` that has more than one round leads to another element.
bool MovesWithAll(const ElementAccess& access, const std::vector<NestLoop>& nest,
                  const std::vector<size_t>& kept);

/// Lane i is walked from 0 to extents[i], by a loop that does not also lead to another element.
bool WalksWholeElements(const ElementAccess& access, const std::vector<int64_t>& extents,
                        const std::vector<NestLoop>& nest);

/// Extents of the trailing dimensions that LaneDims counts, in a buffer of so many parts (PartsOf).
std::vector<int64_t> LaneExtents(const isa::Memory& memory, int64_t parts = 1);

/// The loops of a nest that are not lanes of `access`, by position.
std::vector<size_t> KeptLoops(const std::vector<NestLoop>& nest, const ElementAccess& access);
std::vector<Dim> DimsOf(const std::vector<NestLoop>& nest, const std::vector<size_t>& kept);
Access Keep(const ElementAccess& access, const std::vector<size_t>& kept);

}  // namespace cosim::accel
