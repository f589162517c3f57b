// SPDX-License-Identifier: Apache-2.0
// The order in which two kernels are written at once, of which the second reads what the first writes: while
// one waits for memory, the other computes. In rounds, each of which ends with a kernel's stores: a round of
// the second kernel comes when all that it reads has been stored, and a round's time before.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cosim::accel {

/// What one of a kernel's leaves moves, in the order in which it would be written alone.
struct LeafTraffic {
  struct Range {
    uint64_t begin = 0, end = 0;  ///< bytes of DRAM
  };
  bool is_store = false;
  std::vector<Range> ranges;  ///< none: it computes
};

/// Leaves [begin, end) of a kernel.
struct Turn {
  int kernel = 0;
  size_t begin = 0, end = 0;
};

/// What a turn is.
enum class TurnSize {
  kRound,  ///< a round: its loads stand behind the other's, and its work beside the other's next loads
  kLeaf,   ///< a leaf: rounds of the second are spread over the leaves of a round of the first
};

/// All leaves of both, each kernel's in its order. A leaf of the second stands behind every store of the
/// first that it reads; the rounds of the second are spread over those of the first.
std::vector<Turn> TakeTurns(std::span<const LeafTraffic> first, std::span<const LeafTraffic> second,
                            TurnSize size);

}  // namespace cosim::accel
