// SPDX-License-Identifier: Apache-2.0
// The fetch unit (rules F1 to F3): which bursts it presents and when each word may be dispatched. Command
// queues and the read port are the simulation's business.
#pragma once

#include <algorithm>
#include <vector>

#include "isa/spec/spec.h"
#include "sim/cycle/time.h"
#include "sim/dram/burst_splitter.h"

namespace cosim::sim {

class Fetch {
 public:
  Fetch(const isa::Spec& spec, size_t words, uint64_t code_address)
      : word_bytes_(static_cast<uint64_t>(spec.word_bytes())),
        beat_bytes_(static_cast<uint64_t>(spec.dram.beat_bytes())),
        code_address_(code_address),
        bursts_(code_address, code_address + words * word_bytes_, spec.dram.beat_bytes(), LongestBurst(spec)),
        room_(static_cast<size_t>(spec.fetch_words)),
        arrivals_(words) {
    Advance();
  }

  /// Presents the next burst from `time` on if there is one, none is presented and the buffer has room for
  /// its words.
  bool TryPresent() {
    if (presented_ || !has_burst_ || room_ < burst_words_) return false;
    room_ -= burst_words_;
    presented_ = true;
    return true;
  }
  const Burst& burst() const { return burst_; }

  /// The presented burst was accepted; its first beat arrives in cycle `first_beat`.
  void Accepted(Cycle first_beat) {
    const uint64_t begin = burst_.address - code_address_;
    for (size_t i = 0; i < burst_words_; ++i, ++known_) {
      const uint64_t last_byte = (known_ + 1) * word_bytes_ - 1;
      arrivals_[known_] = first_beat + static_cast<Cycle>((last_byte - begin) / beat_bytes_);
    }
    presented_ = false;
    Advance();
  }

  bool AllDispatched() const { return next_ == arrivals_.size(); }
  /// The word that is dispatched next.
  size_t NextWord() const { return next_; }
  /// The first cycle in which it can be dispatched, its queue having room; kNever when its burst is not
  /// accepted yet.
  Cycle NextTime() const { return next_ < known_ ? std::max(arrivals_[next_], last_dispatch_) + 1 : kNever; }
  void Dispatch(Cycle now) {
    ++next_;
    ++room_;
    last_dispatch_ = now;
  }

  /// Whether a burst waits for room that no dispatch can give.
  bool Starved() const { return has_burst_ && !presented_ && next_ == known_; }

 private:
  static int LongestBurst(const isa::Spec& spec) {
    const int beats = spec.fetch_words / 2 * spec.word_bytes() / spec.dram.beat_bytes();
    return std::max(1, std::min(spec.dram.burst_beats, beats));
  }
  void Advance() {
    has_burst_ = !bursts_.Done();
    if (!has_burst_) return;
    burst_ = bursts_.Next();
    const uint64_t end = burst_.address + static_cast<uint64_t>(burst_.beats) * beat_bytes_ - code_address_;
    burst_words_ = std::min<size_t>(end / word_bytes_, arrivals_.size()) - known_;
  }

  uint64_t word_bytes_, beat_bytes_, code_address_;
  BurstSplitter bursts_;
  Burst burst_;             ///< presented, or to be presented next
  size_t burst_words_ = 0;  ///< words that it completes
  bool has_burst_ = false, presented_ = false;
  size_t room_;                  ///< words
  std::vector<Cycle> arrivals_;  ///< of each word, the cycle of its last beat
  size_t known_ = 0;             ///< words whose arrival is known
  size_t next_ = 0;
  Cycle last_dispatch_ = -1;
};

}  // namespace cosim::sim
