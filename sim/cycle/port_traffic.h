// SPDX-License-Identifier: Apache-2.0
// Beats that crossed one side of a memory port, by windows of time. Windows double as a run grows, so that
// there are never more than a picture has use for; no beat is lost.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/cycle/time.h"

namespace cosim::sim {

class PortTraffic {
 public:
  static constexpr Cycle kFirstWindow = 64;
  static constexpr Cycle kMostWindows = 8192;

  /// `beats` beats, one a cycle from `first` on.
  void Add(Cycle first, Cycle beats) {
    while (first + beats > window_ * kMostWindows) Double();
    const auto windows = static_cast<size_t>((first + beats + window_ - 1) / window_);
    if (beats_.size() < windows) beats_.resize(windows);
    while (beats > 0) {
      const Cycle here = std::min(beats, window_ - first % window_);
      beats_[static_cast<size_t>(first / window_)] += here;
      first += here;
      beats -= here;
    }
  }

  /// Cycles of a window.
  Cycle window() const { return window_; }
  /// Beats in each, from cycle 0 on; behind the last there are none.
  const std::vector<Cycle>& beats() const { return beats_; }

 private:
  void Double() {
    for (size_t i = 0; i < beats_.size(); ++i) {
      const Cycle beats = beats_[i];
      beats_[i] = 0;
      beats_[i / 2] += beats;
    }
    beats_.resize((beats_.size() + 1) / 2);
    window_ *= 2;
  }

  Cycle window_ = kFirstWindow;
  std::vector<Cycle> beats_;
};

}  // namespace cosim::sim
