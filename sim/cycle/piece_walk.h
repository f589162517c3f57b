// SPDX-License-Identifier: Apache-2.0
// The beats that the writer takes for the rows of a load that gathers pieces (rule U4), in closed form. The
// bursts they come in are row_walk.h's.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "isa/program/decode.h"

namespace cosim::sim {

/// An element whose first byte stands at place r of its beat takes (r + cover_) / beat cycles: the beats it
/// touches, or those up to the next element's first if they are more. Places repeat after `1 <<
/// period_shift_` elements.
class PieceWalk {
 public:
  PieceWalk() = default;
  PieceWalk(const isa::Transfer& transfer, int beat_bytes)
      : beat_(beat_bytes),
        step_(transfer.piece_step),
        cols_(transfer.cols),
        last_byte_(std::max<int64_t>(0, transfer.piece_bytes - 1)),
        cover_(std::max(last_byte_ + beat_, step_)),
        beat_shift_(std::countr_zero(static_cast<uint64_t>(beat_))),
        grid_shift_(std::countr_zero(static_cast<uint64_t>(beat_ | step_))),
        period_shift_(beat_shift_ - grid_shift_) {}

  /// The row begins with byte `address`.
  void StartRow(uint64_t address) {
    first_ = static_cast<int64_t>(address) & (beat_ - 1);
    row_ = address - static_cast<uint64_t>(first_);
  }
  /// Which of the row's beats begins with byte `address`.
  int64_t Beat(uint64_t address) const { return static_cast<int64_t>((address - row_) >> beat_shift_); }

  /// Takes of the row before the first one that needs beat number `beat` of it.
  int64_t Before(int64_t beat) const {
    // The first element that is taken up to this beat or further.
    const int64_t need = (beat << beat_shift_) - (cover_ - beat_) - first_;
    const int64_t element = need <= 0 || step_ == 0 ? 0 : std::min(cols_ - 1, (need + step_ - 1) / step_);
    return OfElements(element) + beat - FirstBeat(element);
  }
  /// All takes of the row: its last element takes the beats it touches.
  int64_t All() const {
    const int64_t begin = first_ + (cols_ - 1) * step_;
    return OfElements(cols_ - 1) + ((begin + last_byte_) >> beat_shift_) - (begin >> beat_shift_) + 1;
  }

 private:
  int64_t FirstBeat(int64_t element) const { return (first_ + element * step_) >> beat_shift_; }
  /// Takes of the row's first `count` elements, none of them its last.
  int64_t OfElements(int64_t count) const {
    // The places of a period are all those that lie on the grid: their quotients' sum is Hermite's identity.
    const int64_t in_period = ((first_ & ((int64_t{1} << grid_shift_) - 1)) + cover_) >> grid_shift_;
    int64_t takes = (count >> period_shift_) * in_period;
    int64_t place = first_;
    for (int64_t i = count & ((int64_t{1} << period_shift_) - 1); i > 0; --i) {
      takes += (place + cover_) >> beat_shift_;
      place = (place + step_) & (beat_ - 1);
    }
    return takes;
  }

  int64_t beat_ = 1, step_ = 0, cols_ = 0;
  int64_t last_byte_ = 0;  ///< of a piece
  int64_t cover_ = 0;      ///< see above
  int beat_shift_ = 0, grid_shift_ = 0, period_shift_ = 0;
  int64_t first_ = 0;  ///< place of the row's first byte in its beat
  uint64_t row_ = 0;   ///< address of that beat
};

}  // namespace cosim::sim
