// SPDX-License-Identifier: Apache-2.0
// What shrinking leaves: small, legal, still failing.
#include "tests/isa/program/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "isa/verify/verify.h"
#include "tests/isa/program/random_program.h"
#include "tests/isa/program/testing.h"

namespace cosim::isa::testing {
namespace {

int64_t Count(const Program& program, std::string_view format) {
  return std::ranges::count_if(program.instructions, [&](const Instruction& instruction) {
    return TinySpec().formats[instruction.format].name == format;
  });
}

TEST(Shrink, LeavesTheOneInstructionThatFails) {
  const Program program = RandomProgram(TinySpec(), {.seed = 3, .instructions = 80});
  const Program small =
      Shrink(TinySpec(), program, [](const Program& candidate) { return Count(candidate, "load_wgt") > 0; });
  ASSERT_EQ(small.instructions.size(), 1u);
  EXPECT_EQ(Count(small, "load_wgt"), 1);
}

TEST(Shrink, KeepsWhatTheFailingInstructionNeeds) {
  // A gemm needs micro-ops, and a token between them: nothing can go.
  const Program program = RandomProgram(TinySpec(), {.seed = 4, .instructions = 80});
  const Program small =
      Shrink(TinySpec(), program, [](const Program& candidate) { return Count(candidate, "gemm") > 0; });
  EXPECT_TRUE(Verify(TinySpec(), small, OnWrittenMemories()).ok());
  EXPECT_EQ(Count(small, "gemm"), 1);
  EXPECT_GE(Count(small, "load_gemm_uop"), 1);
  EXPECT_LE(small.instructions.size(), 4u);
}

TEST(Shrink, MakesValuesSmall) {
  const Program program = RandomProgram(TinySpec(), {.seed = 5, .instructions = 40});
  const int format = TinySpec().FormatIndex("load_inp");
  const int cols = TinySpec().formats[format].FieldIndex("cols");
  const auto wide = [&](const Instruction& i) { return i.format == format && i.values[cols] >= 3; };
  const Program small = Shrink(TinySpec(), program, [&](const Program& candidate) {
    return std::ranges::any_of(candidate.instructions, wide);
  });
  ASSERT_EQ(small.instructions.size(), 1u);
  EXPECT_EQ(small.instructions[0].values[cols], 3);
  EXPECT_EQ(small.instructions[0].values[TinySpec().formats[format].FieldIndex("rows")], 1);
}

TEST(Shrink, ShowsOnlyLegalPrograms) {
  const Program program = RandomProgram(TinySpec(), {.seed = 6, .instructions = 60});
  int seen = 0;
  Shrink(TinySpec(), program, [&](const Program& candidate) {
    EXPECT_TRUE(Verify(TinySpec(), candidate, OnWrittenMemories()).ok());
    return ++seen % 3 == 0;
  });
  EXPECT_GT(seen, 10);
}

}  // namespace
}  // namespace cosim::isa::testing
