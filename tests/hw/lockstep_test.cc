// SPDX-License-Identifier: Apache-2.0
// RTL against models on random programs: every issue and retirement to the cycle, every element on chip to
// the bit.
#include "tests/hw/lockstep.h"

#include <gtest/gtest.h>

#include "tests/hw/models.h"
#include "tests/isa/program/random_program.h"

namespace cosim::testing {
namespace {

using isa::testing::RandomProgram;
using isa::testing::RandomProgramOptions;

/// Short transfers and many tokens, or long ones that fill buffers, pages and pipelines.
RandomProgramOptions OptionsOf(uint64_t seed) {
  RandomProgramOptions options{.seed = seed, .instructions = 70};
  if (seed % 2 == 0) {
    options.max_steps = 200;
    options.max_rows = 9;
    options.max_cols = 24;
    options.max_pad = 7;
    options.data_bytes = 1 << 16;
    options.extra_tokens = 30;
    options.sync = 15;
  }
  return options;
}

class Lockstep : public ::testing::TestWithParam<std::string> {
 protected:
  const isa::Spec& spec_ = SpecOf(GetParam());
  std::unique_ptr<sim::RtlModel> model_ = MakeModel(GetParam());
};

TEST_P(Lockstep, IssuesAndRetiresInTheCyclesOfTheTimingEngine) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    ASSERT_EQ(CompareTiming(*model_, spec_, RandomProgram(spec_, OptionsOf(seed))), "") << "seed " << seed;
  }
}

TEST_P(Lockstep, FollowsTheJitterOfTheMemorySystem) {
  isa::Spec spec = spec_;
  for (uint64_t seed = 101; seed <= 120; ++seed) {
    spec.dram.seed = seed;
    spec.dram.jitter = static_cast<int>(seed % 30);
    spec.dram.latency = 2 + static_cast<int>(seed % 50);
    ASSERT_EQ(CompareTiming(*model_, spec, RandomProgram(spec, OptionsOf(seed))), "") << "seed " << seed;
  }
}

TEST_P(Lockstep, LeavesTheGoldenContentsOnChip) {
  for (uint64_t seed = 201; seed <= 220; ++seed) {
    ASSERT_EQ(CompareContents(*model_, spec_, RandomProgram(spec_, OptionsOf(seed)), seed), "")
        << "seed " << seed;
  }
}

TEST_P(Lockstep, ComputesTheSameWhenTheBusStalls) {
  for (uint64_t seed = 301; seed <= 315; ++seed) {
    isa::testing::Random random(seed);
    const sim::RtlRunOptions stalls{.stall = [&] { return random.Percent(50); }};
    ASSERT_EQ(CompareContents(*model_, spec_, RandomProgram(spec_, OptionsOf(seed)), seed, stalls), "")
        << "seed " << seed;
  }
}

TEST_P(Lockstep, StartsCleanAfterAResetInMidProgram) {
  for (uint64_t seed = 401; seed <= 410; ++seed) {
    const isa::Program broken_off = RandomProgram(spec_, OptionsOf(seed));
    sim::BuiltInMemory memory(spec_.dram);
    const sim::RtlRunOptions reset{.reset_at = static_cast<runtime::Cycle>(seed * 37 % 400)};
    sim::RunRtl(*model_, spec_, broken_off, DramOf(spec_, broken_off), memory, reset);
    const isa::Program program = RandomProgram(spec_, OptionsOf(seed + 50));
    ASSERT_EQ(CompareTiming(*model_, spec_, program), "") << "seed " << seed;
    ASSERT_EQ(CompareContents(*model_, spec_, program, seed), "") << "seed " << seed;
  }
}

TEST_P(Lockstep, DoesNotDependOnWhatRegistersHeldBeforeTheReset) {
  for (int seed = 2; seed <= 5; ++seed) {
    const std::unique_ptr<sim::RtlModel> other = MakeModel(GetParam(), seed);
    ASSERT_EQ(CompareTiming(*other, spec_, RandomProgram(spec_, OptionsOf(500))), "") << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Lockstep, ::testing::ValuesIn(AllModels()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace cosim::testing
