// SPDX-License-Identifier: Apache-2.0
// The cycles in which a unit is busy, as intervals that are known ahead of time. Keeps only those that a
// question about the present can still meet.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/cycle/activity.h"
#include "sim/cycle/time.h"

namespace cosim::sim {

class BusyTimeline {
 public:
  /// Puts every interval on this list too, the newest when the run has ended (Flush).
  void Record(std::vector<Activity>* list) { list_ = list; }
  void Flush() {
    if (list_ != nullptr && last_.begin < last_.end) Keep();
  }

  /// The unit is busy in [begin, end). `begin` never decreases from call to call; `now` neither. Overlaps
  /// count once.
  void Add(Cycle now, Cycle begin, Cycle end) {
    if (begin <= last_.end) {
      last_.end = std::max(last_.end, end);
    } else if (begin < end) {
      Close(now);
      last_ = {begin, end};
    }
  }

  /// Busy cycles in [0, now).
  Cycle Before(Cycle now) {
    Drop(now);
    Cycle sum = past_ + last_.Before(now);
    for (size_t i = head_; i < ahead_.size(); ++i) sum += ahead_[i].Before(now);
    return sum;
  }
  bool At(Cycle now) {
    Drop(now);
    return (head_ < ahead_.size() && ahead_[head_].begin <= now) || (last_.begin <= now && now < last_.end);
  }
  Cycle total() const { return closed_ + last_.end - last_.begin; }

 private:
  struct Interval {
    Cycle begin, end;
    Cycle Before(Cycle now) const { return std::max<Cycle>(0, std::min(end, now) - begin); }
  };
  /// Puts the last interval on the list: another one begins. Rare, so kept out of Add's way.
  [[gnu::noinline]] void Close(Cycle now) {
    closed_ += last_.end - last_.begin;
    if (list_ != nullptr && last_.begin < last_.end) Keep();
    Drop(now);
    ahead_.push_back(last_);
  }
  void Keep() { list_->push_back({Activity::Kind::kBusy, -1, last_.begin, last_.end}); }
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
  Interval last_ = {0, 0};       ///< the newest one, which may still grow
  std::vector<Interval> ahead_;  ///< those before it, from head_ on: disjoint, ascending
  size_t head_ = 0;
  Cycle past_ = 0;    ///< busy cycles of intervals dropped
  Cycle closed_ = 0;  ///< … of all but the last
  std::vector<Activity>* list_ = nullptr;
};

}  // namespace cosim::sim
