// SPDX-License-Identifier: Apache-2.0
// Which combinations of values a plan takes: all of them, or a number of them by a seed. The same seed gives
// the same ones on every machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/explore/axis.h"

namespace cosim::explore {

enum class Sampling {
  kGrid,    ///< all combinations; the last axis changes fastest
  kRandom,  ///< each value of each point by itself
  kLatin,   ///< Latin hypercube: of `points` equal parts of each axis, each has one point
};

/// One value an axis, in the order of the axes.
using Sample = std::vector<std::string>;

/// How many a grid has; at most `most` + 1, which stands for all that are more. Ranges count as none.
int64_t GridSize(const std::vector<Axis>& axes, int64_t most);

/// `points` and `seed` are not looked at for a grid, whose axes have no ranges. Without axes there is one
/// sample, which is empty.
std::vector<Sample> SamplesOf(const std::vector<Axis>& axes, Sampling sampling, int64_t points,
                              uint64_t seed);

}  // namespace cosim::explore
