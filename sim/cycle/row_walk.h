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
  /// Goes to the transfer's first burst, if it has any.
  void Start(const isa::Spec& spec, const isa::Transfer& transfer) {
    beat_bytes_ = spec.dram.beat_bytes();
    burst_beats_ = spec.dram.burst_beats;
    const auto stored =
        static_cast<uint64_t>(spec.memories[static_cast<size_t>(transfer.memory)].stored_bytes);
    COSIM_CHECK(stored >= static_cast<uint64_t>(beat_bytes_) || std::has_single_bit(stored));
    narrow_ = stored < static_cast<uint64_t>(beat_bytes_);
    stored_shift_ = narrow_ ? std::countr_zero(stored) : 0;
    row_ = transfer.dram;
    row_bytes_ = static_cast<uint64_t>(transfer.cols) * stored;
    stride_bytes_ = static_cast<uint64_t>(transfer.stride) * stored;
    rows_left_ = transfer.cols > 0 ? transfer.rows : 0;
    gathers_ = transfer.gathers;
    if (gathers_) [[unlikely]]
      StartPieces(transfer);
    if (rows_left_ > 0) StartRow();
  }

  bool Done() const { return rows_left_ == 0; }
  const Burst& burst() const { return burst_; }
  /// Cycles that moving the burst on or off the chip takes: a beat or an element a cycle. An element as wide
  /// as a beat or wider never needs more than its beats.
  int64_t CyclesOfBurst() const {
    if (gathers_) [[unlikely]]
      return takes_end_ - takes_begin_;
    if (!narrow_) return burst_.beats;
    const uint64_t begin = std::max(burst_.address, row_);
    const uint64_t end =
        std::min(burst_.address + static_cast<uint64_t>(burst_.beats) * static_cast<uint64_t>(beat_bytes_),
                 row_ + row_bytes_);
    return std::max<int64_t>(burst_.beats, static_cast<int64_t>((end - begin) >> stored_shift_));
  }

  /// Of them, those up to the one in which the burst's last beat is taken: after it none is held for its
  /// sake.
  int64_t CyclesHeld() const { return gathers_ ? last_taken_ - takes_begin_ : CyclesOfBurst(); }

  /// Goes on to the next burst, if any; true when the row it leaves ends there.
  bool Advance() {
    if (!splitter_.Done()) {
      burst_ = splitter_.Next();
      if (gathers_) [[unlikely]]
        CountTakes(false);
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
    if (gathers_) [[unlikely]]
      CountTakes(true);
  }
  // Of loads that gather pieces, out of the way of all others.
  void StartPieces(const isa::Transfer& transfer);
  void CountTakes(bool row_begins);

  int beat_bytes_ = 1, burst_beats_ = 1, stored_shift_ = 0;
  bool narrow_ = false, gathers_ = false;
  uint64_t row_ = 0, row_bytes_ = 0, stride_bytes_ = 0;
  int64_t rows_left_ = 0;
  BurstSplitter splitter_;
  Burst burst_;
  PieceWalk pieces_;
  int64_t takes_begin_ = 0, last_taken_ = 0, takes_end_ = 0;  ///< cycles of the row, up to parts of the burst
};

}  // namespace cosim::sim
