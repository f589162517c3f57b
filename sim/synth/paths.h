// SPDX-License-Identifier: Apache-2.0
// Longest paths between registers, over the borders of modules.
#pragma once

#include <vector>

#include "sim/synth/flat_design.h"

namespace cosim::synth {

struct PathEnd {
  int levels = 0;  ///< on the longest path to an input of the cell where paths end
  int start = -1;  ///< the cell where it starts; -1: an input of the design, or no path
};

/// For each cell of the design. A loop without a register is a bug.
std::vector<PathEnd> LongestPaths(const FlatDesign& design);

}  // namespace cosim::synth
