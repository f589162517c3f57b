// SPDX-License-Identifier: Apache-2.0
// Region inference: which box of its tensor each stage has to compute, seen from inside the loop it is
// attached to. Consumers are worked out before their producers.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/te/loops.h"
#include "compiler/te/schedule.h"
#include "compiler/tir/ir.h"

namespace cosim::te {

/// A stage with everything lowering needs to know of it.
struct BoundStage {
  const Stage* stage = nullptr;
  Body body;                              // inlined stages substituted
  BoundStage* parent = nullptr;           // the stage whose loop this one is computed in; null at the root
  size_t depth = 0;                       // how many of the parent's loops are around it
  std::vector<tir::Expr> origin, extent;  // the box, one each for every dimension
  StageLoops loops;
  /// Where the buffer begins: at the origin, or before it, with what the round before has left.
  std::vector<tir::Expr> begin;
  /// How many of the dimension that the stage slides along are left for the next round, and where that one's
  /// buffer begins.
  tir::Expr left, next_begin;
  /// The output itself, or a buffer for the box, indexed relative to the origin.
  tir::Buffer buffer;
};

/// The stages that are computed (inlined and unread ones left out), producers first.
std::vector<std::unique_ptr<BoundStage>> InferRegions(const Schedule& schedule);

/// The loops around the first `depth` loops of `stage`, and these.
Scope ScopeInside(const BoundStage& stage, size_t depth);

}  // namespace cosim::te
