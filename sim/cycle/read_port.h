// SPDX-License-Identifier: Apache-2.0
// The read port (rule M2): who is accepted when, and when the data come. Requester 0 is fetch, requester 1 +
// u unit u.
#pragma once

#include <algorithm>

#include "isa/check.h"
#include "isa/spec.h"
#include "sim/cycle/ring.h"
#include "sim/cycle/time.h"
#include "sim/cycle/turn.h"
#include "sim/dram/memory_timing.h"

namespace cosim::sim {

class ReadPort {
 public:
  ReadPort(const isa::MemorySystem& system, size_t requesters, MemoryTiming* memory)
      : memory_(memory), turn_(requesters), in_flight_(static_cast<size_t>(system.outstanding)) {}

  void Present(size_t requester, Cycle presented, const Burst& burst) {
    turn_.Present(requester, presented, burst);
  }
  /// The cycle of the next acceptance, by what is presented so far.
  Cycle NextTime() const { return std::max(turn_.Earliest(), free_); }

  struct Accepted {
    size_t requester;
    Cycle first_beat;
  };
  /// Accepts a burst in cycle `now`, which is NextTime().
  template <typename Lost>
  Accepted Accept(Cycle now, Lost lost) {
    Burst burst;
    const size_t requester = turn_.Serve(now, burst, lost);
    const Cycle first = memory_->ReadFirstBeat(now, burst);
    COSIM_CHECK(first >= now && first > last_beat_, "the memory model answers out of order");
    last_beat_ = first + burst.beats - 1;
    beats_ += static_cast<uint64_t>(burst.beats);
    if (in_flight_.size() == in_flight_.capacity()) in_flight_.pop();
    in_flight_.push(last_beat_);
    free_ = now + 1;
    if (in_flight_.size() == in_flight_.capacity()) free_ = std::max(free_, in_flight_.front() + 1);
    return {requester, first};
  }
  uint64_t beats() const { return beats_; }

 private:
  MemoryTiming* memory_;
  Turn turn_;
  Ring<Cycle> in_flight_;  ///< the last beats of the newest `outstanding` bursts
  Cycle free_ = 0;         ///< no acceptance before
  Cycle last_beat_ = -1;
  uint64_t beats_ = 0;
};

}  // namespace cosim::sim
