// SPDX-License-Identifier: Apache-2.0
// A kernel as the sequence of what it does: its leaves, each at every iteration of the loops around it.
#pragma once

#include <vector>

#include "compiler/accel/affine.h"
#include "compiler/accel/ir.h"

namespace cosim::accel {

/// A leaf (no Loop, no Guard) with the values of the loops around it. Refers to its kernel.
struct LeafRun {
  const Node* leaf = nullptr;
  Environment env;
};

std::vector<LeafRun> LeafRuns(const Kernel& kernel);

}  // namespace cosim::accel
