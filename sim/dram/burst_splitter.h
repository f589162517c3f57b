// SPDX-License-Identifier: Apache-2.0
// Rule M1 of docs/rationale/microarchitecture.md: how one row of bytes is cut into bursts. Rows of a transfer
// are its user's business.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "sim/dram/memory_timing.h"

namespace cosim::sim {

/// Cuts the bytes [begin, end) into bursts of whole beats: at most `burst_beats` each, none across a 4 KiB
/// boundary. `beat_bytes` is a power of two of at most 4096.
class BurstSplitter {
 public:
  BurstSplitter() = default;
  BurstSplitter(uint64_t begin, uint64_t end, int beat_bytes, int burst_beats)
      : next_(begin & ~(static_cast<uint64_t>(beat_bytes) - 1)),
        end_((end + static_cast<uint64_t>(beat_bytes) - 1) & ~(static_cast<uint64_t>(beat_bytes) - 1)),
        beat_shift_(std::countr_zero(static_cast<uint64_t>(beat_bytes))),
        burst_bytes_(static_cast<uint64_t>(beat_bytes) * static_cast<uint64_t>(burst_beats)) {
    if (begin >= end) next_ = end_;
  }

  bool Done() const { return next_ == end_; }

  /// The next burst; only when not Done().
  Burst Next() {
    const uint64_t page_end = (next_ | (kPageBytes - 1)) + 1;
    const uint64_t stop = std::min({next_ + burst_bytes_, end_, page_end});
    const Burst burst{next_, static_cast<int>((stop - next_) >> beat_shift_)};
    next_ = stop;
    return burst;
  }

 private:
  static constexpr uint64_t kPageBytes = 4096;
  uint64_t next_ = 0, end_ = 0;
  int beat_shift_ = 0;
  uint64_t burst_bytes_ = 1;
};

}  // namespace cosim::sim
