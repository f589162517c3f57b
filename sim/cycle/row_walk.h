// SPDX-License-Identifier: Apache-2.0
// The bursts of a transfer, row by row (rule M1), with the cycles that the elements each one holds take.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "isa/check.h"
#include "isa/program/decode.h"
#include "isa/spec/spec.h"
#include "sim/cycle/piece_walk.h"
#include "sim/dram/burst_splitter.h"

namespace cosim::sim {

class RowWalk {
 public:
  RowWalk() = default;
  RowWalk(const isa::Spec& spec, const isa::Transfer& transfer)
      : beat_bytes_(spec.dram.beat_bytes()), burst_beats_(spec.dram.burst_beats) {
    const auto stored =
        static_cast<uint64_t>(spec.memories[static_cast<size_t>(transfer.memory)].stored_bytes);
    COSIM_CHECK(stored >= static_cast<uint64_t>(beat_bytes_) || std::has_single_bit(stored));
    narrow_ = stored < static_cast<uint64_t>(beat_bytes_);
    stored_shift_ = narrow_ ? std::countr_zero(stored) : 0;
    row_ = transfer.dram;
    // Of no bytes, and no pieces, only a program that is refused when it is executed.
    row_bytes_ = static_cast<uint64_t>(std::max<int64_t>(1, transfer.RowBytes(static_cast<int64_t>(stored))));
    stride_bytes_ = static_cast<uint64_t>(transfer.StrideBytes(static_cast<int64_t>(stored)));
    rows_left_ = transfer.cols > 0 ? transfer.rows : 0;
    gathers_ = transfer.gathers;
    if (gathers_) pieces_ = PieceWalk(transfer, beat_bytes_);
    if (rows_left_ > 0) StartRow();
  }

  bool Done() const { return rows_left_ == 0; }
  const Burst& burst() const { return burst_; }
  /// Cycles that moving the burst on or off the chip takes: a beat or an element a cycle. An element as wide
  /// as a beat or wider never needs more than its beats.
  int64_t CyclesOfBurst() const {
    if (gathers_) return takes_end_ - takes_begin_;
    if (!narrow_) return burst_.beats;
    const uint64_t begin = std::max(burst_.address, row_);
    const uint64_t end =
        std::min(burst_.address + static_cast<uint64_t>(burst_.beats) * static_cast<uint64_t>(beat_bytes_),
                 row_ + row_bytes_);
    return std::max<int64_t>(burst_.beats, static_cast<int64_t>((end - begin) >> stored_shift_));
  }

  /// Of them, those up to the first in which the burst's last beat is taken: after it none is held for its
  /// sake.
  int64_t CyclesHeld() const { return gathers_ ? last_taken_ - takes_begin_ : CyclesOfBurst(); }

  /// Goes on to the next burst, if any; true when the row it leaves ends there.
  bool Advance() {
    if (!splitter_.Done()) {
      burst_ = splitter_.Next();
      if (gathers_) CountTakes();
      return false;
    }
    row_ += stride_bytes_;
    if (--rows_left_ > 0) StartRow();
    return true;
  }

 private:
  void StartRow() {
    splitter_ = BurstSplitter(row_, row_ + row_bytes_, beat_bytes_, burst_beats_);
    burst_ = splitter_.Next();
    if (!gathers_) return;
    pieces_.StartRow(row_);
    takes_end_ = 0;
    CountTakes();
  }
  /// To a burst belong the takes from the first that needs one of its beats to before the next burst's.
  void CountTakes() {
    const int64_t end = pieces_.Beat(burst_.address) + burst_.beats;
    takes_begin_ = takes_end_;
    last_taken_ = pieces_.Before(end - 1) + 1;
    takes_end_ = splitter_.Done() ? std::max(last_taken_, pieces_.All()) : pieces_.Before(end);
  }

  int beat_bytes_ = 1, burst_beats_ = 1, stored_shift_ = 0;
  bool narrow_ = false, gathers_ = false;
  uint64_t row_ = 0, row_bytes_ = 0, stride_bytes_ = 0;
  int64_t rows_left_ = 0;
  BurstSplitter splitter_;
  Burst burst_;
  PieceWalk pieces_;
  int64_t takes_begin_ = 0, last_taken_ = 0, takes_end_ = 0;  ///< of the row, up to parts of the burst
};

}  // namespace cosim::sim
