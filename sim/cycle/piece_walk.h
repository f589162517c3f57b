// SPDX-License-Identifier: Apache-2.0
// The cycles that the writer takes for the rows of a load that gathers pieces (rule U4), in closed form. The
// bursts they come in are row_walk.h's.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "isa/program/decode.h"

namespace cosim::sim {

/// An element takes a cycle for each beat up to its last byte's that was not taken before, and at least one.
/// Where the elements' ends are a beat or more apart, that is one for each beat of the row; where they are
/// closer, one for each element behind the first.
class PieceWalk {
 public:
  PieceWalk() = default;
  PieceWalk(const isa::Transfer& transfer, int beat_bytes)
      : beat_(beat_bytes),
        step_(transfer.piece_step),
        cols_(transfer.cols),
        last_byte_(std::max<int64_t>(0, transfer.piece_bytes - 1)),
        beat_shift_(std::countr_zero(static_cast<uint64_t>(beat_))) {}

  /// The row begins with byte `address`.
  void StartRow(uint64_t address) {
    const uint64_t first = address & static_cast<uint64_t>(beat_ - 1);
    row_ = address - first;
    end_ = static_cast<int64_t>(first) + last_byte_;
  }
  /// Which of the row's beats begins with byte `address`.
  int64_t Beat(uint64_t address) const { return static_cast<int64_t>((address - row_) >> beat_shift_); }

  /// Cycles of the row before the one in which beat number `beat` of it is taken.
  int64_t Before(int64_t beat) const {
    const int64_t first_element = end_ >> beat_shift_;
    if (step_ >= beat_ || beat <= first_element || step_ == 0) return beat;
    return first_element + ((beat << beat_shift_) - end_ + step_ - 1) / step_;
  }
  /// All cycles of the row.
  int64_t All() const {
    if (step_ >= beat_) return ((end_ + (cols_ - 1) * step_) >> beat_shift_) + 1;
    return (end_ >> beat_shift_) + cols_;
  }

 private:
  int64_t beat_ = 1, step_ = 0, cols_ = 0;
  int64_t last_byte_ = 0;  ///< of a piece
  int beat_shift_ = 0;
  uint64_t row_ = 0;  ///< address of the row's first beat
  int64_t end_ = 0;   ///< last byte of the row's first element, from there on
};

}  // namespace cosim::sim
