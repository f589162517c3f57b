// SPDX-License-Identifier: Apache-2.0
// The cycles in which a unit is busy, as intervals that are known ahead of time. Keeps only those that a
// question about the present can still meet.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/cycle/time.h"

namespace cosim::sim {

class BusyTimeline {
 public:
  /// The unit is busy in [begin, end). `begin` never decreases from call to call; `now` neither. Overlaps
  /// count once.
  void Add(Cycle now, Cycle begin, Cycle end) {
    begin = std::max(begin, end_);
    if (begin >= end) return;
    total_ += end - begin;
    if (begin == end_ && head_ < ahead_.size()) {
      ahead_.back().end = end;
    } else {
      Drop(now);
      ahead_.push_back({begin, end});
    }
    end_ = end;
  }

  /// Busy cycles in [0, now).
  Cycle Before(Cycle now) {
    Drop(now);
    Cycle sum = past_;
    for (size_t i = head_; i < ahead_.size() && ahead_[i].begin < now; ++i) {
      sum += std::min(ahead_[i].end, now) - ahead_[i].begin;
    }
    return sum;
  }
  bool At(Cycle now) {
    Drop(now);
    return head_ < ahead_.size() && ahead_[head_].begin <= now;
  }
  Cycle total() const { return total_; }

 private:
  struct Interval {
    Cycle begin, end;
  };
  /// Moves intervals that ended by `now` from the list into a sum.
  void Drop(Cycle now) {
    while (head_ < ahead_.size() && ahead_[head_].end <= now) {
      past_ += ahead_[head_].end - ahead_[head_].begin;
      ++head_;
    }
    if (head_ == ahead_.size() || head_ >= kCompactAt) {
      ahead_.erase(ahead_.begin(), ahead_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
  }

  static constexpr size_t kCompactAt = 64;
  std::vector<Interval> ahead_;  ///< from head_ on: disjoint, ascending
  size_t head_ = 0;
  Cycle past_ = 0, total_ = 0, end_ = 0;
};

}  // namespace cosim::sim
