// SPDX-License-Identifier: Apache-2.0
// One planted fault in a compiled program: what a compiler, an assembler or a person may get wrong. Whether
// it matters is tests/network/mutant_judge.h's.
#pragma once

#include <optional>
#include <string_view>

#include "isa/program/program.h"
#include "isa/spec/spec.h"
#include "tests/isa/program/random_program.h"

namespace cosim::testing {

enum class MutationClass {
  kDropInstruction,
  kDuplicateInstruction,
  kSwapInUnit,     ///< with the next instruction of its unit
  kSwapInProgram,  ///< with the next instruction
  kTruncate,       ///< the program ends early
  kHollow,         ///< a sync in its place, with its tokens
  kDropPop,
  kDropPush,
  kDropToken,  ///< a push and the pop that meets it
  kAddPop,
  kAddPush,
  kMovePopLater,     ///< to the next instruction of the unit
  kMovePushEarlier,  ///< to the one before
  kChangeQueue,      ///< a pop or push of another queue
  kSramAddress,      ///< of a transfer; likewise the next four
  kDramAddress,
  kTransferStride,
  kTransferShape,  ///< rows or columns
  kPadding,
  kIndexBase,  ///< of a gemm or alu; likewise the next three
  kIndexStride,
  kLoopCount,
  kMicroOpRange,
  kMicroOpContent,  ///< a bit in a micro-op segment
  kLockBits,
  kSumMode,  ///< overwrite or reset of a gemm
  kAluOp,
  kImmediate,
  kWrongMemory,  ///< a transfer of another memory, with the same fields
};
inline constexpr int kMutationClasses = 29;
std::string_view Name(MutationClass what);

/// `program` with one fault of the class at a random place, and without its encoded words, which would give
/// every change away. Nothing when the place does not allow it: draw again.
std::optional<isa::Program> Mutate(const isa::Spec& spec, isa::Program program, MutationClass what,
                                   isa::testing::Random& random);

}  // namespace cosim::testing
