// SPDX-License-Identifier: Apache-2.0
// What each unit did when: the ledger's cycles as intervals, for those who draw them. Kept only when asked
// for (TimingOptions::record); the ledger itself is sim/cycle/unit_ledger.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/profile.h"
#include "sim/cycle/port_traffic.h"
#include "sim/cycle/time.h"

namespace cosim::sim {

/// A unit was so in the cycles [begin, end). The kinds are the ledger's, in its order.
struct Activity {
  enum class Kind : uint8_t { kBusy, kWaitPush, kWaitToken, kWaitPort, kWaitMemory };
  Kind kind;
  int queue;  ///< of kWaitPush and kWaitToken, else -1
  Cycle begin, end;
  friend bool operator==(const Activity&, const Activity&) = default;
};

/// What a unit's ledger is made of, each list ascending and disjoint.
struct UnitTrail {
  std::vector<Activity> busy;
  std::vector<Activity> head_waits;  ///< busy or not
  std::vector<Activity> lost_turns;  ///< neither busy nor in head_waits
  std::vector<Activity> flights;  ///< an instruction was in flight: kWaitMemory, unless it was something else
};

/// Each cycle by the first of the lists that has it: ascending and disjoint, what is left out being idle.
std::vector<Activity> ActivitiesOf(const UnitTrail& trail);

/// A timed run in pictures.
struct ActivityRecord {
  std::vector<std::vector<Activity>> units;  ///< of each unit of the spec
  std::vector<PortTraffic> reads, writes;    ///< of each memory port
};

}  // namespace cosim::sim
