// SPDX-License-Identifier: Apache-2.0
// The reading half of a memory port (rule M2): who is accepted when, and when the data come. Requester 0 is
// fetch, requester 1 + u unit u.
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

class ReadPort {
 public:
  ReadPort(const isa::MemorySystem& system, int port, size_t requesters, MemoryTiming* memory)
      : port_(port),
        memory_(memory),
        built_in_(dynamic_cast<BuiltInMemory*>(memory)),
        turn_(requesters),
        in_flight_(static_cast<size_t>(system.outstanding)) {}

  void Present(size_t requester, Cycle presented, const Burst& burst) {
    turn_.Present(requester, presented, burst);
  }
  /// The cycle of the next acceptance, by what is presented so far.
  Cycle NextTime() const { return std::max(turn_.Earliest(), free_); }

  /// No acceptance before this cycle, whoever asks.
  Cycle free() const { return free_; }
  /// The first cycle in which any request is present.
  Cycle Earliest() const { return turn_.Earliest(); }

  struct Served {
    size_t requester;
    Burst burst;
  };
  /// Takes out the burst whose turn it is in cycle `now`, which is NextTime(); Accept follows.
  template <typename Lost>
  Served Serve(Cycle now, Lost lost) {
    Served served;
    served.requester = turn_.Serve(now, served.burst, lost);
    return served;
  }
  /// Accepts a burst that was served, or whose requester is the only one present, in cycle `now` >= free():
  /// when its first beat arrives.
  Cycle Accept(Cycle now, const Burst& burst) {
    const Cycle first = FirstBeat(now, burst);
    last_beat_ = first + burst.beats - 1;
    beats_ += static_cast<uint64_t>(burst.beats);
    if (traffic_) traffic_->Add(first, burst.beats);
    if (in_flight_.size() == in_flight_.capacity()) in_flight_.pop();
    in_flight_.push(last_beat_);
    free_ = now + 1;
    if (in_flight_.size() == in_flight_.capacity()) free_ = std::max(free_, in_flight_.front() + 1);
    return first;
  }
  uint64_t beats() const { return beats_; }

  /// From now on, keeps when beats crossed the port.
  void KeepTraffic() { traffic_.emplace(); }
  const std::optional<PortTraffic>& traffic() const { return traffic_; }

 private:
  Cycle FirstBeat(Cycle now, const Burst& burst) {
    if (built_in_ != nullptr) return built_in_->ReadFirstBeat(port_, now, burst);
    const Cycle first = memory_->ReadFirstBeat(port_, now, burst);
    COSIM_CHECK(first >= now && first > last_beat_, "the memory model answers out of order");
    return first;
  }

  int port_;
  MemoryTiming* memory_;
  BuiltInMemory* built_in_;  ///< the same, if it is one: most bursts ask nobody else
  Turn turn_;
  Ring<Cycle> in_flight_;  ///< the last beats of the newest `outstanding` bursts
  Cycle free_ = 0;         ///< no acceptance before
  Cycle last_beat_ = -1;
  uint64_t beats_ = 0;
  std::optional<PortTraffic> traffic_;
};

}  // namespace cosim::sim
