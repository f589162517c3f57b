// SPDX-License-Identifier: Apache-2.0
// The verifier's race check: follows happens-before with one clock a unit and remembers, per on-chip element
// and stored DRAM granule, who touched it last. The rules of order stand in isa/verify/verify.h.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "isa/program/decode.h"
#include "isa/verify/footprint.h"
#include "isa/verify/report.h"

namespace cosim::isa {

/// DRAM as far as races go: only bytes that the program stores to can race. They are numbered in granules,
/// gaps left out, so that a shadow of them is small.
class StoredDram {
 public:
  StoredDram(const Spec& spec, std::span<const Decoded> decoded);
  int64_t granules() const { return granules_; }
  uint64_t granule_bytes() const { return granule_bytes_; }
  /// Calls function(begin, end) with the granule numbers that each row of the transfer touches, if any.
  template <typename Function>
  void ForEachRow(const Transfer& transfer, Function function) const;
  /// First byte of a granule.
  uint64_t Address(int64_t granule) const;

 private:
  struct Range {
    uint64_t begin = 0, end = 0;  // bytes
    int64_t first = 0;            // granule number of `begin`
  };
  const Spec& spec_;
  std::vector<Range> ranges_;  // ascending, disjoint, apart
  uint64_t granule_bytes_ = 1;
  int64_t granules_ = 0;
};

/// Fed with instructions in an order of execution.
class RaceChecker {
 public:
  RaceChecker(const Spec& spec, std::span<const Decoded> decoded, VerifyReport& report);

  /// Takes the next instruction: moves the clocks and reports kReadAfterWrite, kWriteAfterRead,
  /// kWriteAfterWrite.
  void Execute(int64_t i, std::span<const OnChipAccess> accesses);

 private:
  /// When each element was last read and written by one unit: the instruction's number within the unit, from
  /// 1; 0: never.
  /// `*_word` hold the greatest of each 64 elements, which most checks stop at.
  struct Shadow {
    explicit Shadow(int64_t size)
        : read(size), write(size), read_word(size / 64 + 1), write_word(size / 64 + 1) {}
    std::vector<int32_t> read, write, read_word, write_word;
  };
  /// One storage: a memory or the stored DRAM, with a shadow for each unit that has touched it.
  struct Storage {
    int64_t size = 0;
    std::vector<std::unique_ptr<Shadow>> by_unit;
  };
  /// What instructions a unit has, if all of one kind; deciding when its own order suffices. Gemms that read
  /// their own sums count as alus.
  enum class Pipeline { kInOrder, kLoads, kGemms, kAlus, kStores, kMixed };
  struct Current {
    int64_t instruction = 0;
    int unit = -1;
    int32_t number = 0;             // within its unit
    std::span<const int32_t> seen;  // by unit: number of the last instruction known to have retired
  };
  struct Conflict {
    FindingKind kind = FindingKind::kReadAfterWrite;
    int64_t first = 0, count = 0;
  };

  void MoveClocks(const Decoded& decoded);
  /// Calls function(storage, word, mask, is_write) for all that the instruction touches: the elements from
  /// word * 64 on that `mask` names.
  template <typename Function>
  void ForEachWord(const Decoded& decoded, std::span<const OnChipAccess> accesses, Function function) const;
  /// Looks for conflicts of the current instruction's access with those before it.
  void Compare(int where, int64_t word, uint64_t mask, bool is_write);
  void Record(int where, int64_t word, uint64_t mask, bool is_write);
  void AddConflicts(int where, int64_t word, uint64_t mask, FindingKind kind, int unit,
                    const std::vector<int32_t>& last);
  bool OwnOrderSuffices(FindingKind kind) const;
  void ReportConflicts();
  std::string Describe(int where, const Conflict& conflict) const;

  const Spec& spec_;
  std::span<const Decoded> decoded_;
  VerifyReport& report_;
  StoredDram dram_;
  int units_ = 0;
  std::vector<Pipeline> pipelines_;           // by unit
  std::vector<Storage> storages_;             // by memory, then DRAM
  std::vector<std::vector<int32_t>> clocks_;  // by unit: what its last issued instruction has seen retired
  std::vector<std::vector<int64_t>> issued_;  // by unit: instructions, in order
  std::vector<std::deque<std::vector<int32_t>>> tokens_;  // by queue: what a pop learns
  Current current_;
  /// Of the current instruction: (storage, other instruction, kind) and what they share.
  std::map<std::pair<int, int64_t>, std::vector<Conflict>> conflicts_;
};

}  // namespace cosim::isa
