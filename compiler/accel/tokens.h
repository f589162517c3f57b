// SPDX-License-Identifier: Apache-2.0
// Tokens from dataflow: takes instructions in program order with what they read and write, and places the
// pops and pushes that order conflicting accesses of different units. Orderings already implied by earlier
// tokens cost nothing; where two units have no queue the order is routed through others, by sync instructions
// if need be. After Finish, every push stands before its pop and no queue ever holds more than its capacity
// in program order, so the program cannot deadlock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/program/program.h"
#include "isa/spec/spec.h"

namespace cosim::accel {

/// What one instruction touches: exact sets of on-chip elements, run by run, and byte ranges of DRAM.
struct Footprint {
  struct OnChip {
    int memory = -1;
    bool write = false;
    int32_t begin = 0, end = 0;
  };
  struct Dram {
    bool write = false;
    uint64_t begin = 0, end = 0;
  };
  std::vector<OnChip> on_chip;
  std::vector<Dram> dram;
};

/// Why not every order between two units can be expressed: units that no chain of queues connects, or one
/// without a sync instruction. Empty: it can, which TokenInserter expects.
std::string MissingOrder(const isa::Spec& spec);

/// Takes instructions in program order.
class InstructionSink {
 public:
  virtual ~InstructionSink() = default;
  /// `tag` is whose it is (its layer, say).
  virtual void Add(isa::Instruction instruction, const Footprint& footprint, int tag) = 0;
};

/// Bytes [begin, end) of DRAM.
struct DramRange {
  uint64_t begin = 0, end = 0;
};

class TokenInserter : public InstructionSink {
 public:
  /// DRAM outside of `tracked`, ascending and apart, is never written by the program: nothing follows from
  /// reading it.
  TokenInserter(const isa::Spec& spec, std::vector<DramRange> tracked);

  /// Appends an instruction; `tag` comes back from Finish beside it.
  void Add(isa::Instruction instruction, const Footprint& footprint, int tag) override;

  struct Result {
    std::vector<isa::Instruction> instructions;
    std::vector<int> tags;
  };
  Result Finish();

 private:
  struct Entry {
    isa::Instruction instruction;
    int tag = 0, unit = 0;
    int64_t order = 0;  ///< program order; gaps leave room for syncs put in between
  };
  struct Token {
    int push = -1, pop = -1;
  };  ///< entries
  /// Who touched each element last; instructions are counted within their unit from 1, 0 is none. A writer
  /// stands there with its unit in its low bits.
  struct Shadow {
    std::vector<int32_t> writer;
    std::vector<std::vector<int32_t>> readers;  ///< [unit][element]; empty of a unit that has read nothing
  };
  /// A range of `tracked` as cells of the shadow.
  struct Cells {
    DramRange range;
    int64_t first = 0;
  };

  void Resize(Shadow& shadow, int64_t elements) const;
  void TouchDram(const Footprint::Dram& range, int unit);
  /// The unit that wrote it last is to be followed, for each element of [begin, end).
  void FollowWriters(const Shadow& shadow, int64_t begin, int64_t end);
  /// Elements [begin, end).
  void Touch(Shadow& shadow, int64_t begin, int64_t end, bool write, int unit);
  /// Lets the next instruction of `consumer` follow instruction number `number` of `producer`.
  void Order(int producer, int32_t number, int consumer, int tag);
  int Append(isa::Instruction instruction, int unit, int tag);
  isa::Instruction MakeSync(int unit) const;
  int FindQueue(int from, int to) const { return queue_of_[from * units_ + to]; }
  /// Instructions of `unit` known to have retired before an entry issues.
  int32_t Known(int entry, int unit) const { return known_[static_cast<size_t>(entry) * units_ + unit]; }
  int NextHop(int from, int to) const;
  void LimitOccupancy(int queue);
  void SetFlag(int entry, int queue, bool push);

  const isa::Spec& spec_;
  int units_, unit_bits_;
  std::vector<Cells> tracked_;
  std::vector<Shadow> memories_;
  Shadow dram_;
  std::vector<int> queue_of_;  ///< [from][to], -1: none
  std::vector<Entry> entries_;
  std::vector<int32_t> known_;                  ///< [entry][unit] of those that are no late syncs
  std::vector<std::vector<int>> by_unit_;       ///< entry of each instruction of a unit
  std::vector<std::vector<int32_t>> clock_;     ///< per unit: what its next instruction is known to follow
  std::vector<std::vector<Token>> tokens_;      ///< per queue, in order
  std::vector<std::vector<int>> pending_pops_;  ///< per unit: queues its next instruction pops
  std::vector<int32_t> deps_, wanted_;          ///< scratch: per unit
};

}  // namespace cosim::accel
