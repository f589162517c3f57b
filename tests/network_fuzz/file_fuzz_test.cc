// SPDX-License-Identifier: Apache-2.0
// A short run of random TensorFlow Lite files; `scripts/fuzz-networks --files` makes long ones. Also: that a
// long one draws all operators, and what failed once.
#include <gmock/gmock.h>

#include "tests/network_fuzz/network_case.h"
#include "tests/network_fuzz/random_file.h"
#include "tests/sanitized.h"

namespace cosim::testing {
namespace {

TEST(FileFuzz, RandomFilesOnRandomHardwareAreTheGoldenModels) {
  constexpr int kCases = Cases(24);
  int equal = 0, on_accelerator = 0, on_cpu = 0;
  for (uint64_t seed = 1; seed <= kCases; ++seed) {
    const NetworkCase c = DrawFileCase(seed);
    const Outcome outcome = RunIsolated(c, 60);
    EXPECT_NE(outcome.kind, Outcome::Kind::kFailed) << outcome.reason << "\n--case='" << ToString(c) << "'";
    equal += outcome.kind == Outcome::Kind::kEqual;
    on_accelerator += outcome.on_accelerator;
    on_cpu += outcome.on_cpu;
  }
  EXPECT_GT(equal, kCases / 2);
  EXPECT_GT(on_accelerator, kCases);
  EXPECT_GT(on_cpu, kCases);
}

TEST(FileFuzz, ALongRunDrawsEveryOperator) {
  std::map<std::string, int64_t> drawn;
  for (uint64_t seed = 1; seed <= 600; ++seed)
    for (const auto& [op, uses] : OperatorsOf(DrawFileCase(seed))) drawn[op] += uses;
  for (const std::string& op : KnownOperators()) EXPECT_GE(drawn[op], 3) << op;
}

TEST(FileFuzz, ACaseSurvivesItsText) {
  const std::string text = ToString(DrawFileCase(5));
  const auto parsed = ParseCase(text);
  ASSERT_TRUE(parsed) << text;
  EXPECT_EQ(ToString(*parsed), text);
  EXPECT_FALSE(parsed->file.empty());
  EXPECT_FALSE(ParseCase("isa=cosim file=int4"));
}

}  // namespace
}  // namespace cosim::testing
