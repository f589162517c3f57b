// SPDX-License-Identifier: Apache-2.0
// One timed run of a program. Works through events in order of time; within a cycle their order does not
// matter, but for the bank locks (last unit first) and what the memory is asked (M5). Behind
// sim/cycle/timing_engine.h, which is what others use.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "isa/program/decode.h"
#include "isa/spec/spec.h"
#include "runtime/profile.h"
#include "sim/cycle/activity.h"
#include "sim/cycle/bank_locks.h"
#include "sim/cycle/fetch.h"
#include "sim/cycle/read_port.h"
#include "sim/cycle/time.h"
#include "sim/cycle/token_queue.h"
#include "sim/cycle/unit_state.h"
#include "sim/cycle/write_port.h"

namespace cosim::sim {

class Simulation {
 public:
  /// All arguments must outlive the simulation.
  Simulation(const isa::Spec& spec, MemoryTiming* memory, std::span<const isa::Decoded> program,
             uint64_t code_address);

  /// Before Run: keeps no ledger, which takes time.
  void DropLedger();
  /// Before Run: keeps what Record() is made of.
  void KeepRecord();
  /// What every unit and port did, the run having completed.
  ActivityRecord Record();

  /// Runs until nothing more happens or `max_cycles` have passed; true when all instructions retired.
  bool Run(Cycle max_cycles);

  /// Issue and retirement of every instruction; -1 where it did not come to that.
  std::vector<runtime::InstructionTimes>& times() { return times_; }
  Cycle cycles() const { return last_retire_ + 1; }
  std::vector<runtime::LedgerRow> Ledger() const;
  uint64_t read_beats() const;
  uint64_t write_beats() const;

  /// For reports of what got stuck.
  Cycle now() const { return now_; }
  bool NothingAhead() const {
    return std::min(NextEventButReads(), read_ports_[NextReadPort()].NextTime()) >= kNever;
  }
  const UnitState& unit(size_t index) const { return units_[index]; }
  const Fetch& fetch() const { return fetch_; }
  const BankLocks& locks() const { return locks_; }
  /// What the head of a unit's queue lacks in cycle `now`, the unit being ready; `next` is when that may
  /// change.
  Wait WaitOfHead(size_t unit, Cycle now, Cycle& next) const;

 private:
  Cycle NextEventButReads() const;
  /// The port that accepts the next read burst; the lowest of those that do at the same time.
  size_t NextReadPort() const;
  ReadPort& ReadPortOf(size_t unit) { return read_ports_[static_cast<size_t>(units_[unit].unit->port)]; }
  WritePort& WritePortOf(size_t unit) { return write_ports_[static_cast<size_t>(units_[unit].unit->port)]; }
  void Wake(size_t unit, Cycle time);
  /// Only if the head of its queue was last seen to wait for that: heads that were not looked at, or wait for
  /// something else first, will see for themselves.
  void WakeWaiting(size_t unit, Wait::Kind what, Cycle time);
  void PresentFetch(Cycle from);
  void Dispatch();
  void LookAtHead(size_t unit);
  void Issue(size_t unit);
  void StartLoad(size_t unit, const isa::Transfer* transfer);
  void StartStore(size_t unit, const isa::Transfer* transfer);
  void FinishLoad(size_t unit);
  void Retire(size_t unit, Cycle retire);
  void ResolveStores(size_t unit);
  void AcceptRead(size_t port, Cycle limit);
  void AcceptLoads(size_t unit, Cycle limit);
  void AcceptWrite(WritePort& port);
  void AskForResponse(WritePort& port);

  const isa::Spec* spec_;
  std::span<const isa::Decoded> program_;
  Fetch fetch_;
  std::vector<UnitState> units_;
  std::vector<TokenQueue> queues_;
  BankLocks locks_;
  std::vector<ReadPort> read_ports_;  ///< by number, as the next
  std::vector<WritePort> write_ports_;

  Cycle now_ = 0;
  Cycle dispatch_next_ = kNever;
  std::vector<Cycle> look_next_;  ///< of each unit: when to look at the head of its queue
  Cycle last_retire_ = 0;
  size_t retired_ = 0;  ///< instructions whose retirement is known
  std::vector<runtime::InstructionTimes> times_;
  std::vector<UnitTrail> trails_;  ///< of each unit, when they are kept
};

}  // namespace cosim::sim
