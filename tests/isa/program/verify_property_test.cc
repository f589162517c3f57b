// SPDX-License-Identifier: Apache-2.0
// The verifier against its slow second implementation, on random programs and on what mutations make of them.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <bit>
#include <ostream>
#include <variant>

#include "isa/codec.h"
#include "isa/decode.h"
#include "isa/verify.h"
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
    const VerifyResult result = Verify(spec_, program);
    ASSERT_TRUE(result.ok()) << "seed " << seed << "\n" << result.Render();
    EXPECT_TRUE(result.forward);
    for (const Instruction& instruction : program.instructions) {
      tokens += std::popcount(Decode(spec_, instruction).pushes);
    }
  }
  EXPECT_GT(tokens, 200);
}

/// Changes one thing; nothing if the chosen place does not allow it.
class Mutator {
 public:
  Mutator(const Spec& spec, uint64_t seed) : spec_(spec), random_(seed) {}

  std::optional<Program> Mutate(Program program, int which) {
    // The words in DRAM are not what is tested here.
    std::erase_if(program.segments, [](const Segment& s) { return s.kind == Segment::Kind::kInstructions; });
    const size_t at =
        static_cast<size_t>(random_.Uniform(0, static_cast<int64_t>(program.instructions.size()) - 2));
    Instruction& chosen = program.instructions[at];
    const InstructionFormat& format = spec_.formats[chosen.format];
    switch (which) {
      case 0:
        return DropPair(program);
      case 1:
        return Flip(program, chosen, format.pops) ? std::optional(program) : std::nullopt;
      case 2:
        return Flip(program, chosen, format.pushes) ? std::optional(program) : std::nullopt;
      case 3:
        if (LoadsMicroOps(chosen) || LoadsMicroOps(program.instructions[at + 1])) return std::nullopt;
        std::swap(chosen, program.instructions[at + 1]);
        return program;
      case 4:
        return MoveFlag(program, at);
      case 5:
        return Shift(chosen, "dram", 4) ? std::optional(program) : std::nullopt;
      case 6:
        return Shift(chosen, "sram", 1) ? std::optional(program) : std::nullopt;
      case 7:
        return Shift(chosen, "dst_base", 1) || Shift(chosen, "dst_in", 1) ? std::optional(program)
                                                                          : std::nullopt;
      case 8:
        return Shift(chosen, "cols", 1) ? std::optional(program) : std::nullopt;
    }
    return std::nullopt;
  }
  static constexpr int kMutations = 9;

 private:
  bool LoadsMicroOps(const Instruction& instruction) const {
    const InstructionFormat& format = spec_.formats[instruction.format];
    return format.kind == Kind::kLoad && spec_.memories[format.memory].is_micro_ops;
  }

  std::vector<std::pair<size_t, int>> Users(const Program& program, int queue, bool pushes) const {
    std::vector<std::pair<size_t, int>> users;
    for (size_t i = 0; i < program.instructions.size(); ++i) {
      const InstructionFormat& format = spec_.formats[program.instructions[i].format];
      for (auto [q, field] : pushes ? format.pushes : format.pops) {
        if (q == queue && program.instructions[i].values[field] != 0) users.emplace_back(i, field);
      }
    }
    return users;
  }

  /// Takes away one token altogether.
  std::optional<Program> DropPair(Program& program) {
    const int queue = static_cast<int>(random_.Uniform(0, static_cast<int64_t>(spec_.queues.size()) - 1));
    const auto pushes = Users(program, queue, true), pops = Users(program, queue, false);
    if (pushes.empty()) return std::nullopt;
    const size_t k = static_cast<size_t>(random_.Uniform(0, static_cast<int64_t>(pushes.size()) - 1));
    program.instructions[pushes[k].first].values[pushes[k].second] = 0;
    program.instructions[pops[k].first].values[pops[k].second] = 0;
    return program;
  }

  bool Flip(Program&, Instruction& chosen, const std::vector<std::pair<int, int>>& flags) {
    if (flags.empty()) return false;
    const int field = flags[random_.Uniform(0, static_cast<int64_t>(flags.size()) - 1)].second;
    chosen.values[field] ^= 1;
    return true;
  }

  /// Lets another instruction of the same unit push a token.
  std::optional<Program> MoveFlag(Program& program, size_t at) {
    for (auto [queue, field] : spec_.formats[program.instructions[at].format].pushes) {
      if (program.instructions[at].values[field] == 0) continue;
      const auto pushes = Users(program, queue, true);
      const int64_t to = random_.Uniform(0, static_cast<int64_t>(program.instructions.size()) - 1);
      Instruction& other = program.instructions[to];
      for (auto [other_queue, other_field] : spec_.formats[other.format].pushes) {
        if (other_queue != queue || other.values[other_field] != 0) continue;
        other.values[other_field] = 1;
        program.instructions[at].values[field] = 0;
        return program;
      }
    }
    return std::nullopt;
  }

