// SPDX-License-Identifier: Apache-2.0
// The verifier against its slow second implementation, on random programs and on what mutations make of them.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <map>
#include <ostream>
#include <set>

#include "isa/program/decode.h"
#include "isa/program/microops.h"
#include "isa/verify/verify.h"
#include "tests/isa/program/mutation.h"
#include "tests/isa/program/random_program.h"
#include "tests/isa/program/reference.h"
#include "tests/isa/program/testing.h"

namespace cosim::isa::testing {
namespace {

struct Machine {
  const char* name;
  const char* isa;
  const char* config;
  std::vector<Override> overrides;
  const char* overlapping = "";  // a unit made to overlap its instructions
};

void PrintTo(const Machine& machine, std::ostream* out) { *out << machine.name; }

const Machine kMachines[] = {
    {"CosimTiny", "cosim", "tiny", {}},
    {"VtaTiny", "vta", "tiny", {}},
    {"CosimPynq", "cosim", "pynq", {}},
    {"CosimNarrowQueues", "cosim", "tiny", {{"parameters.tokens", "1"}, {"parameters.commands", "2"}}},
    {"CosimUnequalBlocks", "cosim", "tiny", {{"parameters.block_in", "8"}}},
    {"CosimOverlappingAlu", "cosim", "tiny", {}, "alu"},
    {"VtaNarrowQueues", "vta", "tiny", {{"parameters.tokens", "1"}, {"parameters.commands", "2"}}},
};

Spec SpecOf(const Machine& machine) {
  Spec spec = MakeSpec(machine.isa, machine.config, machine.overrides);
  for (Unit& unit : spec.units) unit.overlap |= unit.name == machine.overlapping;
  return spec;
}

class VerifyProperty : public ::testing::TestWithParam<Machine> {
 protected:
  Spec spec_ = SpecOf(GetParam());
};

TEST_P(VerifyProperty, RandomProgramsAreClean) {
  int64_t tokens = 0;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    const Program program = RandomProgram(spec_, {.seed = seed, .instructions = 100});
    ASSERT_GT(program.instructions.size(), 50u);
    const VerifyResult result = Verify(spec_, program, OnWrittenMemories());
    ASSERT_TRUE(result.ok()) << "seed " << seed << "\n" << result.Render();
    EXPECT_TRUE(result.forward);
    for (const Instruction& instruction : program.instructions) {
      tokens += std::popcount(Decode(spec_, instruction).pushes);
    }
  }
  EXPECT_GT(tokens, 200);
}

bool Has(const VerifyResult& result, std::initializer_list<FindingKind> kinds) {
  return std::ranges::any_of(result.findings, [&](const Finding& finding) {
    return std::ranges::find(kinds, finding.kind) != kinds.end();
  });
}

constexpr auto kRaces = {FindingKind::kReadAfterWrite, FindingKind::kWriteAfterRead,
                         FindingKind::kWriteAfterWrite};

/// The verifier's verdict, in the reference's terms.
Verdict VerdictOf(const VerifyResult& result) {
  if (Has(result, {FindingKind::kDeadlock})) return Verdict::kDeadlock;
  if (Has(result, {FindingKind::kTokensLeft})) return Verdict::kTokensLeft;
  if (Has(result, {FindingKind::kOnChipBounds, FindingKind::kDramBounds, FindingKind::kProgramOverwritten})) {
    return Verdict::kOutOfBounds;
  }
  if (Has(result, {FindingKind::kBankNotLocked})) return Verdict::kBankNotNamed;
  if (Has(result, {FindingKind::kReadTooSoon})) return Verdict::kReadTooSoon;
  return Has(result, kRaces) ? Verdict::kRace : Verdict::kClean;
}

TEST_P(VerifyProperty, MutantsAreJudgedAsTheReferenceJudgesThem) {
  std::map<Verdict, int> tally;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    const Program program = RandomProgram(spec_, {.seed = seed, .instructions = 40, .data_bytes = 1 << 12});
    Mutator mutator(spec_, seed);
    for (int round = 0; round < 6 * kMutations; ++round) {
      const Mutation mutation = static_cast<Mutation>(round % kMutations);
      const std::optional<Program> mutant = mutator.Mutate(program, mutation);
      if (!mutant) continue;
      const Verdict expected = Judge(spec_, *mutant);
      const VerifyResult result = Verify(spec_, *mutant, OnWrittenMemories(1000));
      ++tally[expected];
      SCOPED_TRACE(
          fmt::format("seed {}, round {}, {}\n{}", seed, round, MutationName(mutation), result.Render()));
      if (Has(result, {FindingKind::kMicroOpUnknown})) {
        // Where tokens go backward, micro-ops are followed in another order of execution than the program's.
        EXPECT_FALSE(result.forward);
        EXPECT_NE(expected, Verdict::kClean);
        continue;
      }
      ASSERT_EQ(VerdictName(VerdictOf(result)), VerdictName(expected));
      EXPECT_EQ(result.ok(), expected == Verdict::kClean);
      if (expected != Verdict::kRace) continue;
      const auto races = Races(spec_, *mutant);
      for (const Finding& finding : result.findings) {
        const auto [low, high] = std::minmax(finding.instructions.at(0), finding.instructions.at(1));
        EXPECT_TRUE(races.contains({low, high})) << finding.message;
      }
    }
  }
  EXPECT_GT(tally[Verdict::kDeadlock], 10);
  EXPECT_GT(tally[Verdict::kTokensLeft], 5);
  EXPECT_GT(tally[Verdict::kOutOfBounds], 2);
  EXPECT_GT(tally[Verdict::kRace], 15);
  EXPECT_GT(tally[Verdict::kClean], 20);
  const bool has_locks = !spec_.formats[spec_.FormatIndex("gemm")].locks.empty();
  EXPECT_EQ(tally[Verdict::kBankNotNamed] > 2, has_locks);
}

