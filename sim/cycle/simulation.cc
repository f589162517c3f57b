// SPDX-License-Identifier: Apache-2.0
// The core loop of the timing engine and what each event does, rule by rule of
// docs/rationale/microarchitecture.md.
#include "sim/cycle/simulation.h"

#include <algorithm>
#include <bit>
#include <variant>

#include "isa/check.h"

namespace cosim::sim {
namespace {

constexpr size_t kFetchRequester = 0;
size_t ReadRequester(size_t unit) { return unit + 1; }
/// U4, U5: cycles from the issue of a load or store until its first burst is presented.
constexpr Cycle kFirstBurst = 3;

/// Calls `visit` with the number of each bit set.
template <typename Visit>
void ForEachBit(uint64_t bits, Visit visit) {
  for (; bits != 0; bits &= bits - 1) visit(static_cast<size_t>(std::countr_zero(bits)));
}

/// U1 to U3: cycles from issue until the last step has begun, plus one.
Cycle StepCycles(const isa::Spec& spec, const isa::Decoded& instruction) {
  if (const auto* gemm = std::get_if<isa::Gemm>(&instruction.body)) return std::max<Cycle>(1, gemm->Cycles());
  if (const auto* alu = std::get_if<isa::Alu>(&instruction.body)) {
    const Cycle interval = alu->op < 0 ? 1 : spec.alu_ops[static_cast<size_t>(alu->op)].initiation_interval;
    return std::max<Cycle>(1, alu->nest.Steps()) * interval;
  }
  return 1;
}

}  // namespace

Simulation::Simulation(const isa::Spec& spec, MemoryTiming* memory, std::span<const isa::Decoded> program,
                       uint64_t code_address)
    : spec_(&spec),
      program_(program),
      fetch_(spec, program.size(), code_address),
      locks_(spec),
      look_next_(spec.units.size(), kNever),
      times_(program.size(), {-1, -1}) {
  for (size_t u = 0; u < spec.units.size(); ++u) units_.emplace_back(spec, static_cast<int>(u));
  for (const isa::Queue& queue : spec.queues) queues_.emplace_back(queue.capacity);
  for (int port = 0; port < spec.ports; ++port) {
    read_ports_.emplace_back(spec.dram, port, spec.units.size() + 1, memory);
    write_ports_.emplace_back(spec.dram, port, spec.units.size(), memory);
  }
}

void Simulation::DropLedger() {
  for (UnitState& unit : units_) unit.ledger.Drop();
}

void Simulation::KeepRecord() {
  trails_.resize(units_.size());
  for (size_t u = 0; u < units_.size(); ++u) units_[u].ledger.Record(&trails_[u]);
  for (ReadPort& port : read_ports_) port.KeepTraffic();
  for (WritePort& port : write_ports_) port.KeepTraffic();
}

ActivityRecord Simulation::Record() {
  ActivityRecord record;
  for (size_t u = 0; u < units_.size(); ++u) {
    units_[u].ledger.FlushRecord();
    record.units.push_back(ActivitiesOf(trails_[u]));
  }
  for (const ReadPort& port : read_ports_) record.reads.push_back(*port.traffic());
  for (const WritePort& port : write_ports_) record.writes.push_back(*port.traffic());
  return record;
}

bool Simulation::Run(Cycle max_cycles) {
  PresentFetch(1);
  for (;;) {
    const Cycle next = NextEventButReads();
    const size_t port = NextReadPort();
    const Cycle read = read_ports_[port].NextTime();
    if (std::min(next, read) >= max_cycles) break;
    now_ = std::min(next, read);
    if (now_ < next) {
      AcceptRead(port, std::min(next, max_cycles));
      continue;
    }
    if (dispatch_next_ == now_) Dispatch();
    for (size_t u = units_.size(); u-- > 0;) {
      if (look_next_[u] == now_) LookAtHead(u);
    }
    for (WritePort& writes : write_ports_) {
      if (writes.NextTime() == now_) AcceptWrite(writes);
    }
    for (size_t p = 0; p < read_ports_.size(); ++p) {
      if (read_ports_[p].NextTime() == now_) AcceptRead(p, now_ + 1);
    }
    for (WritePort& writes : write_ports_) {
      if (writes.NextQuestion() == now_) AskForResponse(writes);
    }
  }
  return retired_ == program_.size();
}

Cycle Simulation::NextEventButReads() const {
  Cycle next = dispatch_next_;
  for (const WritePort& writes : write_ports_)
    next = std::min({next, writes.NextTime(), writes.NextQuestion()});
  for (const Cycle look : look_next_) next = std::min(next, look);
  return next;
}

size_t Simulation::NextReadPort() const {
  size_t next = 0;
  for (size_t p = 1; p < read_ports_.size(); ++p) {
    if (read_ports_[p].NextTime() < read_ports_[next].NextTime()) next = p;
  }
  return next;
}

void Simulation::Wake(size_t unit, Cycle time) { look_next_[unit] = std::min(look_next_[unit], time); }

void Simulation::WakeWaiting(size_t unit, Wait::Kind what, Cycle time) {
  if (units_[unit].ledger.waits_for() == what) Wake(unit, time);
}

void Simulation::PresentFetch(Cycle from) {
  if (fetch_.TryPresent()) read_ports_[0].Present(kFetchRequester, from, fetch_.burst());
}

void Simulation::Dispatch() {
  const size_t word = fetch_.NextWord();
  const auto unit = static_cast<size_t>(program_[word].unit);
  dispatch_next_ = std::max(fetch_.NextTime(), units_[unit].commands.RoomTime(now_));
  if (dispatch_next_ > now_) return;
  units_[unit].commands.Dispatch(now_, word);
  Wake(unit, now_ + 1);
  fetch_.Dispatch(now_);
  PresentFetch(now_ + 1);
  dispatch_next_ = fetch_.NextTime();
}

Wait Simulation::WaitOfHead(size_t u, Cycle now, Cycle& next) const {
  const isa::Decoded& head = program_[units_[u].commands.Head()];
  Wait wait;
  next = now;
  ForEachBit(head.pushes, [&](size_t q) {
    const Cycle time = queues_[q].PlaceTime(now);
    if (wait.kind != Wait::Kind::kNothing || time <= now) return;
    wait = {Wait::Kind::kPlace, static_cast<int>(q)};
    next = time;
  });
  if (wait.kind != Wait::Kind::kNothing) return wait;
  ForEachBit(head.pops, [&](size_t q) {
    const Cycle time = queues_[q].TokenTime();
    if (wait.kind != Wait::Kind::kNothing || time <= now) return;
    wait = {Wait::Kind::kToken, static_cast<int>(q)};
    next = time;
  });
  if (wait.kind != Wait::Kind::kNothing) return wait;
  next = locks_.FreeTime(static_cast<int>(u), head.locks, now);
  if (next > now) wait.kind = Wait::Kind::kBank;
  return wait;
}

void Simulation::LookAtHead(size_t u) {
  UnitState& unit = units_[u];
  Cycle& next = look_next_[u];
  next = kNever;
  if (unit.commands.Empty()) return;
  next = std::max(unit.commands.HeadTime(), unit.ReadyTime());
  if (next > now_) return;
  const Wait wait = WaitOfHead(u, now_, next);
  if (wait.kind != Wait::Kind::kNothing) {
    unit.ledger.Waits(wait, now_);
    return;
  }
  Issue(u);
  next = unit.commands.Empty() ? kNever : std::max({now_ + 1, unit.commands.HeadTime(), unit.ReadyTime()});
}

void Simulation::Issue(size_t u) {
  UnitState& unit = units_[u];
  const size_t index = unit.commands.Head();
  const isa::Decoded& instruction = program_[index];
  ForEachBit(instruction.pushes, [&](size_t q) { queues_[q].TakePlace(); });
  ForEachBit(instruction.pops, [&](size_t q) {
    queues_[q].Pop(now_);
    WakeWaiting(static_cast<size_t>(spec_->queues[q].from), Wait::Kind::kPlace, now_ + 1);
  });
  locks_.Hold(static_cast<int>(u), instruction.locks);
  unit.commands.Issue(now_);
  if (dispatch_next_ == kNever && fetch_.NextTime() < kNever) dispatch_next_ = now_ + 1;
  unit.ledger.Issues(now_);
  unit.flights.Issue();
  unit.issued.push_back(static_cast<uint32_t>(index));
  times_[index].issue = now_;

  const auto* transfer = std::get_if<isa::Transfer>(&instruction.body);
  const bool is_sync = std::holds_alternative<isa::Sync>(instruction.body);
  const UnitTraits& traits = unit.traits;
  if ((transfer != nullptr && !transfer->is_store) || (is_sync && traits.loads && !traits.computes)) {
    StartLoad(u, transfer);
  } else if (transfer != nullptr || (is_sync && traits.stores && !traits.loads && !traits.computes)) {
    StartStore(u, transfer);
  } else {
    const Cycle steps = StepCycles(*spec_, instruction);
    const Cycle retire = now_ + steps + unit.unit->latency;
    unit.ready = now_ + steps;
    unit.ledger.Busy(now_, now_, retire + 1);
    Retire(u, retire);
  }
}

void Simulation::StartLoad(size_t u, const isa::Transfer* transfer) {
  UnitState& unit = units_[u];
  unit.load.Start(now_, transfer, unit.ledger);
  if (!unit.load.HasBurst()) return FinishLoad(u);
  unit.ready = kNever;
  const Cycle presented = unit.load.Present(now_ + kFirstBurst);
  if (presented < kNever) ReadPortOf(u).Present(ReadRequester(u), presented, unit.load.burst());
}

void Simulation::FinishLoad(size_t u) {
  UnitState& unit = units_[u];
  unit.ready = now_ + 1;
  Retire(u, unit.load.Finish(now_, unit.ledger));
}

void Simulation::StartStore(size_t u, const isa::Transfer* transfer) {
  UnitState& unit = units_[u];
  unit.store.Start(now_, transfer);
  if (unit.store.HasBurst()) {
    unit.ready = kNever;
    WritePortOf(u).Present(u, now_ + kFirstBurst, unit.store.burst());
    return;
  }
  unit.ready = now_ + 1;
  ResolveStores(u);
}

void Simulation::ResolveStores(size_t u) {
  while (units_[u].store.Resolved()) Retire(u, units_[u].store.Retire());
}

void Simulation::Retire(size_t u, Cycle retire) {
  UnitState& unit = units_[u];
  COSIM_CHECK(retire > unit.last_retire, "unit {} retires out of order", unit.unit->name);
  const size_t index = unit.issued[unit.retired++];
  const isa::Decoded& instruction = program_[index];
  unit.last_retire = retire;
  unit.flights.Retire(retire);
  unit.ledger.Retires(times_[index].issue, retire);
  times_[index].retire = retire;
  last_retire_ = std::max(last_retire_, retire);
  ++retired_;
  ForEachBit(instruction.pushes, [&](size_t q) {
    queues_[q].Push(retire + 1);
    WakeWaiting(static_cast<size_t>(spec_->queues[q].to), Wait::Kind::kToken, retire + 1);
  });
  if (!instruction.locks.empty()) {
    locks_.Release(instruction.locks, retire);
    for (size_t other = 0; other < units_.size(); ++other) WakeWaiting(other, Wait::Kind::kBank, retire + 1);
  }
  if (!unit.commands.Empty()) Wake(u, std::max(now_ + 1, unit.ReadyTime()));
}

/// Accepts the burst whose turn it is, and if it is a load's the bursts that follow it before `limit`, up to
/// which nothing else happens but at other ports.
void Simulation::AcceptRead(size_t p, Cycle limit) {
  ReadPort& port = read_ports_[p];
  const ReadPort::Served served = port.Serve(now_, [&](size_t loser) {
    if (loser != kFetchRequester) units_[loser - 1].ledger.LosesTurn(now_);
  });
  if (served.requester != kFetchRequester) return AcceptLoads(served.requester - 1, limit);
  fetch_.Accepted(port.Accept(now_, served.burst));
  PresentFetch(now_ + 1);
  if (dispatch_next_ == kNever) dispatch_next_ = std::max(now_ + 1, fetch_.NextTime());
}

/// A train of bursts of one unit, as long as no other requester's turn can come, and no other port's: the
/// memory is asked in order of time.
void Simulation::AcceptLoads(size_t u, Cycle limit) {
  UnitState& unit = units_[u];
  ReadPort& port = ReadPortOf(u);
  limit = std::min(limit, port.Earliest());
  for (const ReadPort& other : read_ports_) {
    if (&other != &port) limit = std::min(limit, other.NextTime());
  }
  for (;;) {
    unit.load.Accepted(now_, port.Accept(now_, unit.load.burst()), unit.ledger);
    if (!unit.load.HasBurst()) return FinishLoad(u);
    const Cycle presented = unit.load.Present(now_ + 1);
    const Cycle next = std::max(presented, port.free());
    if (next >= limit) {
      if (presented < kNever) port.Present(ReadRequester(u), presented, unit.load.burst());
      return;
    }
    now_ = next;
  }
}

void Simulation::AcceptWrite(WritePort& port) {
  const WritePort::Accepted accepted = port.Accept(
      now_, [&](size_t u) { return units_[u].unit->latency; },
      [&](size_t u) { return units_[u].store.BurstCycles(); },
      [&](size_t loser) { units_[loser].ledger.LosesTurn(now_); });
  UnitState& unit = units_[accepted.requester];
  unit.ledger.Busy(now_, accepted.first, accepted.end);
  unit.store.Accepted();
  if (unit.store.HasBurst()) {
    port.Present(accepted.requester, now_ + 1, unit.store.burst());
    return;
  }
  unit.ready = now_ + 1;
  if (!unit.commands.Empty()) Wake(accepted.requester, std::max(now_ + 1, unit.ReadyTime()));
}

void Simulation::AskForResponse(WritePort& port) {
  const WritePort::Response response = port.Ask();
  units_[response.requester].store.Responded(response.time);
  ResolveStores(response.requester);
}

uint64_t Simulation::read_beats() const {
  uint64_t beats = 0;
  for (const ReadPort& port : read_ports_) beats += port.beats();
  return beats;
}

uint64_t Simulation::write_beats() const {
  uint64_t beats = 0;
  for (const WritePort& port : write_ports_) beats += port.beats();
  return beats;
}

std::vector<runtime::LedgerRow> Simulation::Ledger() const {
  std::vector<runtime::LedgerRow> rows;
  for (const UnitState& unit : units_) rows.push_back(unit.ledger.Row(cycles()));
  return rows;
}

}  // namespace cosim::sim
