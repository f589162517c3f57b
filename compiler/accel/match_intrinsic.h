// SPDX-License-Identifier: Apache-2.0
// Recognizes a nest's store as a tensor intrinsic of the spec, by the intrinsic's index expression alone.
#pragma once

#include <optional>
#include <vector>

#include "compiler/accel/ir.h"
#include "compiler/accel/linear_access.h"

namespace cosim::accel {

struct IntrinsicMatch {
  int format = -1;
  ElementAccess dst;
  std::vector<ElementAccess> sources;  ///< as Intrinsic::sources
  std::vector<tir::Var> axes;  ///< loops the intrinsic swallows; null for an axis of extent 1 without a loop
};

/// `store` at the bottom of `nest`: dst[i] = dst[i] + product of (widened) loads.
std::optional<IntrinsicMatch> MatchIntrinsic(const isa::Spec& spec, const std::vector<NestLoop>& nest,
                                             const tir::Store& store);

}  // namespace cosim::accel
