// SPDX-License-Identifier: Apache-2.0
// One cycle of the accelerator after the other. Whatever a unit does that another one sees goes through
// `effects_`, which take place between two cycles: rule zero.
#include "tests/sim/cycle/testing/reference_model.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace cosim::sim::testing {
namespace {

using runtime::Cycle;

/// Cycle by cycle: along rows, one for each element until the last iteration has its own.
Cycle CyclesOf(const isa::Gemm& gemm) {
  const Cycle rounds = std::max<Cycle>(0, gemm.nest.iter_out) * (gemm.nest.uop_end - gemm.nest.uop_begin);
  if (gemm.row_source < 0) return rounds * gemm.nest.iter_in;
  Cycle cycles = 0;
  for (Cycle round = 0; round < rounds && gemm.nest.iter_in > 0; ++round) {
    Cycle read = 0;
    for (Cycle iteration = 0; iteration < gemm.nest.iter_in; ++iteration)
      while (read < iteration * gemm.sources[gemm.row_source].inner + gemm.taps) ++read, ++cycles;
  }
  return cycles;
}

constexpr int kQuietCycles = 20000;  // longer than any instruction or latency of the tests

}  // namespace

ReferenceModel::ReferenceModel(const isa::Spec& spec, std::span<const isa::Decoded> program,
                               uint64_t code_address)
    : spec_(spec), program_(program), code_address_(code_address), fetch_room_(spec.fetch_words) {
  for (size_t u = 0; u < spec.units.size(); ++u) {
    bool load = false, store = false, gemm = false, alu = false;
    for (const isa::InstructionFormat& format : spec.formats) {
      if (format.unit != static_cast<int>(u)) continue;
      if (format.kind == isa::Kind::kLoad) load = true;
      if (format.kind == isa::Kind::kStore) store = true;
      if (format.kind == isa::Kind::kGemm) gemm = true;
      if (format.kind == isa::Kind::kAlu) alu = true;
    }
    UnitModel unit;
    unit.syncs_as_load = load && !gemm && !alu;
    unit.syncs_as_store = store && !load && !gemm && !alu;
    unit.computes = gemm || alu;
    unit.overlap = spec.units[u].overlap && (load + store + gemm + alu) < 2;
    unit.buffer_room = spec.units[u].buffer_beats;
    units_.push_back(unit);
    counters_.ledger.push_back({});
    counters_.ledger.back().unit = spec.units[u].name;
    counters_.ledger.back().wait_token.resize(spec.queues.size());
  }
  for (const isa::Queue& queue : spec.queues) {
    tokens_.push_back(0);
    places_.push_back(queue.capacity);
  }
  for (const isa::Memory& memory : spec.memories) banks_.emplace_back(static_cast<size_t>(memory.LockBits()));
  counters_.instructions.resize(program.size(), {-1, -1});
  ports_.resize(static_cast<size_t>(spec.ports));
  for (PortModel& port : ports_) {
    port.write_turn = static_cast<int>(units_.size()) - 1;
    port.read_turn = static_cast<int>(units_.size());
  }
  CutFetch();
}

bool ReferenceModel::Happens(std::function<void()> effect) {
  something_happened_ = true;
  effects_.push_back(std::move(effect));
  return true;
}

runtime::Counters ReferenceModel::Run() {
  Cycle quiet = 0;
  counters_.timed = true;
  for (now_ = 0; retired_ < program_.size() || now_ == 0; ++now_) {
    something_happened_ = false;
    for (UnitModel& unit : units_) {
      unit.busy = unit.lost_turn = false;
      unit.wait = -1;
    }
    if (now_ > 0) Present();
    for (int p = 0; p < spec_.ports; ++p) ArbitrateReads(p);
    for (PortModel& port : ports_) DeliverBeat(port);
    for (size_t u = 0; u < units_.size(); ++u) TickWriter(static_cast<int>(u));
    for (int p = 0; p < spec_.ports; ++p) ArbitrateWrites(p);
    for (PortModel& port : ports_) {
      Write(port);
      SendBeat(port);
      TakeResponses(port);
    }
    for (size_t u = 0; u < units_.size(); ++u) RetireHead(static_cast<int>(u));
    Dispatch();
    for (size_t u = units_.size(); u-- > 0;) TryIssue(static_cast<int>(u));
    for (size_t u = 0; u < units_.size(); ++u) Classify(static_cast<int>(u));
    for (const auto& effect : effects_) effect();
    effects_.clear();
    quiet = something_happened_ ? 0 : quiet + 1;
    if (quiet > kQuietCycles) {
      counters_.ledger.clear();
      return counters_;
    }
  }
  counters_.completed = true;
  counters_.cycles = now_;
  return counters_;
}

