// SPDX-License-Identifier: Apache-2.0
// The two ISAs as they are written, under configurations overridden at random, with random legal programs:
// engine and reference agree to the cycle, and nothing gets stuck.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "isa/spec/loader.h"
#include "sim/cycle/timing_engine.h"
#include "tests/isa/program/random_program.h"
#include "tests/sim/cycle/testing/compare.h"

namespace cosim::sim::testing {
namespace {

isa::Spec LoadTiny(const std::string& isa, Random& random) {
  auto any = [&](const char* key, int64_t low, int64_t high) {
    return isa::Override{key, fmt::format("{}", random.In(low, high))};
  };
  const int64_t burst = random.Of<int64_t>({1, 3, 16, 32, 256});
  std::vector<isa::Override> overrides = {any("memory.latency", 2, 100),
                                          any("memory.write_latency", 1, 60),
                                          any("memory.outstanding", 1, 8),
                                          any("memory.jitter", 0, 40),
                                          any("memory.seed", 1, 1000000),
                                          any("parameters.tokens", 2, 8),
                                          any("parameters.commands", 2, 40),
                                          any("parameters.fetch_words", 4, 64),
                                          {"memory.burst_beats", fmt::format("{}", burst)},
                                          any("parameters.load_beats", std::max<int64_t>(16, burst), 300),
                                          {"parameters.block_in", random.Of<std::string>({"2", "4", "8"})},
                                          {"parameters.block_out", random.Of<std::string>({"2", "4", "8"})},
                                          {"memory.port_bits", random.Of<std::string>({"32", "64", "128"})}};
  Diagnostics diags;
  const auto spec = isa::LoadSpec("tiny.yaml", isa, overrides, diags);
  if (!spec) throw std::runtime_error(diags.Render());
  return *spec;
}

void CompareMany(const std::string& isa, uint64_t first_seed, int cases) {
  for (uint64_t seed = first_seed; seed < first_seed + static_cast<uint64_t>(cases); ++seed) {
    Random random(seed);
    Case c;
    c.spec = LoadTiny(isa, random);
    const isa::Program program = isa::testing::RandomProgram(
        c.spec, {.seed = seed, .instructions = static_cast<int>(random.In(5, 80))});
    c.program = DecodeAll(c.spec, program);
    c.code_address = program.code_address;
    ASSERT_EQ(Compare(c), "") << "seed " << seed;
    EXPECT_TRUE(TimingEngine(c.spec).Run(c.program, c.code_address).completed) << "seed " << seed;
  }
}

TEST(EngineAgainstReference, AgreesOnLegalProgramsOfCosim) { CompareMany("cosim", 1, 120); }
TEST(EngineAgainstReference, AgreesOnLegalProgramsOfVta) { CompareMany("vta", 1000, 120); }

}  // namespace
}  // namespace cosim::sim::testing
