// SPDX-License-Identifier: Apache-2.0
// Closed forms of rule U4: as a burst is accepted, all that the writer does up to the burst's end follows.
#include "sim/cycle/load_stream.h"

#include <algorithm>

namespace cosim::sim {

void LoadStream::Write(Cycle now, Cycle begin, Cycle cycles, UnitLedger& ledger) {
  writer_free_ = begin + cycles;
  ledger.Busy(now, begin, writer_free_);
}

void LoadStream::Start(Cycle now, const isa::Transfer* transfer, UnitLedger& ledger) {
  writer_free_ = std::max(now + 1, writer_free_);
  if (transfer == nullptr || transfer->rows == 0 || transfer->cols == 0) {
    Write(now, writer_free_, transfer == nullptr ? 1 : std::max<Cycle>(1, transfer->SramElements()), ledger);
    pads_after_ = 0;
    return;
  }
  walk_ = RowWalk(*spec_, *transfer);
  pads_between_ = transfer->pad_right + transfer->pad_left;
  pads_after_ = transfer->pad_right + transfer->pad_bottom * transfer->SramCols();
  Write(now, writer_free_, transfer->pad_top * transfer->SramCols() + transfer->pad_left, ledger);
}

Cycle LoadStream::Present(Cycle from) {
  const int beats = walk_.burst().beats;
  Cycle time = from;
  while (room_ < beats) {
    if (held_.empty()) return kNever;
    room_ += held_.front().beats;
    time = std::max(time, held_.front().end);
    held_.pop();
  }
  room_ -= beats;
  return time;
}

void LoadStream::Accepted(Cycle now, Cycle first_beat, UnitLedger& ledger) {
  Write(now, std::max(writer_free_, first_beat + 1), walk_.CyclesOfBurst(), ledger);
  held_.push({writer_free_, walk_.burst().beats});
  if (walk_.Advance() && HasBurst()) Write(now, writer_free_, pads_between_, ledger);
}

Cycle LoadStream::Finish(Cycle now, UnitLedger& ledger) {
  Write(now, writer_free_, pads_after_, ledger);
  ledger.Busy(now, writer_free_, writer_free_ + latency_);
  return writer_free_ + latency_ - 1;
}

}  // namespace cosim::sim
