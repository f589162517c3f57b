// SPDX-License-Identifier: Apache-2.0
// Recognizes a nest's store as a tensor intrinsic of the spec: by its index expression, and by what it
// computes to the bit. Types count: an operand's lanes hold what its buffer holds, and casts and products
// between them lose nothing that the sum keeps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/accel/ir.h"
#include "compiler/accel/linear_access.h"

namespace cosim::accel {

struct IntrinsicMatch {
  int format = -1;
  ElementAccess dst;
  std::vector<ElementAccess> sources;  ///< as Intrinsic::sources
  int64_t pitch = 0;           ///< elements from one row of a source to the next, where a point reads several
  std::vector<tir::Var> axes;  ///< loops the intrinsic swallows; null for an axis of extent 1 without a loop
};

/// `store` at the bottom of `nest`: dst[i] = dst[i] + product of (cast) loads. Of several instructions the
/// first. Nothing matches: `why` says what keeps the nearest instruction, the one with these memories, from
/// it.
std::optional<IntrinsicMatch> MatchIntrinsic(const isa::Spec& spec, const std::vector<NestLoop>& nest,
                                             const tir::Store& store, std::string& why);

}  // namespace cosim::accel
