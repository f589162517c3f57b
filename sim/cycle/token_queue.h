// SPDX-License-Identifier: Apache-2.0
// A queue of dependency tokens (rules I1 and I3): places are taken when the producer issues, tokens appear
// the cycle after it retired, places come back the cycle after the consumer popped.
#pragma once

#include "sim/cycle/ring.h"
#include "sim/cycle/time.h"

namespace cosim::sim {

class TokenQueue {
 public:
  explicit TokenQueue(int capacity) : visible_(static_cast<size_t>(capacity)) {}

  /// The first cycle from `now` on with a free place, as far as is known: now, now + 1 or kNever.
  Cycle PlaceTime(Cycle now) const {
    const size_t free = visible_.capacity() - taken_;
    if (last_pop_ != now) return free > 0 ? now : kNever;
    return free > 1 ? now : now + 1;  // the place popped in this cycle is free in the next
  }
  void TakePlace() { ++taken_; }

  /// The cycle from which the oldest token is there; kNever when its push is not known yet.
  Cycle TokenTime() const { return visible_.empty() ? kNever : visible_.front(); }
  void Pop(Cycle now) {
    visible_.pop();
    --taken_;
    last_pop_ = now;
  }

  /// The producer's next push will be seen from `visible` on. Pushes come in order.
  void Push(Cycle visible) { visible_.push(visible); }

 private:
  Ring<Cycle> visible_;  ///< of each token not popped whose push is known, the cycle from which it is there
  size_t taken_ = 0;
  Cycle last_pop_ = -1;
};

}  // namespace cosim::sim
