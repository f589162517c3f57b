// SPDX-License-Identifier: Apache-2.0
// The loading half of a unit (rule U4): its data buffer and its writer. Closed forms: as a burst is accepted,
// all that the writer does up to the burst's end follows.
#pragma once

#include <algorithm>

#include "isa/program/decode.h"
#include "isa/spec/spec.h"
#include "sim/cycle/ring.h"
#include "sim/cycle/row_walk.h"
#include "sim/cycle/time.h"
#include "sim/cycle/unit_ledger.h"

namespace cosim::sim {

class LoadStream {
 public:
  LoadStream(const isa::Spec& spec, const isa::Unit& unit)
      : spec_(&spec),
        latency_(unit.latency),
        room_(unit.buffer_beats),
        held_(static_cast<size_t>(unit.buffer_beats)) {}

  /// A load issued in cycle `now`, or a sync when `transfer` is null.
  void Start(Cycle now, const isa::Transfer* transfer, UnitLedger& ledger) {
    writer_free_ = std::max(now + 1, writer_free_);
    if (transfer == nullptr || transfer->rows == 0 || transfer->cols == 0) {
      Write(now, writer_free_, transfer == nullptr ? 1 : std::max<Cycle>(1, transfer->SramElements()),
            ledger);
      pads_after_ = 0;
      return;
    }
    walk_.Start(*spec_, *transfer);
    pads_between_ = transfer->pad_right + transfer->pad_left;
    pads_after_ = transfer->pad_right + transfer->pad_bottom * transfer->SramCols();
    Write(now, writer_free_, transfer->pad_top * transfer->SramCols() + transfer->pad_left, ledger);
  }
  /// Whether a burst remains to be presented.
  bool HasBurst() const { return !walk_.Done(); }
  const Burst& burst() const { return walk_.burst(); }
  /// Takes the room for it; the first cycle from `from` on in which it is presented, kNever if it never fits.
  Cycle Present(Cycle from) {
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
  /// It was accepted in cycle `now` and its first beat arrives in cycle `first_beat`.
  void Accepted(Cycle now, Cycle first_beat, UnitLedger& ledger) {
    const Cycle begin = std::max(writer_free_, first_beat + 1);
    Write(now, begin, walk_.CyclesOfBurst(), ledger);
    held_.push({begin + walk_.CyclesHeld(), walk_.burst().beats});
    if (walk_.Advance() && HasBurst()) Write(now, writer_free_, pads_between_, ledger);
  }
  /// No burst remains: the cycle in which the instruction retires.
  Cycle Finish(Cycle now, UnitLedger& ledger) {
    Write(now, writer_free_, pads_after_, ledger);
    ledger.Busy(now, writer_free_, writer_free_ + latency_);
    return writer_free_ + latency_ - 1;
  }

 private:
  struct Held {
    Cycle end;
    int beats;
  };
  void Write(Cycle now, Cycle begin, Cycle cycles, UnitLedger& ledger) {
    writer_free_ = begin + cycles;
    ledger.Busy(now, begin, writer_free_);
  }

  const isa::Spec* spec_;
  Cycle latency_;
  int room_;  ///< beats of the buffer that are free, or will be when those in held_ that were dropped end
  Ring<Held> held_;  ///< bursts accepted whose room may still be taken
  Cycle writer_free_ = 0;
  RowWalk walk_;
  Cycle pads_between_ = 0, pads_after_ = 0;  ///< elements after a row but the last, and after the last
};

}  // namespace cosim::sim
