// SPDX-License-Identifier: Apache-2.0
// docs/rationale/microarchitecture.md a second time, one cycle after the other, as hardware would do it:
// slow, plain, and sharing nothing with sim/. The engine is compared with it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "isa/program/decode.h"
#include "isa/spec/spec.h"
#include "runtime/profile.h"

namespace cosim::sim::testing {

class ReferenceModel {
 public:
  ReferenceModel(const isa::Spec& spec, std::span<const isa::Decoded> program, uint64_t code_address);

  /// Ticks until all instructions retired, or until nothing has happened for a long time (then not completed,
  /// and the ledger is empty). Fills what sim::TimingEngine::Run fills, always with instruction times, never
  /// `error`.
  runtime::Counters Run();

 private:
  using Cycle = runtime::Cycle;
  struct Piece {    ///< what the writer does next: a pad, a burst, or of a gather one cycle of an element
    int beats = 0;  ///< of the burst that ends with it; 0: none
    int elements = 0;
    bool last_of_instruction = false;
    bool gathered = false;  ///< one cycle …
    bool pops = false;      ///< … in which a beat that must have arrived leaves the data buffer
  };
  struct Flight {
    int instruction = -1;
    bool counts_as_busy = false;
    Cycle retire_at = -1;  ///< once known
    int responses_left = 0;
    Cycle not_before = 0;  ///< stores
  };
  struct UnitModel {
    bool syncs_as_load = false, syncs_as_store = false, computes = false, overlap = false;
    std::deque<int> commands;
    std::deque<Flight> flights;
    Cycle ready_at = 0;
    // Requests of the instruction that presents.
    std::deque<int> requests;      ///< beats
    std::deque<int> store_cycles;  ///< of the data channel, for each request of a store
    bool requests_are_reads = false, presented = false;
    Cycle first_request = 0;  ///< no request is presented before
    // Load.
    int buffer_room = 0;
    std::deque<int> arrived;  ///< of each accepted burst, beats that arrived, oldest first
    std::deque<Piece> pieces;
    int piece_cycles_left = 0;
    int popped = 0;         ///< beats of the oldest burst that have left the data buffer
    Cycle tail_until = -1;  ///< last cycle of the `latency` cycles after an instruction
    // For the ledger, in this cycle.
    bool busy = false, lost_turn = false;
    int wait = -1;  ///< 0 push, 1 bank, 2 + q: token of queue q; -1: none
  };
  struct ReadBurst {
    int requester = 0;  ///< 0: fetch, else unit + 1
    int beats_left = 0;
    bool first = true;
    Cycle ready = 0;
  };
  struct WriteBurst {
    int unit = 0;
    int cycles_left = 0;
    Cycle earliest = 0;
    int beats = 0;
  };
  struct PortModel {
    std::deque<ReadBurst> reading;
    int reads_outstanding = 0, read_turn = 0;
    uint64_t reads = 0;
    std::deque<WriteBurst> writing;
    std::optional<WriteBurst> sent;  ///< its last beat left in the cycle before
    std::deque<std::pair<int, Cycle>> responding;
    int writes_outstanding = 0, write_turn = 0;
    Cycle last_response = -1;
  };
  struct Bank {
    int unit = -1;
    int holds = 0;
  };

  void Present();
  void ArbitrateReads(int p);
  void DeliverBeat(PortModel& port);
  void TickWriter(int u);
  void ArbitrateWrites(int p);
  void SendBeat(PortModel& port);
  void Write(PortModel& port);
  void TakeResponses(PortModel& port);
  void RetireHead(int u);
  void Dispatch();
  void TryIssue(int u);
  void Start(int u, int instruction);
  void Classify(int u);
  bool Happens(std::function<void()> effect);
  std::vector<std::vector<int>> RowBursts(const isa::Transfer& transfer) const;
  std::vector<bool> RowTakes(const isa::Transfer& transfer, int64_t row) const;
  void StartGather(UnitModel& unit, const isa::Transfer& transfer);
  void CutFetch();
  bool Requests(int u, int port, bool reads) const;
  Cycle DramEnd(std::pair<Cycle, double> ready, int beats);

  const isa::Spec& spec_;
  std::span<const isa::Decoded> program_;
  uint64_t code_address_;
  std::vector<UnitModel> units_;
  std::vector<int> tokens_, places_;
  std::vector<std::vector<Bank>> banks_;

  std::deque<int> fetch_requests_;
  bool fetch_presented_ = false;
  int64_t fetch_room_ = 0, fetch_beats_presented_ = 0, fetch_beats_arrived_ = 0;
  size_t dispatched_ = 0;

  std::vector<PortModel> ports_;
  std::pair<Cycle, double> dram_taken_ = {0, 0};  ///< all of these cycles, and bytes of the next

  Cycle now_ = 0;
  size_t retired_ = 0;
  bool something_happened_ = false;
  std::vector<std::function<void()>> effects_;  ///< seen from the next cycle on
  runtime::Counters counters_;
};

}  // namespace cosim::sim::testing
