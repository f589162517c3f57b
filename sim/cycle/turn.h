// SPDX-License-Identifier: Apache-2.0
// The requests at a port and whose turn it is (rule M2): round robin, the first one present after the one
// served last.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/cycle/time.h"
#include "sim/dram/memory_timing.h"

namespace cosim::sim {

class Turn {
 public:
  explicit Turn(size_t requesters) : requests_(requesters), last_(requesters - 1) {}

  /// `requester`, which has no request, presents `burst` from cycle `presented` on.
  void Present(size_t requester, Cycle presented, const Burst& burst) {
    requests_[requester] = {presented, burst};
    earliest_ = std::min(earliest_, presented);
  }
  /// The first cycle in which any request is present.
  Cycle Earliest() const { return earliest_; }
  /// Takes out the request whose turn it is in cycle `now`; one is present. Calls `lost` for every other one
  /// present.
  template <typename Lost>
  size_t Serve(Cycle now, Burst& burst, Lost lost) {
    size_t winner = last_;
    do {
      winner = winner + 1 == requests_.size() ? 0 : winner + 1;
    } while (requests_[winner].presented > now);
    burst = requests_[winner].burst;
    requests_[winner].presented = kNever;
    last_ = winner;
    earliest_ = kNever;
    for (size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i].presented <= now) lost(i);
      earliest_ = std::min(earliest_, requests_[i].presented);
    }
    return winner;
  }

 private:
  struct Request {
    Cycle presented = kNever;
    Burst burst;
  };
  std::vector<Request> requests_;
  size_t last_;
  Cycle earliest_ = kNever;
};

}  // namespace cosim::sim
