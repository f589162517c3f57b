// SPDX-License-Identifier: Apache-2.0
// RTL against models on random programs: every issue and retirement to the cycle, every element on chip to
// the bit.
#include "tests/hw/lockstep.h"

#include <gtest/gtest.h>

#include "tests/hw/lockstep_pair.h"
#include "tests/hw/lockstep_sweep.h"
#include "tests/hw/models.h"
#include "tests/isa/program/random_program.h"

namespace cosim::testing {
namespace {

class Lockstep : public ::testing::TestWithParam<std::string> {
 protected:
  std::string Difference(const isa::Program& program, const LockstepOptions& options) {
    return Compare(*model_, spec_, program, options).difference;
  }

  isa::Spec spec_ = SpecOf(GetParam());
  std::unique_ptr<sim::RtlModel> model_ = MakeModel(GetParam());
};

TEST_P(Lockstep, AgreesWithTheModels) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const isa::Program program = isa::testing::RandomProgram(spec_, {.seed = seed});
    ASSERT_EQ(Difference(program, {.seed = seed}), "") << "seed " << seed;
  }
}

TEST_P(Lockstep, AgreesWhateverTheLatencies) {
  for (uint64_t seed = 101; seed <= 140; ++seed) {
    const isa::Program program = DrawProgram(spec_, seed);
    ASSERT_EQ(Difference(program, {.seed = seed}), "") << "seed " << seed;
  }
}

TEST_P(Lockstep, ComputesTheSameWhenTheBusStalls) {
  for (uint64_t seed = 301; seed <= 315; ++seed) {
    const isa::Program program = DrawProgram(spec_, seed);
    ASSERT_EQ(Difference(program, {.seed = seed, .stall_percent = 50}), "") << "seed " << seed;
  }
}

TEST_P(Lockstep, StartsCleanAfterAResetInMidProgram) {
  for (uint64_t seed = 401; seed <= 410; ++seed) {
    const isa::Program broken_off = DrawProgram(spec_, seed);
    sim::BuiltInMemory memory(spec_.dram);
    const sim::RtlRunOptions reset{.reset_at = static_cast<runtime::Cycle>(seed * 37 % 400)};
    sim::RunRtl(*model_, spec_, broken_off, DramOf(spec_, broken_off), memory, reset);
    const isa::Program program = DrawProgram(spec_, seed + 50);
    ASSERT_EQ(Difference(program, {.seed = seed}), "") << "seed " << seed;
  }
}

TEST_P(Lockstep, DoesNotDependOnWhatRegistersHeldBeforeTheReset) {
  const isa::Program program = DrawProgram(spec_, 500);
  for (int seed = 2; seed <= 5; ++seed) {
    const std::unique_ptr<sim::RtlModel> other = MakeModel(GetParam(), seed);
    ASSERT_EQ(Compare(*other, spec_, program).difference, "") << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Lockstep, ::testing::ValuesIn(AllModels()),
                         [](const auto& info) { return info.param; });

TEST(Sweep, AgreesOnHardwareNobodyWrote) {
  const SweepResult result = Sweep({.seed = 3, .minutes = 30, .configurations = 2, .programs = 30});
  EXPECT_EQ(result.programs, 60);
  EXPECT_EQ(result.differences, 0);
}

}  // namespace
}  // namespace cosim::testing
