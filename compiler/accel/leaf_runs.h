// SPDX-License-Identifier: Apache-2.0
// A kernel as the sequence of what it does: its leaves, each at every iteration of the loops around it.
#pragma once

#include <functional>
#include <vector>

#include "compiler/accel/affine.h"
#include "compiler/accel/ir.h"

namespace cosim::accel {

/// Gets a leaf (no Loop, no Guard) with the values of the loops around it; false: no more of them.
using LeafVisitor = std::function<bool(const Node& leaf, const Environment& env)>;

void VisitLeaves(const Kernel& kernel, const LeafVisitor& visit);

/// What a visitor gets, kept. Refers to its kernel.
struct LeafRun {
  const Node* leaf = nullptr;
  Environment env;
};

std::vector<LeafRun> LeafRuns(const Kernel& kernel);

}  // namespace cosim::accel
