// SPDX-License-Identifier: Apache-2.0
// A sample of scripts/mutate-programs, and that its judge sees what it is there to see.
#include "tests/network/program_mutants.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>

#include "tests/network/mutant_run.h"

namespace cosim::testing {
namespace {

using isa::Kind;

const std::vector<Subject>& Subjects() {
  static const auto* subjects = new std::vector<Subject>(MutationSubjects());
  return *subjects;
}

TEST(ProgramMutants, AreRefusedOrHarmless) {
  constexpr int64_t kMutants = 5 * kMutationClasses;
  std::array<int64_t, kMutantKinds> kinds{};
  std::array<int64_t, kMutationClasses> classes{};
  JudgeMutants(Subjects(), 1, 0, kMutants, [&](const JudgedMutant& mutant) {
    ++kinds[static_cast<size_t>(mutant.verdict.kind)];
    ++classes[static_cast<size_t>(mutant.what)];
    EXPECT_NE(mutant.verdict.kind, MutantKind::kHole)
        << Name(mutant.what) << " in " << Subjects()[mutant.subject].name << ", number " << mutant.number
        << " of seed 1: " << mutant.verdict.why;
  });
  EXPECT_THAT(classes, ::testing::Each(::testing::Gt(0)));
  EXPECT_GT(kinds[static_cast<size_t>(MutantKind::kRefusedBroken)], kMutants / 4);
  EXPECT_GT(kinds[static_cast<size_t>(MutantKind::kEquivalent)] +
                kinds[static_cast<size_t>(MutantKind::kOtherResult)],
            kMutants / 8);
}

/// What breaks when `change` has been made to instruction `at`.
template <typename Change>
std::string Broken(const Subject& subject, size_t at, Change change) {
  isa::Program program = subject.program;
  change(program, program.instructions[at]);
  MutantJudge judge(subject.spec, subject.program, 3);
  return judge.Break(program, {}, 3);
}

/// The first instruction of the kind that pops a token of the unit's (or pushes one).
size_t FirstWith(const Subject& subject, Kind kind, bool pushes) {
  const auto& instructions = subject.program.instructions;
  const auto found = std::ranges::find_if(instructions, [&](const isa::Instruction& instruction) {
    const isa::InstructionFormat& format = subject.spec.formats[instruction.format];
    const auto& flags = pushes ? format.pushes : format.pops;
    return format.kind == kind &&
           std::ranges::any_of(flags, [&](auto& flag) { return instruction.values[flag.second] != 0; });
  });
  return static_cast<size_t>(found - instructions.begin());
}

void ClearTokens(const Subject& subject, isa::Instruction& instruction, bool pops) {
  const isa::InstructionFormat& format = subject.spec.formats[instruction.format];
  for (auto [queue, field] : pops ? format.pops : format.pushes) instruction.values[field] = 0;
}

TEST(MutantJudge, SeesARunThatGetsStuck) {
  const Subject& subject = Subjects()[0];
  EXPECT_THAT(Broken(subject, FirstWith(subject, Kind::kLoad, true),
                     [&](auto&, isa::Instruction& load) { ClearTokens(subject, load, false); }),
              ::testing::StartsWith("stuck"));
}

TEST(MutantJudge, SeesThatOrderIsMissing) {
  // Without any tokens the program runs to its end, and what it computes depends on who is quick.
  for (const Subject& subject : Subjects()) {
    EXPECT_NE(Broken(subject, 0,
                     [&](isa::Program& program, auto&) {
                       for (isa::Instruction& instruction : program.instructions) {
                         ClearTokens(subject, instruction, true);
                         ClearTokens(subject, instruction, false);
                       }
                     }),
              "")
        << subject.name;
  }
}

TEST(MutantJudge, SeesWhatWasOnChipBefore) {
  const Subject& subject = Subjects()[0];
  const size_t store = FirstWith(subject, Kind::kStore, false);
  const int sram = subject.spec.formats[subject.program.instructions[store].format].FieldIndex("sram");
  EXPECT_EQ(Broken(subject, store,
                   [&](isa::Program& program, isa::Instruction& instruction) {
                     // The only instructions are the one that stores and what it pops.
                     ClearTokens(subject, instruction, true);
                     ClearTokens(subject, instruction, false);
                     instruction.values[sram] = 0;
                     const isa::Instruction alone = instruction;
                     program.instructions.assign(1, alone);
                   }),
            "the result depends on what was on chip before");
}

TEST(MutantJudge, SeesAnElementOutsideItsMemory) {
  const Subject& subject = Subjects()[0];
  const size_t load = FirstWith(subject, Kind::kLoad, true);
  const isa::InstructionFormat& format = subject.spec.formats[subject.program.instructions[load].format];
  EXPECT_THAT(Broken(subject, load,
                     [&](auto&, isa::Instruction& instruction) {
                       instruction.values[format.FieldIndex("rows")] =
                           format.fields[format.FieldIndex("rows")].type.Max();
                     }),
              ::testing::HasSubstr("touches"));
}

}  // namespace
}  // namespace cosim::testing
