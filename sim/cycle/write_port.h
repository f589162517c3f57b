// SPDX-License-Identifier: Apache-2.0
// The writing half of a memory port (rules M4 and U5): who is accepted when, when the data leave, when the
// responses come.
// Requester u is unit u.
#pragma once

#include <algorithm>
#include <optional>

#include "isa/check.h"
#include "isa/spec/spec.h"
#include "sim/cycle/port_traffic.h"
#include "sim/cycle/ring.h"
#include "sim/cycle/time.h"
#include "sim/cycle/turn.h"
#include "sim/dram/memory_timing.h"

namespace cosim::sim {

class WritePort {
 public:
  WritePort(const isa::MemorySystem& system, int port, size_t requesters, MemoryTiming* memory)
      : port_(port),
        memory_(memory),
        turn_(requesters),
        leaving_(static_cast<size_t>(system.outstanding)),
        responses_(static_cast<size_t>(system.outstanding)) {}

  void Present(size_t requester, Cycle presented, const Burst& burst) {
    turn_.Present(requester, presented, burst);
  }
  /// The cycle of the next acceptance, as far as is known.
  Cycle NextTime() const {
    if (leaving_.size() == leaving_.capacity()) return kNever;
    Cycle free = last_accept_ + 1;
    if (leaving_.size() + responses_.size() == leaving_.capacity()) {
      free = std::max(free, responses_.front() + 1);
    }
    return std::max(turn_.Earliest(), free);
  }

  struct Accepted {
    size_t requester;
    Cycle first, end;  ///< the burst takes the data channel in [first, end)
  };
  /// Accepts a burst in cycle `now`, which is NextTime(). `latency(requester)` is that of the requester's
  /// unit, `cycles(requester)` what its burst takes of the data channel.
  template <typename Latency, typename Cycles, typename Lost>
  Accepted Accept(Cycle now, Latency latency, Cycles cycles, Lost lost) {
    Burst burst;
    const size_t requester = turn_.Serve(now, burst, lost);
    const Cycle first = std::max(now + latency(requester), data_end_);
    data_end_ = first + cycles(requester);
    beats_ += static_cast<uint64_t>(burst.beats);
    if (traffic_) traffic_->Add(data_end_ - burst.beats, burst.beats);
    if (leaving_.size() + responses_.size() == leaving_.capacity()) responses_.pop();
    leaving_.push({requester, burst, data_end_ - 1});
    last_accept_ = now;
    return {requester, first, data_end_};
  }

  /// The cycle in which the memory is asked about the oldest burst: after its last beat has left.
  Cycle NextQuestion() const { return leaving_.empty() ? kNever : leaving_.front().last_beat + 1; }
  struct Response {
    size_t requester;
    Cycle time;
  };
  /// Asks, in cycle NextQuestion().
  Response Ask() {
    const Leaving burst = leaving_.front();
    leaving_.pop();
    const Cycle response = memory_->WriteResponse(port_, burst.last_beat, burst.burst);
    COSIM_CHECK(response >= burst.last_beat && response > last_response_,
                "the memory model answers out of order");
    last_response_ = response;
    responses_.push(response);
    return {burst.requester, response};
  }
  uint64_t beats() const { return beats_; }

  /// From now on, keeps when beats crossed the port; those of a burst in the last cycles that it takes.
  void KeepTraffic() { traffic_.emplace(); }
  const std::optional<PortTraffic>& traffic() const { return traffic_; }

 private:
  struct Leaving {
    size_t requester = 0;
    Burst burst;
    Cycle last_beat = 0;
  };
  int port_;
  MemoryTiming* memory_;
  Turn turn_;
  Ring<Leaving> leaving_;  ///< accepted, the last beat has not left
  Ring<Cycle>
      responses_;  ///< of the bursts after these; leaving_ and responses_ hold at most `outstanding` together
  Cycle last_accept_ = -1, data_end_ = 0, last_response_ = -1;
  uint64_t beats_ = 0;
  std::optional<PortTraffic> traffic_;
};

}  // namespace cosim::sim