/// As the verifier says it.
std::set<UnwrittenRead> ReportedReads(const VerifyResult& result) {
  std::map<std::pair<int64_t, int>, int64_t> least;
  for (const Finding& finding : result.findings) {
    if (finding.kind != FindingKind::kUninitializedRead) continue;
    const auto [found, is_new] =
        least.insert({{finding.instructions.at(0), finding.memory}, finding.element});
    found->second = std::min(found->second, finding.element);
  }
  std::set<UnwrittenRead> reads;
  for (const auto& [where, element] : least) reads.insert({where.first, where.second, element});
  return reads;
}

TEST_P(VerifyProperty, ReadsOfWhatNothingWroteAreThoseTheReferenceFinds) {
  int64_t reads = 0, mutants = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Program program = RandomProgram(spec_, {.seed = seed, .instructions = 80});
    const VerifyResult result = Verify(spec_, program, {.max_findings = 1000});
    const std::set<UnwrittenRead> expected = UnwrittenReads(spec_, program);
    ASSERT_EQ(ReportedReads(result), expected) << "seed " << seed << "\n" << result.Render();
    reads += static_cast<int64_t>(expected.size());
    // The same with races and tokens in the way.
    Mutator mutator(spec_, seed);
    for (int round = 0; round < 3 * kMutations; ++round) {
      const std::optional<Program> mutant =
          mutator.Mutate(program, static_cast<Mutation>(round % kMutations));
      if (!mutant) continue;
      const VerifyResult judged = Verify(spec_, *mutant, {.max_findings = 1000});
      if (!judged.forward || Has(judged, {FindingKind::kTokensLeft, FindingKind::kOnChipBounds,
                                          FindingKind::kDramBounds, FindingKind::kProgramOverwritten}))
        continue;
      ASSERT_EQ(ReportedReads(judged), UnwrittenReads(spec_, *mutant))
          << "seed " << seed << ", round " << round;
      ++mutants;
    }
  }
  EXPECT_GT(reads, 100);
  EXPECT_GT(mutants, 50);
}

bool IsLookedUp(const Spec& spec, int memory) {
  return std::ranges::any_of(spec.alu_ops, [&](const AluOp& op) {
    return std::ranges::count(op.program.tables, memory, &ScalarTable::memory) > 0;
  });
}

/// A memory just deep enough for what the program touches is enough, and one element less is not. (A look-up
/// touches all of a memory, however deep.)
TEST_P(VerifyProperty, BuffersMayShrinkToTheLastElementTouched) {
  const Program program = RandomProgram(spec_, {.seed = 5, .instructions = 120});
  std::map<int, int64_t> last;
  MicroOpMemories micro_ops(spec_, program);
  for (const Instruction& instruction : program.instructions) {
    const Decoded decoded = Decode(spec_, instruction);
    for (const Touch& touch : Touches(spec_, decoded, micro_ops)) {
      if (touch.memory >= 0) last[touch.memory] = std::max(last[touch.memory], touch.element);
    }
    micro_ops.Execute(decoded);
  }
  EXPECT_GT(last.size(), 3u);
  for (auto [memory, element] : last) {
    if (IsLookedUp(spec_, memory)) continue;
    Spec shrunk = spec_;
    shrunk.memories[memory].banks = 1;
    if (shrunk.memories[memory]
            .locks_ports) {  // the fields are of as many banks as there were: nobody contends
      shrunk.memories[memory].readers.resize(1);
      shrunk.memories[memory].writers.resize(1);
    }
    shrunk.memories[memory].depth = element + 1;
    EXPECT_FALSE(Has(Verify(shrunk, program, OnWrittenMemories()), {FindingKind::kOnChipBounds}))
        << spec_.memories[memory].name;
    shrunk.memories[memory].depth = element;
    EXPECT_TRUE(Has(Verify(shrunk, program, OnWrittenMemories()), {FindingKind::kOnChipBounds}))
        << spec_.memories[memory].name;
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, VerifyProperty, ::testing::ValuesIn(kMachines),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace cosim::isa::testing