  /// Adds 1 to 6 units to a field, rarely a hundred times that, if it is there and still fits.
  bool Shift(Instruction& chosen, const char* name, int64_t unit) {
    const InstructionFormat& format = spec_.formats[chosen.format];
    const int field = format.FieldIndex(name);
    if (field < 0 || LoadsMicroOps(chosen)) return false;
    if (format.memory >= 0 && std::string(name) == "dram") unit = spec_.memories[format.memory].stored_bytes;
    const int64_t value =
        chosen.values[field] + unit * random_.Uniform(1, 6) * (random_.Percent(20) ? 100 : 1);
    if (value > format.fields[field].type.Max()) return false;
    chosen.values[field] = value;
    return true;
  }

  const Spec& spec_;
  Random random_;
};

bool Has(const VerifyResult& result, std::initializer_list<FindingKind> kinds) {
  for (const Finding& finding : result.findings) {
    for (FindingKind kind : kinds) {
      if (finding.kind == kind) return true;
    }
  }
  return false;
}

bool IsRace(FindingKind kind) {
  return kind == FindingKind::kReadAfterWrite || kind == FindingKind::kWriteAfterRead ||
         kind == FindingKind::kWriteAfterWrite;
}

/// What the mutants came to.
struct Tally {
  int deadlocks = 0, left = 0, bounds = 0, others = 0, races = 0, harmless = 0;
};

/// Compares the verifier's verdict on one mutant with the reference's; an expectation fails where they
/// differ.
void Judge(const Spec& spec, const Program& mutant, Tally& tally) {
  const VerifyResult result = Verify(spec, mutant, {.max_findings = 1000});
  const std::string text = result.Render();
  if (Deadlocks(spec, mutant)) {
    ++tally.deadlocks;
    EXPECT_TRUE(Has(result, {FindingKind::kDeadlock})) << text;
    return;
  }
  EXPECT_FALSE(Has(result, {FindingKind::kDeadlock})) << text;
  if (LeavesTokens(spec, mutant)) {
    ++tally.left;
    EXPECT_TRUE(Has(result, {FindingKind::kTokensLeft})) << text;
    return;
  }
  EXPECT_FALSE(Has(result, {FindingKind::kTokensLeft})) << text;
  if (Has(result, {FindingKind::kMicroOpUnknown})) {
    // Where tokens go backward, micro-ops are followed in another order of execution than the program's.
    ++tally.races;
    EXPECT_FALSE(result.forward) << text;
    EXPECT_FALSE(Races(spec, mutant).empty()) << text;
    return;
  }
  const bool in_bounds = InBounds(spec, mutant);
  EXPECT_EQ(!in_bounds, Has(result, {FindingKind::kOnChipBounds, FindingKind::kDramBounds,
                                     FindingKind::kProgramOverwritten}))
      << text;
  if (!in_bounds) {
    ++tally.bounds;
    return;
  }
  if (Has(result, {FindingKind::kBankNotLocked, FindingKind::kReadTooSoon})) {
    ++tally.others;
  }
  const auto races = Races(spec, mutant);
  bool found = false;
  for (const Finding& finding : result.findings) {
    if (!IsRace(finding.kind)) continue;
    found = true;
    ASSERT_EQ(finding.instructions.size(), 2u);
    const auto [low, high] = std::minmax(finding.instructions[0], finding.instructions[1]);
    EXPECT_TRUE(races.contains({low, high})) << finding.message;
  }
  EXPECT_EQ(found, !races.empty()) << text;
  ++(races.empty() ? tally.harmless : tally.races);
}

TEST_P(VerifyProperty, MutantsAreJudgedAsTheReferenceJudgesThem) {
  Tally tally;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    const Program program = RandomProgram(spec_, {.seed = seed, .instructions = 40, .data_bytes = 1 << 12});
    Mutator mutator(spec_, seed);
    for (int round = 0; round < 6 * Mutator::kMutations; ++round) {
      const std::optional<Program> mutant = mutator.Mutate(program, round % Mutator::kMutations);
      if (!mutant) continue;
      SCOPED_TRACE(fmt::format("seed {}, round {}", seed, round));
      Judge(spec_, *mutant, tally);
      if (HasFailure()) return;
    }
  }
  RecordProperty("races", tally.races);
  RecordProperty("harmless", tally.harmless);
  EXPECT_GT(tally.deadlocks, 10);
  EXPECT_GT(tally.left, 5);
  EXPECT_GT(tally.bounds, 2);
  EXPECT_GT(tally.races, 20);
  EXPECT_GT(tally.harmless, 20);
}

INSTANTIATE_TEST_SUITE_P(Machines, VerifyProperty, ::testing::ValuesIn(kMachines),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace cosim::isa::testing
