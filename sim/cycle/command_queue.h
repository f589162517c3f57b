// SPDX-License-Identifier: Apache-2.0
// The queue of instructions between fetch and a unit (rule F3).
#pragma once

#include "sim/cycle/ring.h"
#include "sim/cycle/time.h"

namespace cosim::sim {

class CommandQueue {
 public:
  explicit CommandQueue(int capacity) : entries_(static_cast<size_t>(capacity)) {}

  /// The first cycle from `now` on with room, as far as is known: now, now + 1 or kNever.
  Cycle RoomTime(Cycle now) const {
    const size_t free = entries_.capacity() - entries_.size();
    if (last_issue_ != now) return free > 0 ? now : kNever;
    return free > 1 ? now : now + 1;  // the room of an instruction issued in this cycle is there in the next
  }
  void Dispatch(Cycle now, size_t instruction) { entries_.push({instruction, now + 1}); }

  bool Empty() const { return entries_.empty(); }
  size_t Head() const { return entries_.front().instruction; }
  /// The cycle from which the head stands at the unit.
  Cycle HeadTime() const { return entries_.front().stands; }
  void Issue(Cycle now) {
    entries_.pop();
    last_issue_ = now;
  }

 private:
  struct Entry {
    size_t instruction = 0;
    Cycle stands = 0;
  };
  Ring<Entry> entries_;
  Cycle last_issue_ = -1;
};

}  // namespace cosim::sim
