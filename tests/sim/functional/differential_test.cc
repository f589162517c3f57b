// SPDX-License-Identifier: Apache-2.0
// The functional engine against the golden machine: random programs on random configurations of both ISAs,
// the whole of DRAM and of every on-chip memory compared after each program, on every SIMD level.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "isa/program/decode.h"
#include "sim/functional/functional_engine.h"
#include "tests/sim/golden/golden_machine.h"
#include "tests/sim/golden/random_program.h"

namespace cosim::sim {
namespace {

using cosim::testing::GoldenMachine;
using cosim::testing::Random;
using cosim::testing::RandomProgram;
using cosim::testing::RandomSpec;

std::vector<uint8_t> Image(const isa::Program& program) {
  std::vector<uint8_t> dram(program.dram_bytes, 0);
  for (const isa::Segment& segment : program.segments) {
    std::ranges::copy(segment.bytes, dram.begin() + static_cast<int64_t>(segment.address));
  }
  return dram;
}

std::string Describe(const isa::Spec& spec) {
  std::string text = spec.isa;
  for (const isa::Parameter& parameter : spec.parameters)
    text += fmt::format(" {}={}", parameter.name, parameter.value);
  return text;
}

/// Gives the golden machine the engine's on-chip contents.
void CopyContents(const FunctionalEngine& engine, const isa::Spec& spec, GoldenMachine& golden) {
  for (int m = 0; m < engine.memories().size(); ++m) {
    if (spec.memories[m].mirrors >= 0) continue;
    const MemoryStore& store = engine.memories().Store(m);
    for (int f = 0; f < static_cast<int>(store.fields.size()); ++f) {
      for (int64_t i = 0; i < store.depth * store.lanes; ++i) {
        golden.Set(m, i / store.lanes, i % store.lanes, f, store.fields[f].Get(i));
      }
    }
  }
}

void ExpectSameState(const FunctionalEngine& engine, const isa::Spec& spec, const GoldenMachine& golden) {
  ASSERT_TRUE(std::ranges::equal(engine.dram(), golden.dram()));
  for (int m = 0; m < engine.memories().size(); ++m) {
    if (spec.memories[m].mirrors >= 0) continue;
    const MemoryStore& store = engine.memories().Store(m);
    for (int f = 0; f < static_cast<int>(store.fields.size()); ++f) {
      for (int64_t i = 0; i < store.depth * store.lanes; ++i) {
        ASSERT_EQ(store.fields[f].Get(i), golden.Value(m, i / store.lanes, i % store.lanes, f))
            << spec.memories[m].name << " element " << i / store.lanes << " lane " << i % store.lanes;
      }
    }
  }
}

/// An engine with the program's DRAM image and arbitrary on-chip contents.
void Prepare(FunctionalEngine& engine, const isa::Program& program, uint64_t poison) {
  engine.Reserve(program.dram_bytes);
  engine.WriteDram(0, Image(program));
  engine.PoisonOnChip(poison);
}

void Compare(const isa::Spec& spec, const isa::Program& program, uint64_t poison) {
  std::vector<isa::Decoded> decoded;
  const isa::Decoder decode(spec);
  for (const isa::Instruction& instruction : program.instructions) decoded.push_back(decode(instruction));
  GoldenMachine golden(spec, Image(program));
  FunctionalEngine initial(spec);
  Prepare(initial, program, poison);
  CopyContents(initial, spec, golden);
  for (size_t n = 0; n < decoded.size(); ++n) golden.Execute(program.instructions[n], decoded[n]);
  for (const SimdLevel level : kSimdLevels) {
    if (!IsSupported(level)) continue;
    SCOPED_TRACE(SimdLevelName(level));
    FunctionalEngine engine(spec, level);
    Prepare(engine, program, poison);
    for (size_t n = 0; n < decoded.size(); ++n)
      ASSERT_EQ(engine.Execute(program.instructions[n], decoded[n]), "");
    ASSERT_NO_FATAL_FAILURE(ExpectSameState(engine, spec, golden));
  }
}

void CompareOnRandomConfigurations(const std::string& isa, uint64_t seed) {
  Random random(seed);
  for (int n = 0; n < 30; ++n) {
    const isa::Spec spec = RandomSpec(isa, random);
    SCOPED_TRACE(Describe(spec));
    const isa::Program program = RandomProgram(spec, 60, random);
    ASSERT_NO_FATAL_FAILURE(Compare(spec, program, random.Bits()));
  }
}

TEST(FunctionalEngine, MatchesGoldenMachineOnRandomCosimPrograms) {
  CompareOnRandomConfigurations("cosim", 11);
}

TEST(FunctionalEngine, MatchesGoldenMachineOnRandomVtaPrograms) { CompareOnRandomConfigurations("vta", 12); }

}  // namespace
}  // namespace cosim::sim
