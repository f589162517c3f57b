// SPDX-License-Identifier: Apache-2.0
// Inlining: reads of stages scheduled with ComputeInline become their expressions.
#pragma once

#include <vector>

#include "compiler/te/schedule.h"

namespace cosim::te {

/// The bodies of `stages` (producers first), in their order, with no read of an inlined stage left in any.
std::vector<Body> InlineBodies(const std::vector<const Stage*>& stages);

}  // namespace cosim::te
