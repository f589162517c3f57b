// SPDX-License-Identifier: Apache-2.0
// A short run of random networks; scripts/fuzz-networks makes long ones. Also: that failures shrink and that
// a case survives its text.
#include <gmock/gmock.h>

#include "tests/network_fuzz/network_case.h"
#include "tests/sanitized.h"

namespace cosim::testing {
namespace {

TEST(NetworkFuzz, RandomNetworksOnRandomHardwareAreTheGoldenModels) {
  constexpr int kCases = Cases(60);
  int equal = 0, on_accelerator = 0, on_cpu = 0;
  for (uint64_t seed = 1; seed <= kCases; ++seed) {
    const NetworkCase c = DrawCase(seed);
    const Outcome outcome = RunIsolated(c, 60);
    EXPECT_NE(outcome.kind, Outcome::Kind::kFailed) << outcome.reason << "\n--case='" << ToString(c) << "'";
    if (outcome.kind == Outcome::Kind::kRefused) {
      EXPECT_THAT(outcome.reason, ::testing::HasSubstr("error[E")) << ToString(c);
    }
    equal += outcome.kind == Outcome::Kind::kEqual;
    on_accelerator += outcome.on_accelerator;
    on_cpu += outcome.on_cpu;
  }
  EXPECT_GT(equal, kCases / 2);
  EXPECT_GT(on_accelerator, kCases);
  EXPECT_GT(on_cpu, kCases);
}

TEST(NetworkFuzz, RandomNetworksRunOnRtl) {
  int left = 2;
  for (uint64_t seed = 4; left > 0; ++seed) {
    ASSERT_LT(seed, 20) << "hardly a case has layers on the accelerator";
    NetworkCase c = DrawCase(seed);
    if (RunIsolated(c, 60).on_accelerator == 0) continue;
    --left;
    c.rtl = true;
    const Outcome outcome = RunIsolated(c, 300);
    EXPECT_EQ(outcome.kind, Outcome::Kind::kEqual) << outcome.reason << "\n--case='" << ToString(c) << "'";
  }
}

TEST(NetworkFuzz, CasesThatFailedOnceStayEqual) {
  for (const char* text : {
           // A concatenation of values that are wider than the lanes they were packed into.
           "isa=cosim threads=1 keep=0 bits=16 rtl=0 seed=7307524d7507f108 set= "
           "steps=dc9478db0b5ff5bd,35472d032105894a,d7f8bc1d93f8ead,69b70d54f93c4e59",
           // Loads that lock the banks they write.
           "isa=cosim threads=1 keep=0 bits=8 rtl=0 seed=e0d4a0836c8ba980 "
           "set=parameters.inp_banks:1,parameters.acc_banks:1 steps=eddbfed0fd69dcf",
           // Weights that hold no positive number.
           "isa=cosim threads=1 keep=0 bits=8 rtl=0 seed=f62a60b2df2b0fed set= steps=3a36eb08de35e81f "
           "edits=set:memories/wgt/type=int(1)",
       }) {
    const auto c = ParseCase(text);
    ASSERT_TRUE(c) << text;
    const Outcome outcome = RunCase(*c);
    EXPECT_EQ(outcome.kind, Outcome::Kind::kEqual) << outcome.reason << "\n--case='" << text << "'";
  }
}

TEST(NetworkCase, SurvivesItsText) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    NetworkCase c = DrawCase(seed);
    c.rtl = seed % 2 == 0;
    const std::string text = ToString(c);
    const auto parsed = ParseCase(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(ToString(*parsed), text);
  }
  EXPECT_FALSE(ParseCase("isa=cosim colour=red"));
  EXPECT_FALSE(ParseCase("nonsense"));
}

TEST(NetworkCase, ShrinksToWhatTheFailureNeeds) {
  NetworkCase c = DrawCase(3);
  c.steps = {1, 2, 3, 4, 5};
  const NetworkCase small = Shrink(c, [](const NetworkCase& candidate) {
    const auto has = [&](uint64_t step) {
      return std::count(candidate.steps.begin(), candidate.steps.end(), step) > 0;
    };
    return has(2) && has(4);
  });
  EXPECT_THAT(small.steps, ::testing::ElementsAre(2, 4));
  EXPECT_TRUE(small.overrides.empty());
  EXPECT_EQ(small.threads, 1);
}

}  // namespace
}  // namespace cosim::testing
