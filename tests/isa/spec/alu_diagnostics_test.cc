// SPDX-License-Identifier: Apache-2.0
// What is wrong with the bodies of ALU ops. Each test pins the whole text that a user sees.
#include <gtest/gtest.h>

#include "tests/isa/spec/testing.h"

namespace cosim::isa {
namespace {

using testing::ComplaintsOfIsa;

TEST(AluDiagnostics, RejectsUnknownOperands) {
  EXPECT_EQ(ComplaintsOfIsa("wrap(a + b, 32)", "wrap(a + c, 32)"),
            R"~(isa.yaml:97:22: error[E0302]: 'c' is no operand, field, parameter or earlier value
   97 |     body: ["wrap(a + c, 32)"]
      |                      ^
  hint: did you mean 'a'?
)~");
}

TEST(AluDiagnostics, RejectsUnknownFunctions) {
  EXPECT_EQ(ComplaintsOfIsa("wrap(a + b, 32)", "warp(a + b, 32)"),
            R"~(isa.yaml:97:13: error[E0302]: there is no function 'warp'
   97 |     body: ["warp(a + b, 32)"]
      |             ^~~~
  hint: did you mean 'wrap'?
)~");
}

TEST(AluDiagnostics, RejectsResultsThatDoNotFit) {
  EXPECT_EQ(ComplaintsOfIsa("wrap(a + b, 32)", "a + b"),
            R"~(isa.yaml:97:12: error[E0305]: the result is int33, but 'acc' holds int32
   97 |     body: ["a + b"]
      |            ^~~~~~~
  hint: wrap(x, 32) drops the high bits, sat(x, 32) saturates
)~");
}

TEST(AluDiagnostics, RejectsValuesWiderThan64Bits) {
  EXPECT_EQ(ComplaintsOfIsa("product = a * imm", "product = a * imm * imm * imm"),
            R"~(isa.yaml:103:19: error[E0304]: the result of int64 and int16 needs more than 64 bits
  103 |       - product = a * imm * imm * imm
      |                   ^~~~~~~~~~~~~~~~~~~
  hint: bring an operand to fewer bits with wrap(x, width) or sat(x, width)
)~");
}

TEST(AluDiagnostics, RejectsUnusedOperands) {
  EXPECT_EQ(ComplaintsOfIsa("wrap(a + b, 32)", "a"),
            R"~(isa.yaml:95:31: error[E0306]: ALU op 'add' never reads its operand 'b'
   95 |     operands: {a: "acc[dst]", b: "acc[src]"}
      |                               ^
)~");
}

TEST(AluDiagnostics, RejectsUnusedValues) {
  EXPECT_EQ(ComplaintsOfIsa("sat(round_shift(product, shift), 32)", "sat(round_shift(a, shift), 32)"),
            R"~(isa.yaml:103:9: error[E0306]: nothing reads the value 'product'
  103 |       - product = a * imm
      |         ^~~~~~~
)~");
}

TEST(AluDiagnostics, RejectsRedefinedValues) {
  EXPECT_EQ(ComplaintsOfIsa("      - stage\n", "      - product = a\n"),
            R"~(isa.yaml:104:9: error[E0307]: 'product' has a meaning already
  104 |       - product = a
      |         ^~~~~~~
  hint: give the value another name
)~");
}

TEST(AluDiagnostics, RejectsOperandsNamedLikeFields) {
  EXPECT_EQ(ComplaintsOfIsa("operands: {a: \"acc[src]\"}", "operands: {imm: \"acc[src]\"}"),
            R"~(isa.yaml:100:16: error[E0307]: 'imm' is a field of the instruction or a parameter already
  100 |     operands: {imm: "acc[src]"}
      |                ^~~
)~");
}

TEST(AluDiagnostics, RejectsSignedShiftCounts) {
  EXPECT_EQ(ComplaintsOfIsa("round_shift(product, shift)", "round_shift(product, imm)"),
            R"~(isa.yaml:105:13: error[E0303]: a shift count has to be unsigned, this one is int16
  105 |       - sat(round_shift(product, imm), 32)
      |             ^~~~~~~~~~~~~~~~~~~~~~~~~
  hint: uwrap(x, width) makes a count of any value
)~");
}

TEST(AluDiagnostics, RejectsLeftShiftsBeyond64Bits) {
  EXPECT_EQ(ComplaintsOfIsa("product = a * imm", "product = a << uwrap(imm, 6)"),
            R"~(isa.yaml:103:19: error[E0304]: the result of int32 and uint6 needs more than 64 bits
  103 |       - product = a << uwrap(imm, 6)
      |                   ^~~~~~~~~~~~~~~~~~
  hint: bring an operand to fewer bits with wrap(x, width) or sat(x, width)
)~");
}

TEST(AluDiagnostics, RejectsConditionsThatAreNoBit) {
  EXPECT_EQ(ComplaintsOfIsa("wrap(a + b, 32)", "a ? b : 0"),
            R"~(isa.yaml:97:13: error[E0303]: a condition has to be uint1, this one is int32
   97 |     body: ["a ? b : 0"]
      |             ^~~~~~~~~
  hint: compare it with something, like x != 0
)~");
}

TEST(AluDiagnostics, RejectsWidthsThatAreNoConstants) {
  EXPECT_EQ(ComplaintsOfIsa("wrap(a + b, 32)", "wrap(a + b, a)"),
            R"~(isa.yaml:97:13: error[E0303]: the width of wrap has to be a constant from 1 to 64
   97 |     body: ["wrap(a + b, a)"]
      |             ^~~~~~~~~~~~~~
)~");
}

TEST(AluDiagnostics, RejectsWrongArgumentCounts) {
  EXPECT_EQ(ComplaintsOfIsa("wrap(a + b, 32)", "wrap(a + b)"),
            R"~(isa.yaml:97:13: error[E0301]: wrap takes 2 arguments, not 1
   97 |     body: ["wrap(a + b)"]
      |             ^~~~~~~~~~~
)~");
}

TEST(AluDiagnostics, RejectsMalformedBodies) {
  EXPECT_EQ(ComplaintsOfIsa("wrap(a + b, 32)", "wrap(a + , 32)"),
            R"~(isa.yaml:97:22: error[E0301]: expected a value, found ','
   97 |     body: ["wrap(a + , 32)"]
      |                      ^
)~");
}

TEST(AluDiagnostics, RejectsChainedComparisons) {
  EXPECT_EQ(ComplaintsOfIsa("wrap(a + b, 32)", "a < b < 3"),
            R"~(isa.yaml:97:19: error[E0301]: expected the end of the expression, found '<'
   97 |     body: ["a < b < 3"]
      |                   ^
)~");
}

TEST(AluDiagnostics, RejectsAStageAsResult) {
  EXPECT_EQ(ComplaintsOfIsa("      - sat(round_shift(product, shift), 32)\n", "      - stage\n"),
            R"~(isa.yaml:105:9: error[E0301]: the last line of a body has to be its result
  105 |       - stage
      |         ^~~~~
)~");
}

TEST(AluDiagnostics, RejectsAnAssignmentAsResult) {
  EXPECT_EQ(
      ComplaintsOfIsa("sat(round_shift(product, shift), 32)", "z = sat(round_shift(product, shift), 32)"),
      R"~(isa.yaml:105:9: error[E0301]: the last line of a body has to be an expression, its result
  105 |       - z = sat(round_shift(product, shift), 32)
      |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
)~");
}

TEST(AluDiagnostics, RejectsAnExpressionBeforeTheLast) {
  EXPECT_EQ(ComplaintsOfIsa("      - stage\n", "      - a\n"),
            R"~(isa.yaml:104:9: error[E0301]: a line before the last has to be 'stage' or 'name = expression'
  104 |       - a
      |         ^
)~");
}

TEST(AluDiagnostics, RejectsEmptyBodies) {
  EXPECT_EQ(ComplaintsOfIsa("body: [\"wrap(a + b, 32)\"]", "body: []"),
            R"~(isa.yaml:97:11: error[E0301]: a body has to have a line, its result
   97 |     body: []
      |           ^
)~");
}

TEST(AluDiagnostics, RejectsRecordsAsPlainOperands) {
  EXPECT_EQ(ComplaintsOfIsa("b: \"acc[src]\"", "b: \"guop[src]\""),
            R"~(isa.yaml:97:22: error[E0302]: 'b' is no operand, field, parameter or earlier value
   97 |     body: ["wrap(a + b, 32)"]
      |                      ^
  hint: its memory holds records: name a field, like b.dst
)~");
}

TEST(AluDiagnostics, RejectsRecordsAsResults) {
  EXPECT_EQ(ComplaintsOfIsa("    result: acc[dst]\n    body: [", "    result: guop[dst]\n    body: ["),
            R"~(isa.yaml:96:13: error[E0305]: memory 'guop' holds records, which no ALU op can write
   96 |     result: guop[dst]
      |             ^~~~~~~~~
)~");
}

TEST(AluDiagnostics, RejectsMalformedOperands) {
  EXPECT_EQ(ComplaintsOfIsa("a: \"acc[dst]\"", "a: \"acc dst\""),
            R"~(isa.yaml:95:24: error[E0301]: expected '[', found 'dst'
   95 |     operands: {a: "acc dst", b: "acc[src]"}
      |                        ^~~
)~");
}

TEST(AluDiagnostics, RejectsUnknownMemories) {
  EXPECT_EQ(ComplaintsOfIsa("a: \"acc[dst]\"", "a: \"ac[dst]\""),
            R"~(isa.yaml:95:20: error[E0009]: there is no memory 'ac'
   95 |     operands: {a: "ac[dst]", b: "acc[src]"}
      |                    ^~
  hint: did you mean 'acc'?
)~");
}

TEST(AluDiagnostics, RejectsEqualCodes) {
  EXPECT_EQ(ComplaintsOfIsa("\n    code: 1", "\n    code: 0"),
            R"~(isa.yaml:99:11: error[E0105]: ALU ops 'add' and 'scale' both have code 0
   99 |     code: 0
      |           ^
  note: the other one is at isa.yaml:93:3
)~");
}

TEST(AluDiagnostics, RejectsCodesThatDoNotFit) {
  EXPECT_EQ(
      ComplaintsOfIsa("\n    code: 1", "\n    code: 4"),
      R"~(isa.yaml:99:11: error[E0106]: code 4 of ALU op 'scale' does not fit the 2 bits of field 'op' of instruction 'alu'
   99 |     code: 4
      |           ^
  note: the field is at isa.yaml:74:11
)~");
}

TEST(AluDiagnostics, RejectsOpsWithoutInstruction) {
  EXPECT_EQ(
      ComplaintsOfIsa("    unit: alu\n    kind: alu\n    micro_ops: auop", "    unit: alu\n    kind: sync"),
      R"~(isa.yaml:92:3: error[E0007]: there is no instruction of kind alu to carry ALU op 'add'
   92 |   add:
      |   ^~~
isa.yaml:97:3: error[E0007]: there is no instruction of kind alu to carry ALU op 'scale'
   97 |   scale:
      |   ^~~~~
)~");
}

TEST(AluDiagnostics, RejectsOpsOfOtherInstructions) {
  EXPECT_EQ(ComplaintsOfIsa("    code: 0", "    code: 0\n    instruction: gemm"),
            R"~(isa.yaml:95:18: error[E0008]: instruction 'gemm' is not of kind alu
   95 |     instruction: gemm
      |                  ^~~~
)~");
}

TEST(IntrinsicDiagnostics, RejectsAxesOfDifferentLengths) {
  EXPECT_EQ(
      ComplaintsOfIsa("  inp: {lanes: [block]", "  inp: {lanes: [2 * block]"),
      R"~(isa.yaml:54:56: error[E0308]: axis 'k' is 8 long, but this dimension of memory 'wgt' has 4 lanes
   54 |     computes: acc[dst][o] += inp[src][k] * wgt[wgt][o, k]
      |                                                        ^
)~");
}

TEST(IntrinsicDiagnostics, RejectsAWrongNumberOfAxes) {
  EXPECT_EQ(ComplaintsOfIsa("wgt[wgt][o, k]", "wgt[wgt][k]"),
            R"~(isa.yaml:54:44: error[E0308]: memory 'wgt' has 2 lane dimensions, but 1 is named here
   54 |     computes: acc[dst][o] += inp[src][k] * wgt[wgt][k]
      |                                            ^~~~~~~~~~~
)~");
}

TEST(IntrinsicDiagnostics, RejectsRepeatedAxes) {
  EXPECT_EQ(ComplaintsOfIsa("wgt[wgt][o, k]", "wgt[wgt][k, k]"),
            R"~(isa.yaml:54:53: error[E0308]: axis 'k' stands twice in one operand
   54 |     computes: acc[dst][o] += inp[src][k] * wgt[wgt][k, k]
      |                                                     ^
)~");
}

TEST(IntrinsicDiagnostics, RejectsAxesThatNoSourceHas) {
  EXPECT_EQ(ComplaintsOfIsa("acc[dst][o] +=", "acc[dst][x] +="),
            R"~(isa.yaml:54:15: error[E0308]: axis 'x' of the result stands in no source
   54 |     computes: acc[dst][x] += inp[src][k] * wgt[wgt][o, k]
      |               ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
)~");
}

TEST(IntrinsicDiagnostics, RejectsRecords) {
  EXPECT_EQ(ComplaintsOfIsa("inp[src][k] * wgt", "guop[src][k] * wgt"),
            R"~(isa.yaml:54:30: error[E0308]: memory 'guop' holds records, which an intrinsic cannot take
   54 |     computes: acc[dst][o] += guop[src][k] * wgt[wgt][o, k]
      |                              ^~~~~~~~~~~~
)~");
}

TEST(IntrinsicDiagnostics, RejectsMalformedText) {
  EXPECT_EQ(ComplaintsOfIsa("acc[dst][o] += inp", "acc[dst][o] = inp"),
            R"~(isa.yaml:54:27: error[E0301]: expected '+=', found '='
   54 |     computes: acc[dst][o] = inp[src][k] * wgt[wgt][o, k]
      |                           ^
)~");
}

TEST(IntrinsicDiagnostics, RejectsUnknownMemories) {
  EXPECT_EQ(ComplaintsOfIsa("inp[src][k] *", "imp[src][k] *"),
            R"~(isa.yaml:54:30: error[E0009]: there is no memory 'imp'
   54 |     computes: acc[dst][o] += imp[src][k] * wgt[wgt][o, k]
      |                              ^~~
  hint: did you mean 'inp'?
)~");
}

TEST(IntrinsicDiagnostics, RejectsAGemmWithoutIntrinsic) {
  EXPECT_EQ(ComplaintsOfIsa("    computes: acc[dst][o] += inp[src][k] * wgt[wgt][o, k]\n", ""),
            R"~(isa.yaml:49:3: error[E0007]: instruction 'gemm' has to say what it 'computes'
   49 |   gemm:
      |   ^~~~
)~");
}

}  // namespace
}  // namespace cosim::isa
