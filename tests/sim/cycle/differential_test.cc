// SPDX-License-Identifier: Apache-2.0
// The event-driven engine against the tick-driven reference, on random configurations and programs: per
// instruction, per ledger row, to the cycle.
#include <gtest/gtest.h>

#include "tests/sim/cycle/testing/compare.h"

namespace cosim::sim::testing {
namespace {

void CompareMany(Shape shape, bool token_correct, int instructions, uint64_t first_seed, int cases) {
  for (uint64_t seed = first_seed; seed < first_seed + static_cast<uint64_t>(cases); ++seed) {
    const std::string difference = Compare(RandomCase(shape, token_correct, instructions, seed));
    ASSERT_EQ(difference, "") << "seed " << seed;
  }
}

TEST(EngineAgainstReference, AgreesOnShortProgramsOfSeparateUnits) {
  CompareMany(Shape::kCosim, true, 8, 1, 400);
}
TEST(EngineAgainstReference, AgreesOnLongProgramsOfSeparateUnits) {
  CompareMany(Shape::kCosim, true, 150, 1000, 150);
}
TEST(EngineAgainstReference, AgreesOnShortProgramsOfAMergedUnit) {
  CompareMany(Shape::kVta, true, 8, 2000, 400);
}
TEST(EngineAgainstReference, AgreesOnLongProgramsOfAMergedUnit) {
  CompareMany(Shape::kVta, true, 150, 3000, 150);
}
TEST(EngineAgainstReference, AgreesOnAnyIsaInShort) { CompareMany(Shape::kAnyIsa, true, 8, 4000, 800); }
TEST(EngineAgainstReference, AgreesOnAnyIsaInLong) { CompareMany(Shape::kAnyIsa, true, 120, 5000, 300); }
TEST(EngineAgainstReference, AgreesOnProgramsThatMayDeadlock) {
  CompareMany(Shape::kAnyIsa, false, 15, 6000, 200);
}

TEST(EngineAgainstReference, AgreesOnAnEmptyProgram) {
  ASSERT_EQ(Compare(RandomCase(Shape::kCosim, true, 0, 1)), "");
}

}  // namespace
}  // namespace cosim::sim::testing
