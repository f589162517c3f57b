// SPDX-License-Identifier: Apache-2.0
// The verifier's checks of one instruction's accesses: bounds, micro-ops, program memory, banks, distances
// within an alu instruction. How instructions stand to each other is isa/verify/races.h's.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/program/decode.h"
#include "isa/program/microops.h"
#include "isa/verify/footprint.h"
#include "isa/verify/report.h"

namespace cosim::isa {

class AccessChecker {
 public:
  AccessChecker(const Spec& spec, const Program& program, VerifyReport& report);

  /// Reports kOnChipBounds, kDramBounds, kDramAlignment, kProgramOverwritten of a load or store; true if
  /// there was nothing, as for all other instructions.
  bool CheckTransfer(int64_t i, const Decoded& decoded);

  /// Reports kOnChipBounds, kMicroOpUnknown of gemm and alu; true if there was nothing. When both checks are
  /// passed the footprint can be built.
  bool CheckNest(int64_t i, const Decoded& decoded, const MicroOpMemories& micro_ops);

  /// Reports kBankNotLocked, of a port too where banks' ports are held apart. `accesses` is the instruction's
  /// footprint; likewise below.
  void CheckBanks(int64_t i, const Decoded& decoded, std::span<const OnChipAccess> accesses);

  /// Reports kReadTooSoon.
  void CheckDistances(int64_t i, const Decoded& decoded, std::span<const OnChipAccess> accesses,
                      const MicroOpMemories& micro_ops);

 private:
  struct ProgramRange {
    uint64_t begin = 0, end = 0;
    std::string name;
  };

  /// An instruction's operand in the memory that it writes.
  struct OwnRead {
    const Nest* nest = nullptr;
    int memory = -1;
    Index read, write;
    int64_t min_distance = 1;
    std::string_view name;  // of what needs the distance
  };

  bool CheckNotProgram(int64_t i, const Transfer& transfer);
  bool CheckMicroOps(int64_t i, const Nest& nest, const MicroOpMemories& micro_ops);
  /// `last_line`: elements from the first row that a step takes to the last one.
  bool CheckIndex(int64_t i, const Nest& nest, const Index& index, const Operand& operand,
                  const MicroOpMemories& micro_ops, Wide last_line = 0);
  /// Walks the steps; reports the first read that comes too soon after its write.
  void WalkDistances(int64_t i, const OwnRead& own, const MicroOpMemories& micro_ops);
  void Add(FindingKind kind, int64_t i, int memory, std::string message);

  const Spec& spec_;
  const Program& program_;
  VerifyReport& report_;
  std::vector<ProgramRange> ranges_;  // by address, disjoint
  std::vector<int64_t> last_write_;   // by element: step, of the walk under way
};

}  // namespace cosim::isa
