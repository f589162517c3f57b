// SPDX-License-Identifier: Apache-2.0
// Where every cycle of one unit went: the section "Ledger" of docs/rationale/microarchitecture.md, kept from
// intervals instead of cycles. Who waits for what is decided in sim/cycle/simulation.cc.
#pragma once

#include <string>

#include "runtime/profile.h"
#include "sim/cycle/activity.h"
#include "sim/cycle/busy_timeline.h"
#include "sim/cycle/time.h"

namespace cosim::sim {

/// What the head of a command queue lacks, its unit being ready.
struct Wait {
  enum class Kind { kNothing, kPlace, kToken, kBank } kind = Kind::kNothing;
  int queue = -1;  ///< kPlace, kToken
  friend bool operator==(const Wait&, const Wait&) = default;
};

class UnitLedger {
 public:
  UnitLedger(std::string unit, size_t queues);

  /// From the start of a run on, keeps only what the head waits for: there will be no row.
  void Drop() { is_kept_ = false; }
  /// From the start of a run on, keeps in `trail`, which outlives the ledger, when all of that was.
  void Record(UnitTrail* trail);
  /// Completes the trail, the run having ended.
  void FlushRecord() { busy_.Flush(); }

  /// See BusyTimeline::Add.
  void Busy(Cycle now, Cycle begin, Cycle end) {
    if (is_kept_) busy_.Add(now, begin, end);
  }
  /// From `now` on, the head lacks `wait`.
  void Waits(const Wait& wait, Cycle now);
  Wait::Kind waits_for() const { return wait_.kind; }
  /// In cycle `now` a burst that the unit has presented lost its turn.
  void LosesTurn(Cycle now) {
    if (!is_kept_ || busy_.At(now)) return;
    ++lost_turns_;
    if (trail_ != nullptr) trail_->lost_turns.push_back({Activity::Kind::kWaitPort, -1, now, now + 1});
  }
  void Issues(Cycle now);
  /// The oldest instruction whose retirement was not known was issued in `issue` and retires in `retire`.
  void Retires(Cycle issue, Cycle retire);

  /// The row, all instructions having retired before `cycles`.
  runtime::LedgerRow Row(Cycle cycles) const;

 private:
  runtime::LedgerRow row_;  ///< waits of the head, so far
  BusyTimeline busy_;
  Wait wait_;
  Cycle wait_begin_ = 0, busy_before_wait_ = 0;
  int unresolved_ = 0;  ///< issued, retirement not known yet
  Cycle flight_ = 0;    ///< cycles with an instruction in flight, before flight_end_
  Cycle flight_end_ = 0;
  Cycle waits_in_flight_ = 0;  ///< waits of the head during which an instruction was in flight and not busy
  Cycle lost_turns_ = 0;
  UnitTrail* trail_ = nullptr;
  bool is_kept_ = true;
};

}  // namespace cosim::sim
