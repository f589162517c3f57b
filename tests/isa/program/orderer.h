// SPDX-License-Identifier: Apache-2.0
// Places tokens in a program that grows instruction by instruction. A token goes from the instruction to be
// followed itself where its queue allows, else through sync instructions. What has to follow what is the
// caller's knowledge.
#pragma once

#include <cstdint>
#include <map>
#include <queue>
#include <vector>

#include "isa/program/decode.h"
#include "isa/program/program.h"
#include "isa/spec/spec.h"

namespace cosim::isa::testing {

/// Instructions are numbered within their unit, from 1. Token order stays forward (isa/verify/verify.h).
class Orderer {
 public:
  /// Appends to `program`, which has to be empty. Keeps references to both.
  Orderer(const Spec& spec, Program& program);

  /// True if a token can be brought from unit `from` to unit `to`, through units that all have sync
  /// instructions.
  bool CanOrder(int from, int to) const { return !Path(from, to).empty(); }
  /// Number of the last instruction of `from` that all further ones of `to` follow.
  int64_t Known(int from, int to) const;
  /// How many instructions the unit has.
  int64_t Issued(int unit) const { return static_cast<int64_t>(issued_[unit].size()); }

  /// Makes the instruction about to be appended to unit `to` follow instruction `number` of unit `from`.
  void Order(int from, int64_t number, int to);

  /// Appends it with the tokens it waits for. Returns its number.
  int64_t Append(Instruction instruction);

 private:
  Instruction Sync(int unit) const;
  /// Queues of a shortest way from a unit to another, or round to itself; empty if there is none.
  std::vector<int> Path(int from, int to) const;
  /// Tokens that queue `q` holds at most from instruction `position` on.
  int64_t MostTokens(int q, int64_t position) const;
  /// Puts a token into queue `q` once instruction `number` of its unit has retired.
  void PushFrom(int q, int unit, int64_t number);
  void SetPop(Instruction& instruction, int q) const;
  void SetPush(Instruction& instruction, int q) const;
  int64_t Emit(Instruction instruction);

  const Spec& spec_;
  Program& program_;
  Decoder decoder_;
  std::vector<int> sync_;                     // by unit: format, or -1
  std::vector<std::vector<int64_t>> clocks_;  // by unit: what its next instruction follows, by unit
  std::vector<std::vector<int64_t>> issued_;  // by unit: positions
  std::vector<std::vector<int64_t>> seen_;    // by position: clock at issue
  std::map<int, std::queue<std::vector<int64_t>>> tokens_;  // by queue: clocks
  std::vector<int64_t> last_push_;                          // by queue: position, or -1
  std::vector<int> pending_;                                // queues the next instruction pops
};

}  // namespace cosim::isa::testing
