// SPDX-License-Identifier: Apache-2.0
// The loading half of a unit (rule U4): its data buffer and its writer, one burst at a time.
#pragma once

#include "isa/decode.h"
#include "isa/spec.h"
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
  void Start(Cycle now, const isa::Transfer* transfer, UnitLedger& ledger);
  /// Whether a burst remains to be presented.
  bool HasBurst() const { return !walk_.Done(); }
  const Burst& burst() const { return walk_.burst(); }
  /// Takes the room for it; the first cycle from `from` on in which it is presented, kNever if it never fits.
  Cycle Present(Cycle from);
  /// It was accepted in cycle `now` and its first beat arrives in cycle `first_beat`.
  void Accepted(Cycle now, Cycle first_beat, UnitLedger& ledger);
  /// No burst remains: the cycle in which the instruction retires.
  Cycle Finish(Cycle now, UnitLedger& ledger);

 private:
  struct Held {
    Cycle end;
    int beats;
  };
  void Write(Cycle now, Cycle begin, Cycle cycles, UnitLedger& ledger);

  const isa::Spec* spec_;
  Cycle latency_;
  int room_;  ///< beats of the buffer that are free, or will be when those in held_ that were dropped end
  Ring<Held> held_;  ///< bursts accepted whose room may still be taken
  Cycle writer_free_ = 0;
  RowWalk walk_;
  Cycle pads_between_ = 0, pads_after_ = 0;  ///< elements after a row but the last, and after the last
};

}  // namespace cosim::sim
