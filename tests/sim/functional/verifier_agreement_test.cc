// SPDX-License-Identifier: Apache-2.0
// What one instruction may touch is said twice, by the verifier and by the functional engine that all
// simulators share. They have to agree: fields of instructions in random programs are set to near and far
// values, under the written ISAs and random ones.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "isa/program/decode.h"
#include "isa/spec/loader.h"
#include "isa/verify/verify.h"
#include "sim/functional/functional_engine.h"
#include "tests/isa/program/random_isa.h"
#include "tests/isa/program/random_program.h"

namespace cosim::sim {
namespace {

using isa::FindingKind;
using isa::testing::Random;

/// What the verifier refuses and simulators define: a count of 0 (nothing happens), a store into the program,
/// a micro-op that the program did not bring.
constexpr FindingKind kVerifiersOwn[] = {FindingKind::kCount, FindingKind::kProgramOverwritten,
                                         FindingKind::kMicroOpUnknown};
constexpr FindingKind kBoth[] = {FindingKind::kOnChipBounds, FindingKind::kDramBounds,
                                 FindingKind::kDramAlignment, FindingKind::kAluOp,
                                 FindingKind::kMirrorWritten};

bool IsOneOf(std::span<const FindingKind> kinds, FindingKind kind) {
  return std::ranges::find(kinds, kind) != kinds.end();
}

/// Another value for a field that is the instruction's own, not fixed by its format.
bool ChangeAField(const isa::Spec& spec, isa::Instruction& instruction, Random& random) {
  const isa::InstructionFormat& format = spec.formats[instruction.format];
  const auto own = static_cast<int64_t>(1 + format.pops.size() + format.pushes.size());
  const auto count = static_cast<int64_t>(format.fields.size());
  if (own == count) return false;
  const auto field = static_cast<size_t>(random.Uniform(own, count - 1));
  for (const auto& [fixed, value] : format.match)
    if (fixed == static_cast<int>(field)) return false;
  const isa::ScalarType type = format.fields[field].type;
  int64_t& value = instruction.values[field];
  const int64_t before = value;
  // Wide fields wrap; clamping brings them back.
  const auto bits = static_cast<uint64_t>(value);
  const auto far = static_cast<uint64_t>(random.Uniform(1, 1000));
  const int64_t others[] = {static_cast<int64_t>(bits + 1),
                            static_cast<int64_t>(bits - 1),
                            static_cast<int64_t>(bits * 2),
                            static_cast<int64_t>(bits + far),
                            type.Min(),
                            type.Max(),
                            random.Uniform(type.Min(), type.Max())};
  value = std::clamp(others[random.Uniform(0, 6)], type.Min(), type.Max());
  return value != before;
}

bool IsLong(const isa::Nest& nest) {
  int64_t steps = 0;
  return __builtin_mul_overflow(nest.iter_out, nest.iter_in, &steps) ||
         __builtin_mul_overflow(steps, nest.uop_end - nest.uop_begin, &steps) || steps > 1'000'000;
}

/// What the simulator says to instruction `at`, after all before it have been executed.
std::string Simulate(const isa::Spec& spec, const isa::Program& program, size_t at) {
  FunctionalEngine engine(spec);
  engine.Reserve(program.dram_bytes);
  for (const isa::Segment& segment : program.segments) engine.WriteDram(segment.address, segment.bytes);
  const isa::Decoder decode(spec);
  for (size_t i = 0; i < at; ++i) {
    EXPECT_EQ(engine.Execute(program.instructions[i], decode(program.instructions[i])), "");
  }
  return engine.Execute(program.instructions[at], decode(program.instructions[at]));
}

struct Tally {
  int refused = 0, accepted = 0;
};

void Compare(const isa::Spec& spec, uint64_t seed, int rounds, Tally& tally) {
  Random random(seed);
  const isa::Program program = isa::testing::RandomProgram(spec, {.seed = seed, .instructions = 25});
  for (int round = 0; round < rounds; ++round) {
    isa::Program changed = program;
    std::erase_if(changed.segments,
                  [](const isa::Segment& s) { return s.kind == isa::Segment::Kind::kInstructions; });
    const auto at =
        static_cast<size_t>(random.Uniform(0, static_cast<int64_t>(program.instructions.size()) - 1));
    if (!ChangeAField(spec, changed.instructions[at], random)) continue;
    const isa::Decoded decoded = isa::Decode(spec, changed.instructions[at]);
    const isa::VerifyResult result = isa::Verify(spec, changed, isa::testing::OnWrittenMemories(1000));
    bool refused = false, own = false;
    for (const isa::Finding& finding : result.findings) {
      if (finding.instructions.empty() || finding.instructions[0] != static_cast<int64_t>(at)) continue;
      refused |= IsOneOf(kBoth, finding.kind);
      own |= IsOneOf(kVerifiersOwn, finding.kind);
    }
    if (own && !refused) continue;
    const auto* gemm = std::get_if<isa::Gemm>(&decoded.body);
    const auto* alu = std::get_if<isa::Alu>(&decoded.body);
    const isa::Nest* nest = gemm ? &gemm->nest : alu ? &alu->nest : nullptr;
    if (!refused && nest && IsLong(*nest)) continue;
    const std::string error = Simulate(spec, changed, at);
    EXPECT_EQ(refused, !error.empty())
        << spec.isa << " seed " << seed << " round " << round << " instruction " << at
        << ": the simulator says '" << error << "', the verifier\n"
        << result.Render();
    ++(refused ? tally.refused : tally.accepted);
  }
}

TEST(VerifierAgreement, OnFieldsOfTheWrittenIsas) {
  Tally tally;
  for (const char* isa : {"cosim", "vta", "test/split_loads", "test/two_gemm"}) {
    Diagnostics diags;
    const auto spec = isa::LoadSpec("tiny", isa, {}, diags);
    ASSERT_TRUE(spec) << diags.Render();
    for (uint64_t seed = 0; seed < 20; ++seed) Compare(*spec, seed, 60, tally);
  }
  EXPECT_GT(tally.refused, 300);
  EXPECT_GT(tally.accepted, 300);
}

TEST(VerifierAgreement, OnFieldsOfRandomIsas) {
  Tally tally;
  Random random(9);
  for (int drawn = 0; drawn < 40; ++drawn) {
    const isa::SourceText isa = isa::testing::RandomIsa(random);
    const isa::SourceText config = isa::testing::RandomConfig(isa, random);
    Diagnostics diags;
    const std::optional<isa::Spec> spec = isa::Elaborate(isa, config, {}, diags);
    if (spec) Compare(*spec, random.Next(), 40, tally);
  }
  EXPECT_GT(tally.refused, 100);
  EXPECT_GT(tally.accepted, 100);
}

TEST(VerifierAgreement, OnFieldsAsWideAsTheyGet) {
  // Counts and strides whose products leave 64 bits.
  Diagnostics diags;
  isa::SourceText isa = *isa::ReadSource(COSIM_SOURCE_DIR "/isa/cosim.yaml", diags);
  const isa::SourceText config = *isa::ReadSource(COSIM_SOURCE_DIR "/configs/tiny.yaml", diags);
  auto replace_all = [&](const std::string& from, const std::string& to) {
    size_t count = 0;
    for (size_t at = 0; (at = isa.text.find(from, at)) != std::string::npos; at += to.size(), ++count)
      isa.text.replace(at, from.size(), to);
    ASSERT_GT(count, 0u) << from;
  };
  replace_all("dim_bits)", "63)");
  replace_all("iter_bits)", "63)");
  replace_all("dram: uint(32)", "dram: uint(63)");
  replace_all("_in: uint(index_bits(wgt.depth))", "_in: uint(63)");
  replace_all("_out: uint(index_bits(inp.depth))", "_out: uint(63)");
  replace_all("word_bits: max(256, ceil_pow2(instruction_bits))", "word_bits: 1024");
  const auto spec = isa::Elaborate(isa, config, {}, diags);
  ASSERT_TRUE(spec) << diags.Render();
  Tally tally;
  for (uint64_t seed = 0; seed < 30; ++seed) Compare(*spec, seed, 60, tally);
  EXPECT_GT(tally.refused, 300);
}

}  // namespace
}  // namespace cosim::sim
