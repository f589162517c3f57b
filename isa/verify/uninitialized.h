// SPDX-License-Identifier: Apache-2.0
// The verifier's check that an instruction reads on chip only what the program has written before: what
// memories hold when a program starts is undefined. That the write does come before is isa/verify/races.h's.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "isa/program/decode.h"
#include "isa/program/microops.h"
#include "isa/verify/footprint.h"
#include "isa/verify/index_set.h"
#include "isa/verify/report.h"

namespace cosim::isa {

/// Fed with instructions in an order of execution. Where there are no races, whoever writes an element before
/// in one order of execution does so in all, so one order is enough.
class WrittenChecker {
 public:
  WrittenChecker(const Spec& spec, std::span<const Decoded> decoded, VerifyReport& report);

  /// Takes the next instruction: reports kUninitializedRead, an element once, then counts what it writes as
  /// written.
  void Execute(int64_t i, std::span<const OnChipAccess> accesses, const MicroOpMemories& micro_ops);

 private:
  /// The indices of a nest that read and write one memory, when steps may read what earlier steps wrote.
  struct OwnResults;
  OwnResults FindOwnResults(const Decoded& decoded, int memory) const;
  /// Takes from `missing` (elements of `memory` not written before) what a step of the instruction itself
  /// writes before the first step that reads it.
  void DropOwnResults(const Decoded& decoded, int memory, const MicroOpMemories& micro_ops,
                      IndexSet& missing) const;
  /// Elements count as written once pieces have filled all their bytes.
  void AddPieces(const Transfer& load);
  void Report(int64_t i, int memory, const IndexSet& missing);
  /// What would write it: "instruction 7 'load_wgt' does so later", or the instructions that write the
  /// memory.
  std::string Hint(int64_t i, int memory, int64_t element) const;

  const Spec& spec_;
  std::span<const Decoded> decoded_;
  VerifyReport& report_;
  std::vector<IndexSet> written_;  // by memory
  IndexSet missing_;
  std::map<std::pair<int, int64_t>, std::vector<bool>> pieces_;  // by memory and element, some bytes missing
};

}  // namespace cosim::isa
