// SPDX-License-Identifier: Apache-2.0
// Interval arithmetic of the ledger. Busy cycles lie within flights, lost turns within flights and outside
// waits, so what remains of the flights is wait_memory and what remains of all is idle.
#include "sim/cycle/unit_ledger.h"

#include <algorithm>
#include <utility>

#include "isa/check.h"

namespace cosim::sim {
namespace {

/// Of a wait for something.
Activity::Kind KindOf(Wait::Kind kind) {
  if (kind == Wait::Kind::kPlace) return Activity::Kind::kWaitPush;
  return kind == Wait::Kind::kToken ? Activity::Kind::kWaitToken : Activity::Kind::kWaitPort;
}

}  // namespace

UnitLedger::UnitLedger(std::string unit, size_t queues) {
  row_.unit = std::move(unit);
  row_.wait_token.resize(queues);
}

void UnitLedger::Record(UnitTrail* trail) {
  trail_ = trail;
  busy_.Record(&trail->busy);
}

void UnitLedger::Waits(const Wait& wait, Cycle now) {
  if (wait == wait_) return;
  if (!is_kept_) {
    wait_ = wait;
    return;
  }
  if (wait_.kind != Wait::Kind::kNothing) {
    const Cycle busy = busy_.Before(now) - busy_before_wait_;
    const Cycle waited = now - wait_begin_ - busy;
    // No instruction issued meanwhile, so the flights ended at flight_end_ or still go on.
    const Cycle in_flight =
        unresolved_ > 0 ? now - wait_begin_ : std::max<Cycle>(0, std::min(now, flight_end_) - wait_begin_);
    waits_in_flight_ += in_flight - busy;
    if (trail_ != nullptr) trail_->head_waits.push_back({KindOf(wait_.kind), wait_.queue, wait_begin_, now});
    switch (wait_.kind) {
      case Wait::Kind::kNothing:
        break;
      case Wait::Kind::kPlace:
        row_.wait_push += waited;
        break;
      case Wait::Kind::kToken:
        row_.wait_token[static_cast<size_t>(wait_.queue)] += waited;
        break;
      case Wait::Kind::kBank:
        row_.wait_port += waited;
        break;
    }
  }
  wait_ = wait;
  wait_begin_ = now;
  if (wait.kind != Wait::Kind::kNothing) busy_before_wait_ = busy_.Before(now);
}

void UnitLedger::Issues(Cycle now) {
  Waits({}, now);
  ++unresolved_;
}

void UnitLedger::Retires(Cycle issue, Cycle retire) {
  --unresolved_;
  if (!is_kept_) return;
  if (trail_ != nullptr)
    trail_->flights.push_back({Activity::Kind::kWaitMemory, -1, std::max(issue, flight_end_), retire + 1});
  flight_ += retire + 1 - std::max(issue, flight_end_);
  flight_end_ = retire + 1;
}

runtime::LedgerRow UnitLedger::Row(Cycle cycles) const {
  COSIM_CHECK(unresolved_ == 0 && wait_.kind == Wait::Kind::kNothing && flight_end_ <= cycles);
  runtime::LedgerRow row = row_;
  row.busy = busy_.total();
  row.wait_port += lost_turns_;
  row.wait_memory = flight_ - row.busy - lost_turns_ - waits_in_flight_;
  Cycle rest = cycles - row.busy - row.wait_push - row.wait_port - row.wait_memory;
  for (const Cycle wait : row.wait_token) rest -= wait;
  row.idle = rest;
  COSIM_CHECK(row.wait_memory >= 0 && row.idle >= 0, "ledger of {} does not add up to {}", row.unit, cycles);
  return row;
}

}  // namespace cosim::sim
