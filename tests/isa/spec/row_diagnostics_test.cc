// SPDX-License-Identifier: Apache-2.0
// What is wrong with intrinsics whose lanes are more than axes, or that go along rows; and with where an
// instruction is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/isa/spec/testing.h"

namespace cosim::isa {
namespace {

using testing::Complaints;
using testing::ComplaintsOfIsa;
using testing::kIsa;
using testing::Replace;
using ::testing::StartsWith;

constexpr char kPlain[] = "    computes: acc[dst][o] += inp[src][k] * wgt[wgt][o, k]\n";
constexpr char kRows[] = "acc[dst][o] += inp[src + t][2 * floor_div(o, 2) + g] * wgt[wgt][o, 2 * t + g]";

std::string RowComplaints(const std::string& axes, const std::string& computes) {
  return ComplaintsOfIsa(kPlain, "    axes: " + axes + "\n    computes: " + computes + "\n");
}

TEST(RowDiagnostics, AcceptsPairsOfChannelsOfTwoElements) {
  EXPECT_EQ(RowComplaints("{t: 2, g: 2}", kRows), "");
  EXPECT_EQ(RowComplaints("{t: 2, g: block / 2}",
                          "acc[dst][o] += inp[src + t][2 * floor_div(o, 2) + g] * wgt[wgt][o, 2 * t + g]"),
            "");
}

constexpr char kSeveral[] = "acc[dst][o] += inp[src + t + src_row * r][o] * wgt[wgt][o, 2 * r + t]";

/// Of an instruction with the field src_row.
std::string SeveralComplaints(const std::string& computes, const std::string& type = "uint(6)") {
  const std::string isa = Replace(kIsa, kPlain, "    axes: {r: 2, t: 2}\n    computes: " + computes + "\n");
  return Complaints(Replace(isa, "      dst_out: ", "      src_row: " + type + "\n      dst_out: "));
}

TEST(RowDiagnostics, AcceptsSeveralRows) { EXPECT_EQ(SeveralComplaints(kSeveral), ""); }

TEST(RowDiagnostics, RejectsRowsThatLieApartByNoField) {
  EXPECT_EQ(SeveralComplaints("acc[dst][o] += inp[src + t + src_rov * r][o] * wgt[wgt][o, 2 * r + t]"),
            R"~(isa.yaml:55:44: error[E0308]: instruction 'gemm' has no field 'src_rov'
   55 |     computes: acc[dst][o] += inp[src + t + src_rov * r][o] * wgt[wgt][o, 2 * r + t]
      |                                            ^~~~~~~
  hint: did you mean 'src_row'?
)~");
  EXPECT_EQ(
      RowComplaints("{r: 2, t: 2}", "acc[dst][o] += inp[src + t + src_in * r][o] * wgt[wgt][o, 2 * r + t]"),
      R"~(isa.yaml:55:15: error[E0308]: rows of instruction 'gemm' lie apart by its field 'src_in', which means something else
   55 |     computes: acc[dst][o] += inp[src + t + src_in * r][o] * wgt[wgt][o, 2 * r + t]
      |               ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: give it a field for that, as src_row: uint(index_bits(inp.depth))
)~");
  EXPECT_EQ(SeveralComplaints("acc[dst][o] += inp[src + t + r][o] * wgt[wgt][o, 2 * r + t]"),
            R"~(isa.yaml:55:45: error[E0301]: expected '*', found ']'
   55 |     computes: acc[dst][o] += inp[src + t + r][o] * wgt[wgt][o, 2 * r + t]
      |                                             ^
)~");
}

TEST(RowDiagnostics, RejectsRowsCountedByTheAxisOfARow) {
  EXPECT_EQ(SeveralComplaints("acc[dst][o] += inp[src + t + src_row * t][o] * wgt[wgt][o, 2 * r + t]"),
            R"~(isa.yaml:55:54: error[E0308]: axis 't' counts elements of a row, and rows
   55 |     computes: acc[dst][o] += inp[src + t + src_row * t][o] * wgt[wgt][o, 2 * r + t]
      |                                                      ^
)~");
}

TEST(RowDiagnostics, RejectsAFieldThatCannotSayHowFarRowsLieApart) {
  EXPECT_EQ(
      SeveralComplaints(kSeveral, "uint(2)"),
      R"~(isa.yaml:63:16: error[E0103]: field 'src_row' has 2 bits, but memory 'inp' has 64 elements and needs 6
   63 |       src_row: uint(2)
      |                ^~~~~~~
  hint: uint(index_bits(inp.depth)) always fits
  note: 'inp' gets its depth from isa.yaml:8:46
)~");
  EXPECT_EQ(SeveralComplaints(kSeveral, "int(9)"),
            R"~(isa.yaml:63:16: error[E0109]: field 'src_row' has to be unsigned
   63 |       src_row: int(9)
      |                ^~~~~~
)~");
}

TEST(RowDiagnostics, RejectsLanesThatAMemoryDoesNotHave) {
  EXPECT_EQ(
      RowComplaints("{t: 3, g: 2}", kRows),
      R"~(isa.yaml:55:82: error[E0308]: this reaches lane 5, but this dimension of memory 'wgt' has 4 lanes
   55 |     computes: acc[dst][o] += inp[src + t][2 * floor_div(o, 2) + g] * wgt[wgt][o, 2 * t + g]
      |                                                                                  ^~~~~~~~~
)~");
}

TEST(RowDiagnostics, RejectsAxesOfUnknownExtent) {
  EXPECT_EQ(RowComplaints("{t: 2}", kRows),
            R"~(isa.yaml:55:65: error[E0308]: nothing says how long axis 'g' is
   55 |     computes: acc[dst][o] += inp[src + t][2 * floor_div(o, 2) + g] * wgt[wgt][o, 2 * t + g]
      |                                                                 ^
  hint: say so in the instruction's 'axes', as in axes: {g: 3}
)~");
}

TEST(RowDiagnostics, RejectsUnknownFactors) {
  EXPECT_EQ(RowComplaints("{t: 2, g: 2}",
                          "acc[dst][o] += inp[src + t][blok * floor_div(o, 2) + g] * wgt[wgt][o, g]"),
            R"~(isa.yaml:55:43: error[E0308]: there is no parameter 'blok'
   55 |     computes: acc[dst][o] += inp[src + t][blok * floor_div(o, 2) + g] * wgt[wgt][o, g]
      |                                           ^~~~
  hint: did you mean 'block'?
)~");
  EXPECT_EQ(
      RowComplaints("{t: 2, g: 2}", "acc[dst][o] += inp[src + t][0 * floor_div(o, 2) + g] * wgt[wgt][o, g]"),
      R"~(isa.yaml:55:43: error[E0308]: a lane is counted by numbers from 1 to 4096 and by axes
   55 |     computes: acc[dst][o] += inp[src + t][0 * floor_div(o, 2) + g] * wgt[wgt][o, g]
      |                                           ^
)~");
  EXPECT_EQ(
      RowComplaints("{t: 2, g: 2}", "acc[dst][o] += inp[src + t][2 * floor_mod(o, 2) + g] * wgt[wgt][o, g]"),
      R"~(isa.yaml:55:47: error[E0308]: there is no 'floor_mod' of axes, only floor_div(axis, number)
   55 |     computes: acc[dst][o] += inp[src + t][2 * floor_mod(o, 2) + g] * wgt[wgt][o, g]
      |                                               ^~~~~~~~~
)~");
}

TEST(RowDiagnostics, RejectsASecondRow) {
  EXPECT_EQ(RowComplaints("{t: 2, g: 2}", "acc[dst][o] += inp[src + t][o] * wgt[wgt + g][o, t + g]"),
            R"~(isa.yaml:55:58: error[E0308]: one source at most takes several elements a step
   55 |     computes: acc[dst][o] += inp[src + t][o] * wgt[wgt + g][o, t + g]
      |                                                          ^
)~");
}

TEST(RowDiagnostics, RejectsRowsOfTheResult) {
  EXPECT_EQ(RowComplaints("{t: 2}", "acc[dst + t][o] += inp[src][o] * wgt[wgt][o, t]"),
            R"~(isa.yaml:55:23: error[E0301]: expected ']', found '+'
   55 |     computes: acc[dst + t][o] += inp[src][o] * wgt[wgt][o, t]
      |                       ^
)~");
  EXPECT_EQ(RowComplaints("{t: 2}", "acc[dst][2 * t] += inp[src][k] * wgt[wgt][t, k]"),
            R"~(isa.yaml:55:24: error[E0308]: each dimension of the result is walked by one axis
   55 |     computes: acc[dst][2 * t] += inp[src][k] * wgt[wgt][t, k]
      |                        ^
)~");
  EXPECT_EQ(RowComplaints("{t: 2}", "acc[dst][o] += inp[src + o][o] * wgt[wgt][o, t + t]"),
            R"~(isa.yaml:55:15: error[E0308]: axis 'o' counts elements of a source and lanes of the result
   55 |     computes: acc[dst][o] += inp[src + o][o] * wgt[wgt][o, t + t]
      |               ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
)~");
}

TEST(RowDiagnostics, RejectsRowsOfTheSumsThemselves) {
  EXPECT_EQ(RowComplaints("{t: 2}", "acc[dst][o] += acc[src + t][o] * wgt[wgt][o, t + t]"),
            R"~(isa.yaml:55:15: error[E0308]: instruction 'gemm' reads rows, and 'acc' is where it adds
   55 |     computes: acc[dst][o] += acc[src + t][o] * wgt[wgt][o, t + t]
      |               ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
  hint: sources have memories of their own
)~");
}

TEST(RowDiagnostics, RejectsAxesThatStandNowhere) {
  EXPECT_EQ(RowComplaints("{t: 2, g: 2}", "acc[dst][o] += inp[src + t][o] * wgt[wgt][o, t + t]"),
            R"~(isa.yaml:54:18: error[E0308]: axis 'g' stands in no operand
   54 |     axes: {t: 2, g: 2}
      |                  ^
)~");
}

TEST(RowDiagnostics, RejectsExtentsThatAreNone) {
  EXPECT_EQ(
      RowComplaints("3", kRows),
      R"~(isa.yaml:54:5: error[E0008]: 'axes' of instruction 'gemm' has to be a map of extents, not a single value
   54 |     axes: 3
      |     ^~~~
)~");
  EXPECT_EQ(RowComplaints("{t: 0, g: 2}", kRows),
            R"~(isa.yaml:54:15: error[E0010]: the extent of axis 't' is 0, but has to be 1 to 4096
   54 |     axes: {t: 0, g: 2}
      |               ^
)~");
  EXPECT_EQ(
      RowComplaints("{t: 2, k: 8}", "acc[dst][o] += inp[src + t][k] * wgt[wgt][o, k]"),
      R"~(isa.yaml:55:43: error[E0308]: this reaches lane 7, but this dimension of memory 'inp' has 4 lanes
   55 |     computes: acc[dst][o] += inp[src + t][k] * wgt[wgt][o, k]
      |                                           ^
)~");
  EXPECT_EQ(RowComplaints("{t: 2, k: 3}", "acc[dst][o] += inp[src + t][k] * wgt[wgt][o, k]"), "");
}

TEST(RowDiagnostics, RejectsAWhereThatIsNoExpression) {
  EXPECT_EQ(ComplaintsOfIsa("  gemm:\n    opcode: 3\n", "  gemm:\n    where: blok == 4\n    opcode: 3\n"),
            R"~(isa.yaml:50:12: error[E0202]: 'blok' is no parameter and no property of a memory
   50 |     where: blok == 4
      |            ^~~~
  hint: did you mean 'block'?
)~");
}

TEST(RowDiagnostics, LeavesAnInstructionOut) {
  // Then nothing runs on its unit.
  EXPECT_THAT(ComplaintsOfIsa("  gemm:\n    opcode: 3\n", "  gemm:\n    where: block == 5\n    opcode: 3\n"),
              StartsWith("isa.yaml:15:3: error[E0401]: no instruction executes on unit 'gemm'"));
}

}  // namespace
}  // namespace cosim::isa