void ReferenceModel::Present() {
  const int64_t beat = spec_.dram.port_bits / 8, word = spec_.word_bits / 8;
  const auto words = static_cast<int64_t>(program_.size());
  if (!fetch_presented_ && !fetch_requests_.empty()) {
    const int64_t before = std::min(words, fetch_beats_presented_ * beat / word);
    const int64_t after = std::min(words, (fetch_beats_presented_ + fetch_requests_.front()) * beat / word);
    if (fetch_room_ >= after - before) {
      fetch_room_ -= after - before;
      fetch_beats_presented_ += fetch_requests_.front();
      fetch_presented_ = true;
    }
  }
  for (UnitModel& unit : units_) {
    if (unit.presented || unit.requests.empty() || now_ < unit.first_request) continue;
    if (!unit.requests_are_reads) {
      unit.presented = true;
    } else if (unit.buffer_room >= unit.requests.front()) {
      unit.buffer_room -= unit.requests.front();
      unit.presented = true;
    }
  }
}

void ReferenceModel::TickWriter(int u) {
  UnitModel& unit = units_[static_cast<size_t>(u)];
  if (now_ <= unit.tail_until) unit.busy = true;
  if (unit.pieces.empty()) return;
  const Piece piece = unit.pieces.front();
  if (piece.gathered) {
    if (piece.pops && (unit.arrived.empty() || unit.arrived.front() <= unit.popped)) return;
    unit.popped += piece.pops ? 1 : 0;
    if (piece.beats > 0) unit.popped = 0;
    unit.piece_cycles_left = 1;
  } else if (unit.piece_cycles_left == 0) {
    if (piece.beats > 0 && unit.arrived.empty()) return;
    unit.piece_cycles_left = std::max({1, piece.beats, piece.elements});
  }
  unit.busy = true;
  something_happened_ = true;
  if (--unit.piece_cycles_left > 0) return;
  unit.pieces.pop_front();
  if (piece.beats > 0) {
    unit.arrived.pop_front();
    Happens([&unit, piece] { unit.buffer_room += piece.beats; });
  }
  if (piece.last_of_instruction) {
    const int latency = spec_.units[static_cast<size_t>(u)].latency;
    unit.tail_until = now_ + latency;
    for (Flight& flight : unit.flights) {
      if (flight.retire_at < 0) {
        flight.retire_at = now_ + latency;
        break;
      }
    }
  }
}

void ReferenceModel::RetireHead(int u) {
  UnitModel& unit = units_[static_cast<size_t>(u)];
  if (unit.flights.empty()) return;
  const Flight& flight = unit.flights.front();
  const isa::Decoded& instruction = program_[static_cast<size_t>(flight.instruction)];
  const auto* transfer = std::get_if<isa::Transfer>(&instruction.body);
  const bool stores = (transfer && transfer->is_store) || (unit.syncs_as_store && !transfer);
  const bool retires =
      stores ? flight.responses_left == 0 && now_ >= flight.not_before : flight.retire_at == now_;
  if (!retires) return;
  counters_.instructions[static_cast<size_t>(flight.instruction)].retire = now_;
  ++retired_;
  Happens([this, &unit, &instruction] {
    for (size_t q = 0; q < tokens_.size(); ++q) {
      if ((instruction.pushes >> q) & 1) ++tokens_[q];
    }
    for (const auto& [memory, mask] : instruction.locks) {
      for (size_t b = 0; b < banks_[static_cast<size_t>(memory)].size(); ++b) {
        if ((mask >> b) & 1) --banks_[static_cast<size_t>(memory)][b].holds;
      }
    }
    unit.flights.pop_front();
  });
}

void ReferenceModel::Dispatch() {
  if (dispatched_ == program_.size()) return;
  const int64_t beat = spec_.dram.port_bits / 8, word = spec_.word_bits / 8;
  if (fetch_beats_arrived_ * beat < static_cast<int64_t>(dispatched_ + 1) * word) return;
  const int u = program_[dispatched_].unit;
  UnitModel& unit = units_[static_cast<size_t>(u)];
  if (static_cast<int>(unit.commands.size()) >= spec_.units[static_cast<size_t>(u)].commands) return;
  const int instruction = static_cast<int>(dispatched_++);
  Happens([this, &unit, instruction] {
    unit.commands.push_back(instruction);
    ++fetch_room_;
  });
}

void ReferenceModel::TryIssue(int u) {
  UnitModel& unit = units_[static_cast<size_t>(u)];
  if (unit.commands.empty()) return;
  if (now_ < unit.ready_at || !unit.requests.empty()) return;
  if (!unit.overlap && !unit.flights.empty()) return;
  if (!unit.computes && static_cast<int>(unit.flights.size()) >= spec_.units[static_cast<size_t>(u)].commands)
    return;
  const int index = unit.commands.front();
  const isa::Decoded& instruction = program_[static_cast<size_t>(index)];
  for (size_t q = 0; q < places_.size(); ++q) {
    if (((instruction.pushes >> q) & 1) && places_[q] == 0) {
      unit.wait = 0;
      return;
    }
  }
  for (size_t q = 0; q < tokens_.size(); ++q) {
    if (((instruction.pops >> q) & 1) && tokens_[q] == 0) {
      unit.wait = 2 + static_cast<int>(q);
      return;
    }
  }
  for (const auto& [memory, mask] : instruction.locks) {
    for (size_t b = 0; b < banks_[static_cast<size_t>(memory)].size(); ++b) {
      const Bank& bank = banks_[static_cast<size_t>(memory)][b];
      if (((mask >> b) & 1) && bank.holds > 0 && bank.unit != u) {
        unit.wait = 1;
        return;
      }
    }
  }
  for (const auto& [memory, mask] : instruction.locks) {
    for (size_t b = 0; b < banks_[static_cast<size_t>(memory)].size(); ++b) {
      if (((mask >> b) & 1) == 0) continue;
      Bank& bank = banks_[static_cast<size_t>(memory)][b];
      bank.unit = u;
      ++bank.holds;
    }
  }
  for (size_t q = 0; q < places_.size(); ++q) {
    if ((instruction.pushes >> q) & 1) --places_[q];
  }
  counters_.instructions[static_cast<size_t>(index)].issue = now_;
  Happens([this, &unit, &instruction] {
    unit.commands.pop_front();
    for (size_t q = 0; q < tokens_.size(); ++q) {
      if (((instruction.pops >> q) & 1) == 0) continue;
      --tokens_[q];
      ++places_[q];
    }
  });
  Start(u, index);
}

