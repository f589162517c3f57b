// SPDX-License-Identifier: Apache-2.0
// How values that a network computes are compared with the golden model's.
//
// Integers that only integers went into are equal to the bit, and so are floats that were only moved,
// compared, rectified, or added or multiplied in pairs. All other floats have rounding errors, in the network
// and in the golden model: both add in an order of their own, and may keep sums in float32 or float64. A
// value is right when it differs from golden by at most
//
//   16 u sqrt(n) max(|golden|, r)
//
// where u is 2^-24 (for float16, whose steps are coarser, 2^-10 is added to the factor), n the number of
// roundings on the longest way from an input, and r the root of the mean square of the golden tensor: errors
// of sums are relative to their terms, which are as large as other results. A sum of k products counts as k
// roundings, any other operation as 16: roundings are independent of each other, so that their errors grow
// with the root of their number. NaN equals NaN, an infinity itself.
//
// Convolutions of C channels by 3x3 that are computed by transformed tiles
// (compiler/schedules/cpu/winograd.h) keep to this, with no allowance of their own. They add C products for
// each point of a tile, whose errors, relative to a result, the transform back to results makes larger by the
// root of at most 52 (F(4, 3); 2.8 for F(2, 3); Amplification in winograd_transforms.h). A rounding's mean
// square is at most u^2 / 3, and half of a sum's roundings are of sums as large as its last; with the 15
// roundings of the transforms and of weights the error's root of the mean square is u sqrt(52 (C / 6 + 5)).
// Allowed are 16 u sqrt(9 C), which is 7 times as much at 8 channels, the fewest that are transformed, and 13
// times at 64.
//
// An integer that was rounded from such floats may come out a step away, and what depends on it then differs
// by more than a rounding. In tensors with such integers on the way to them, one value in 1,000 may differ.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compiler/graph/graph.h"

namespace cosim::golden {

struct Tolerance {
  double relative = 0;   ///< the factor; 0: equal to the bit
  bool rounded = false;  ///< one value in 1,000 may differ
};

/// By ValueId.
std::vector<Tolerance> TolerancesOf(const graph::Graph& graph);

/// How many of the values in `bytes`, an array of that type, are wrong.
int64_t CountMismatches(graph::DType dtype, const Tolerance& tolerance, std::span<const uint8_t> bytes,
                        std::span<const uint8_t> golden);

}  // namespace cosim::golden
