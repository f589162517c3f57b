// SPDX-License-Identifier: Apache-2.0
// One unit as the simulation sees it: what kinds it executes, its command queue, its streams, and when it is
// ready.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "isa/program/decode.h"
#include "isa/spec/spec.h"
#include "sim/cycle/command_queue.h"
#include "sim/cycle/load_stream.h"
#include "sim/cycle/ring.h"
#include "sim/cycle/store_stream.h"
#include "sim/cycle/time.h"
#include "sim/cycle/unit_ledger.h"

namespace cosim::sim {

/// What the formats of a spec say about a unit.
struct UnitTraits {
  bool loads = false, stores = false, computes = false;
  bool overlap = false;  ///< a unit with several kinds never overlaps
};
UnitTraits TraitsOf(const isa::Spec& spec, int unit);

/// Retirements that bound how many instructions of a unit are in flight: one without overlap, `commands` for
/// one that only loads or stores; a computing unit that overlaps needs no bound.
class FlightBound {
 public:
  explicit FlightBound(size_t limit) : retires_(limit) {}  ///< 0: no bound
  void Issue() { ++in_flight_; }
  void Retire(Cycle retire) {
    --in_flight_;
    if (retires_.capacity() == 0) return;
    if (retires_.size() == retires_.capacity()) retires_.pop();
    retires_.push(retire);
  }
  /// The first cycle in which one more instruction may be in flight, as far as is known.
  Cycle FreeTime() const {
    if (retires_.capacity() == 0) return 0;
    if (in_flight_ == retires_.capacity()) return kNever;
    if (in_flight_ + retires_.size() < retires_.capacity()) return 0;
    return retires_.FromBack(retires_.capacity() - in_flight_) + 1;
  }

 private:
  Ring<Cycle> retires_;   ///< the newest known ones
  size_t in_flight_ = 0;  ///< issued, retirement not known
};

struct UnitState {
  UnitState(const isa::Spec& spec, int unit);

  const isa::Unit* unit;
  UnitTraits traits;
  CommandQueue commands;
  UnitLedger ledger;
  LoadStream load;
  StoreStream store;
  FlightBound flights;
  Cycle ready = 0;               ///< not ready before, whatever is in flight
  std::vector<uint32_t> issued;  ///< instructions, in order
  size_t retired = 0;            ///< how many of `issued` have a known retirement
  Cycle last_retire = -1;

  /// The first cycle in which the unit is ready, as far as is known.
  Cycle ReadyTime() const { return std::max(ready, flights.FreeTime()); }
};

}  // namespace cosim::sim