void ReferenceModel::Start(int u, int index) {
  UnitModel& unit = units_[static_cast<size_t>(u)];
  const int latency = spec_.units[static_cast<size_t>(u)].latency;
  const isa::Decoded& instruction = program_[static_cast<size_t>(index)];
  Flight flight{.instruction = index};
  unit.first_request = now_ + 3;
  if (const auto* transfer = std::get_if<isa::Transfer>(&instruction.body); transfer && transfer->is_store) {
    flight.not_before = now_ + 1 + latency;
    for (const std::vector<int>& burst : RowBursts(*transfer)) {
      if (burst.empty()) continue;
      int elements = 0;
      for (const int ends : burst) elements += ends;
      unit.requests.push_back(static_cast<int>(burst.size()));
      unit.store_cycles.push_back(std::max(static_cast<int>(burst.size()), elements));
      ++flight.responses_left;
    }
    unit.requests_are_reads = false;
  } else if (transfer && transfer->gathers) {
    StartGather(unit, *transfer);
  } else if (transfer) {
    auto pad = [&](int64_t count) {
      for (int64_t i = 0; i < count; ++i) unit.pieces.push_back({});
    };
    const size_t before = unit.pieces.size();
    const int64_t width = transfer->pad_left + transfer->cols + transfer->pad_right;
    pad(transfer->pad_top * width);
    const auto bursts = RowBursts(*transfer);
    bool row_starts = true;
    for (const std::vector<int>& burst : bursts) {
      if (row_starts) pad(transfer->pad_left);
      row_starts = burst.empty();
      if (row_starts) {
        pad(transfer->pad_right);
        continue;
      }
      int elements = 0;
      for (const int ends : burst) elements += ends;
      unit.pieces.push_back({static_cast<int>(burst.size()), elements, false});
      unit.requests.push_back(static_cast<int>(burst.size()));
    }
    pad(transfer->pad_bottom * width);
    if (unit.pieces.size() == before) pad(1);
    unit.pieces.back().last_of_instruction = true;
    unit.requests_are_reads = true;
  } else if (unit.syncs_as_load) {
    unit.pieces.push_back({0, 0, true});
  } else if (unit.syncs_as_store) {
    flight.not_before = now_ + 1 + latency;
  } else {
    Cycle steps = 1;
    if (const auto* gemm = std::get_if<isa::Gemm>(&instruction.body)) {
      const Cycle taken = CyclesOf(*gemm);
      steps = std::max<Cycle>(1, taken);
      counters_.gemm_steps += static_cast<uint64_t>(taken);
    } else if (const auto* alu = std::get_if<isa::Alu>(&instruction.body)) {
      steps = std::max<Cycle>(1, alu->nest.Steps());
      counters_.alu_steps += static_cast<uint64_t>(std::max<Cycle>(0, alu->nest.Steps()));
      if (alu->op >= 0) steps *= spec_.alu_ops[static_cast<size_t>(alu->op)].initiation_interval;
    }
    flight.counts_as_busy = true;
    flight.retire_at = now_ + steps + latency;
    unit.ready_at = now_ + steps;
  }
  unit.flights.push_back(flight);
}

/// The first that applies, in the order of the page.
void ReferenceModel::Classify(int u) {
  const UnitModel& unit = units_[static_cast<size_t>(u)];
  runtime::LedgerRow& row = counters_.ledger[static_cast<size_t>(u)];
  const bool computing = std::any_of(unit.flights.begin(), unit.flights.end(),
                                     [](const Flight& flight) { return flight.counts_as_busy; });
  if (unit.busy || computing) {
    ++row.busy;
  } else if (unit.wait == 0) {
    ++row.wait_push;
  } else if (unit.wait >= 2) {
    ++row.wait_token[static_cast<size_t>(unit.wait - 2)];
  } else if (unit.wait == 1 || unit.lost_turn) {
    ++row.wait_port;
  } else if (!unit.flights.empty()) {
    ++row.wait_memory;
  } else {
    ++row.idle;
  }
}

}  // namespace cosim::sim::testing
