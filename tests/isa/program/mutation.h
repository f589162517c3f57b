// SPDX-License-Identifier: Apache-2.0
// Plants faults in programs, and says by the slow reference whether a fault matters. Whoever has programs can
// ask with these how many faults the verifier finds, and whether what survives is harmless.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/program/program.h"
#include "isa/spec/spec.h"
#include "tests/isa/program/random_program.h"

namespace cosim::isa::testing {

enum class Mutation {
  kDropToken,      ///< a push and the pop it meets
  kFlipPop,        ///< one pop more or less
  kFlipPush,       ///< one push more or less
  kMoveToken,      ///< another instruction of the unit pushes
  kBackwardToken,  ///< an instruction waits for one that comes later
  kSwap,           ///< two neighbours
  kMoveDram,       ///< a transfer's address in DRAM
  kMoveSram,       ///< a transfer's address on chip
  kMoveIndex,      ///< base or stride of a result
  kWiden,          ///< columns of a transfer
  kUnlock,         ///< a bank no longer named
};
inline constexpr int kMutations = 11;
std::string_view MutationName(Mutation mutation);

class Mutator {
 public:
  Mutator(const Spec& spec, uint64_t seed) : spec_(spec), random_(seed) {}

  /// A program with one fault at a random place, without its encoded words; nothing if the place does not
  /// allow it. Loads of micro-ops are left alone, so that what every nest touches stays known.
  std::optional<Program> Mutate(Program program, Mutation mutation);

 private:
  struct Use {
    size_t instruction = 0;
    int field = -1;
  };
  bool LoadsMicroOps(const Instruction& instruction) const;
  /// All that push (or pop) a queue, in program order.
  std::vector<Use> Users(const Program& program, int queue, bool pushes) const;
  bool Apply(Program& program, size_t at, Mutation mutation);
  bool DropToken(Program& program);
  bool Flip(Instruction& chosen, const std::vector<std::pair<int, int>>& flags);
  bool MoveToken(Program& program, size_t at);
  bool AddBackwardToken(Program& program, size_t at);
  bool Swap(Program& program, size_t at);
  bool Shift(Instruction& chosen, const char* name, int64_t unit);
  /// Makes row_bytes of a load of pieces what its columns take; false: the field does not hold it.
  bool FitRow(Instruction& chosen);
  bool Unlock(Instruction& chosen);

  const Spec& spec_;
  Random random_;
};

/// What a program's worst fault is, by the reference. Programs of a few hundred instructions at most: it is
/// slow.
enum class Verdict { kDeadlock, kTokensLeft, kOutOfBounds, kBankNotNamed, kReadTooSoon, kRace, kClean };
inline constexpr int kVerdicts = 7;
std::string_view VerdictName(Verdict verdict);
Verdict Judge(const Spec& spec, const Program& program);

}  // namespace cosim::isa::testing
