// SPDX-License-Identifier: Apache-2.0
// The storing half of a unit (rule U5): the bursts of the instruction that presents, and the retirements of
// those in flight, which become known as responses do.
#pragma once

#include <algorithm>
#include <deque>

#include "isa/program/decode.h"
#include "isa/spec/spec.h"
#include "sim/cycle/row_walk.h"
#include "sim/cycle/time.h"

namespace cosim::sim {

class StoreStream {
 public:
  StoreStream(const isa::Spec& spec, const isa::Unit& unit) : spec_(&spec), latency_(unit.latency) {}

  /// A store issued in cycle `now`, or a sync when `transfer` is null.
  void Start(Cycle now, const isa::Transfer* transfer) {
    if (transfer != nullptr) walk_.Start(*spec_, *transfer);
    in_flight_.push_back({now + 1 + latency_, 0, walk_.Done()});
  }
  bool HasBurst() const { return !walk_.Done(); }
  const Burst& burst() const { return walk_.burst(); }
  /// Cycles the burst takes of the data channel: a beat or an element a cycle.
  Cycle BurstCycles() const { return walk_.CyclesOfBurst(); }
  void Accepted() {
    walk_.Advance();
    ++in_flight_.back().responses_missing;
    in_flight_.back().all_accepted = walk_.Done();
  }
  void Responded(Cycle response) {
    Entry& entry = in_flight_.front();
    --entry.responses_missing;
    entry.retire = response + 1;
  }

  /// Whether the retirement of the oldest instruction in flight is known.
  bool Resolved() const {
    return !in_flight_.empty() && in_flight_.front().all_accepted &&
           in_flight_.front().responses_missing == 0;
  }
  /// Takes it out: the cycle in which it retires.
  Cycle Retire() {
    last_retire_ = std::max(in_flight_.front().retire, last_retire_ + 1);
    in_flight_.pop_front();
    return last_retire_;
  }

 private:
  struct Entry {
    Cycle retire;  ///< as known so far
    int responses_missing;
    bool all_accepted;
  };
  const isa::Spec* spec_;
  Cycle latency_;
  RowWalk walk_;
  std::deque<Entry> in_flight_;
  Cycle last_retire_ = -1;
};

}  // namespace cosim::sim
