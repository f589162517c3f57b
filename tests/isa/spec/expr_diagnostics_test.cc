// SPDX-License-Identifier: Apache-2.0
// What is wrong with expressions over parameters. Each test pins the whole text that a user sees.
#include <gtest/gtest.h>

#include "tests/isa/spec/testing.h"

namespace cosim::isa {
namespace {

using testing::ComplaintsOfIsa;

TEST(ExprDiagnostics, RejectsUnknownNames) {
  EXPECT_EQ(ComplaintsOfIsa("lanes: [block], type: int(8)", "lanes: [blok], type: int(8)"),
            R"~(isa.yaml:8:17: error[E0202]: 'blok' is no parameter and no property of a memory
    8 |   inp: {lanes: [blok], type: int(8), depth: 64}
      |                 ^~~~
  hint: did you mean 'block'?
)~");
}

TEST(ExprDiagnostics, RejectsUnknownAttributes) {
  EXPECT_EQ(ComplaintsOfIsa("lock_acc: uint(acc.banks)", "lock_acc: uint(acc.bank)"),
            R"~(isa.yaml:57:22: error[E0202]: 'acc.bank' is no parameter and no property of a memory
   57 |       lock_acc: uint(acc.bank)
      |                      ^~~~~~~~
  hint: did you mean 'acc.banks'?
)~");
}

TEST(ExprDiagnostics, RejectsUnknownFunctions) {
  EXPECT_EQ(ComplaintsOfIsa("sram: uint(6)", "sram: uint(idx_bits(64))"),
            R"~(isa.yaml:28:25: error[E0202]: there is no function 'idx_bits'
   28 |     fields: {sram: uint(idx_bits(64)), dram: uint(32), rows: uint(8), cols: uint(8), stride: uint(8)}
      |                         ^~~~~~~~
  hint: did you mean 'index_bits'?
)~");
}

TEST(ExprDiagnostics, RejectsWrongArgumentCounts) {
  EXPECT_EQ(ComplaintsOfIsa("sram: uint(6)", "sram: \"uint(index_bits(64, 2))\""),
            R"~(isa.yaml:28:26: error[E0201]: index_bits takes 1 argument, not 2
   28 |     fields: {sram: "uint(index_bits(64, 2))", dram: uint(32), rows: uint(8), cols: uint(8), stride: uint(8)}
      |                          ^~~~~~~~~~
)~");
}

TEST(ExprDiagnostics, RejectsMalformedExpressions) {
  EXPECT_EQ(ComplaintsOfIsa("acc_bytes * 8 / (block * 32)", "acc_bytes * * 8"),
            R"~(isa.yaml:10:59: error[E0201]: expected a number or a name, found '*'
   10 |   acc: {lanes: [block], type: int(32), depth: acc_bytes * * 8, banks: 2}
      |                                                           ^
)~");
}

TEST(ExprDiagnostics, RejectsForeignCharacters) {
  EXPECT_EQ(ComplaintsOfIsa("acc_bytes * 8 / (block * 32)", "acc_bytes * 8 % 3"),
            R"~(isa.yaml:10:61: error[E0201]: '%' has no place in an expression
   10 |   acc: {lanes: [block], type: int(32), depth: acc_bytes * 8 % 3, banks: 2}
      |                                                             ^
)~");
}

TEST(ExprDiagnostics, RejectsMalformedNumbers) {
  EXPECT_EQ(ComplaintsOfIsa("acc_bytes * 8 / (block * 32)", "8k"),
            R"~(isa.yaml:10:47: error[E0201]: '8k' is not a number
   10 |   acc: {lanes: [block], type: int(32), depth: 8k, banks: 2}
      |                                               ^~
)~");
}

TEST(ExprDiagnostics, SuggestsQuotesAroundArguments) {
  EXPECT_EQ(ComplaintsOfIsa("depth: acc_bytes * 8 / (block * 32)", "depth: max(acc_bytes, 3)"),
            R"~(isa.yaml:10:62: error[E0005]: unknown key '3)' in memory 'acc'
   10 |   acc: {lanes: [block], type: int(32), depth: max(acc_bytes, 3), banks: 2}
      |                                                              ^~
  hint: inside { }, a value with a comma has to stand in quotes
isa.yaml:10:60: error[E0201]: expected ')', found the end
   10 |   acc: {lanes: [block], type: int(32), depth: max(acc_bytes, 3), banks: 2}
      |                                                            ^
  hint: inside { } or [ ], an expression with a comma has to stand in quotes
)~");
}

TEST(ExprDiagnostics, RejectsCycles) {
  EXPECT_EQ(
      ComplaintsOfIsa("acc_bytes: {default: 1024}", "acc_bytes: {default: acc.depth}"),
      R"~(isa.yaml:5:3: error[E0203]: 'acc_bytes' depends on itself: 'acc_bytes' needs 'acc.depth' needs 'acc_bytes'
    5 |   acc_bytes: {default: acc.depth}
      |   ^~~~~~~~~
)~");
}

TEST(ExprDiagnostics, RejectsASelfReference) {
  EXPECT_EQ(ComplaintsOfIsa("depth: 64}", "depth: inp.depth + 1}"),
            R"~(isa.yaml:8:39: error[E0203]: 'inp.depth' depends on itself: 'inp.depth' needs 'inp.depth'
    8 |   inp: {lanes: [block], type: int(8), depth: inp.depth + 1}
      |                                       ^~~~~
)~");
}

TEST(ExprDiagnostics, RejectsOverflow) {
  EXPECT_EQ(ComplaintsOfIsa("depth: 64}", "depth: 4611686018427387904 * 4}"),
            R"~(isa.yaml:8:66: error[E0205]: 4611686018427387904 * 4 does not fit 64 bits
    8 |   inp: {lanes: [block], type: int(8), depth: 4611686018427387904 * 4}
      |                                                                  ^
)~");
}

TEST(ExprDiagnostics, RejectsDivisionByZero) {
  EXPECT_EQ(ComplaintsOfIsa("depth: 64}", "depth: 64 / (block - 4)}"),
            R"~(isa.yaml:8:49: error[E0205]: 64 is divided by zero
    8 |   inp: {lanes: [block], type: int(8), depth: 64 / (block - 4)}
      |                                                 ^
  note: 'block' is 4, from config.yaml:4:10
)~");
}

TEST(ExprDiagnostics, RejectsLogarithmsOfNothing) {
  EXPECT_EQ(ComplaintsOfIsa("depth: 64}", "depth: log2ceil(block - 4)}"),
            R"~(isa.yaml:8:46: error[E0205]: log2ceil takes positive numbers, not 0
    8 |   inp: {lanes: [block], type: int(8), depth: log2ceil(block - 4)}
      |                                              ^~~~~~~~
  note: 'block' is 4, from config.yaml:4:10
)~");
}

TEST(ExprDiagnostics, RejectsDepthsOutOfRange) {
  EXPECT_EQ(ComplaintsOfIsa("depth: 64}", "depth: 0}"),
            R"~(isa.yaml:8:46: error[E0010]: 'depth' of memory 'inp' is 0, but has to be 1 to 1073741824
    8 |   inp: {lanes: [block], type: int(8), depth: 0}
      |                                              ^
)~");
}

TEST(ExprDiagnostics, RejectsUnknownTypes) {
  EXPECT_EQ(ComplaintsOfIsa("type: int(8), depth: 64", "type: float(8), depth: 64"),
            R"~(isa.yaml:8:31: error[E0201]: a type is int(width) or uint(width)
    8 |   inp: {lanes: [block], type: float(8), depth: 64}
      |                               ^~~~~
)~");
}

TEST(ExprDiagnostics, RejectsWidthsOutOfRange) {
  EXPECT_EQ(ComplaintsOfIsa("dram: uint(32)", "dram: uint(64)"),
            R"~(isa.yaml:28:40: error[E0207]: uint cannot be 64 bits wide
   28 |     fields: {sram: uint(6), dram: uint(64), rows: uint(8), cols: uint(8), stride: uint(8)}
      |                                        ^~
  hint: uint takes 1 to 63 bits
)~");
}

TEST(ExprDiagnostics, RejectsAluStagesOutsideUnits) {
  EXPECT_EQ(ComplaintsOfIsa("depth: 64}", "depth: alu_stages}"),
            R"~(isa.yaml:8:46: error[E0202]: 'alu_stages' is no parameter and no property of a memory
    8 |   inp: {lanes: [block], type: int(8), depth: alu_stages}
      |                                              ^~~~~~~~~~
  hint: only the numbers of units can use it
)~");
}

TEST(ExprDiagnostics, RejectsDeepNesting) {
  const std::string complaints =
      ComplaintsOfIsa("depth: 64}", "depth: " + std::string(150, '(') + "1" + std::string(150, ')') + "}");
  EXPECT_NE(complaints.find("isa.yaml:8:96: error[E0201]: the expression is nested too deeply\n"),
            std::string::npos)
      << complaints;
}

TEST(ExprDiagnostics, RejectsCeilDivOfNegatives) {
  EXPECT_EQ(
      ComplaintsOfIsa("iter_out: uint(8)", "iter_out: uint(ceil_div(-3, 2))"),
      R"~(isa.yaml:60:22: error[E0205]: ceil_div takes a positive divisor and no negative dividend, not -3 and 2
   60 |       iter_out: uint(ceil_div(-3, 2))
      |                      ^~~~~~~~
)~");
}

TEST(ExprDiagnostics, RejectsPowersBeyond64Bits) {
  EXPECT_EQ(ComplaintsOfIsa("iter_out: uint(8)", "iter_out: uint(ceil_pow2(4611686018427387905))"),
            R"~(isa.yaml:60:22: error[E0205]: ceil_pow2(4611686018427387905) does not fit 64 bits
   60 |       iter_out: uint(ceil_pow2(4611686018427387905))
      |                      ^~~~~~~~~
)~");
}

TEST(ExprDiagnostics, RejectsTheLengthOfInstructionsInTheirOwnFields) {
  EXPECT_EQ(ComplaintsOfIsa("iter_out: uint(8)", "iter_out: uint(instruction_bits)"),
            R"~(isa.yaml:60:22: error[E0202]: 'instruction_bits' is no parameter and no property of a memory
   60 |       iter_out: uint(instruction_bits)
      |                      ^~~~~~~~~~~~~~~~
  hint: only 'word_bits' and the numbers of units can use it
)~");
}

TEST(ExprDiagnostics, AcceptsEveryFunctionAndOperator) {
  EXPECT_EQ(ComplaintsOfIsa("iter_out: uint(8)",
                            "iter_out: uint(ceil_div(7, 2) + log2ceil(9) + index_bits(1) - max(1, 2, 3) + "
                            "min(4, 3) - (-8) / 8 - 4 + floor_div(7, 2) - ceil_pow2(3))"),
            "")
      << "4 + 4 + 1 - 3 + 3 + 1 - 4 + 3 - 4 bits";
  EXPECT_EQ(
      ComplaintsOfIsa("iter_out: uint(8)",
                      "iter_out: uint((2 < 3) + (2 > 1) + (2 <= 2) + (2 >= 2) + (2 == 1 + 1) + (2 != 3) + "
                      "(3 < 2) + (2 > 2) + (3 <= 2) + (1 >= 2) + (1 == 2) + (2 != 2))"),
      "")
      << "six that hold and six that do not";
}

}  // namespace
}  // namespace cosim::isa
