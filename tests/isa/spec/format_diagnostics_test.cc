// SPDX-License-Identifier: Apache-2.0
// What is wrong with instruction formats: encodings, widths, roles, locks. Each test pins the whole text that
// a user sees.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/isa/spec/testing.h"

namespace cosim::isa {
namespace {

using testing::Complaints;
using testing::ComplaintsOfIsa;
using testing::kConfig;
using testing::kIsa;
using testing::Replace;

TEST(FormatDiagnostics, RejectsEqualOpcodes) {
  EXPECT_EQ(
      ComplaintsOfIsa("opcode: 1\n", "opcode: 0\n"),
      R"~(isa.yaml:30:13: error[E0101]: instructions 'load_inp' and 'load_wgt' both have opcode 0, and no match field tells them apart
   30 |     opcode: 0
      |             ^
  hint: give one another opcode, or both a match field at the same bits
  note: the other one is at isa.yaml:24:13
)~");
}

TEST(FormatDiagnostics, RejectsEqualMatches) {
  EXPECT_EQ(
      ComplaintsOfIsa("match: {which: 1}", "match: {which: 0}"),
      R"~(isa.yaml:43:13: error[E0101]: instructions 'load_guop' and 'load_auop' both have opcode 2, and no match field tells them apart
   43 |     opcode: 2
      |             ^
  hint: give one another opcode, or both a match field at the same bits
  note: the other one is at isa.yaml:36:13
)~");
}

TEST(FormatDiagnostics, RejectsMatchesAtDifferentBits) {
  EXPECT_EQ(
      ComplaintsOfIsa("match: {which: 1}\n    unit: load\n    kind: load\n    memory: auop\n    fields: "
                      "{which: uint(1), sram: uint(6),",
                      "match: {which: 1}\n    unit: load\n    kind: load\n    memory: auop\n    fields: "
                      "{sram: uint(6), which: uint(1),"),
      R"~(isa.yaml:43:13: error[E0101]: instructions 'load_guop' and 'load_auop' both have opcode 2, and no match field tells them apart
   43 |     opcode: 2
      |             ^
  hint: give one another opcode, or both a match field at the same bits
  note: the other one is at isa.yaml:36:13
)~");
}

TEST(FormatDiagnostics, RejectsMatchesOfUnknownFields) {
  EXPECT_EQ(ComplaintsOfIsa("match: {which: 1}", "match: {wich: 1}"),
            R"~(isa.yaml:44:13: error[E0009]: there is no field 'wich'
   44 |     match: {wich: 1}
      |             ^~~~
  hint: did you mean 'which'?
)~");
}

TEST(FormatDiagnostics, RejectsMatchesOfDerivedFields) {
  EXPECT_EQ(ComplaintsOfIsa("match: {which: 1}", "match: {opcode: 1, which: 1}"),
            R"~(isa.yaml:44:13: error[E0009]: 'opcode' is no field of the instruction's own
   44 |     match: {opcode: 1, which: 1}
      |             ^~~~~~
)~");
}

TEST(FormatDiagnostics, RejectsMatchesThatDoNotFit) {
  EXPECT_EQ(ComplaintsOfIsa("match: {which: 1}", "match: {which: 2}"),
            R"~(isa.yaml:44:20: error[E0104]: 2 does not fit the 1 bit of field 'which'
   44 |     match: {which: 2}
      |                    ^
)~");
}

TEST(FormatDiagnostics, RejectsOpcodesThatDoNotFit) {
  EXPECT_EQ(ComplaintsOfIsa("opcode: 5", "opcode: 16"),
            R"~(isa.yaml:87:13: error[E0104]: 16 does not fit the 4 bits of field 'opcode'
   87 |     opcode: 16
      |             ^~
)~");
}

TEST(FormatDiagnostics, RejectsWordsThatOverflow) {
  EXPECT_EQ(
      ComplaintsOfIsa("rows: uint(8), cols: uint(8)", "rows: uint(63), cols: uint(63)"),
      R"~(isa.yaml:28:61: error[E0102]: instruction 'load_inp' has 177 bits, but a word has 128; 'cols' is the first field beyond it
   28 |     fields: {sram: uint(6), dram: uint(32), rows: uint(63), cols: uint(63), stride: uint(8)}
      |                                                             ^~~~
  hint: word_bits: ceil_pow2(instruction_bits) always fits, and is 256 here
)~");
}

TEST(FormatDiagnostics, TakesWordsAsWideAsTheLongestInstruction) {
  const std::string isa = Replace(kIsa, "word_bits: 128", "word_bits: ceil_pow2(instruction_bits)");
  EXPECT_EQ(
      Complaints(Replace(isa, "rows: uint(8), cols: uint(8)", "rows: uint(63), cols: uint(63)"), kConfig),
      "");
}

TEST(FormatDiagnostics, RejectsNarrowSramFields) {
  EXPECT_EQ(
      ComplaintsOfIsa("fields: {sram: uint(6)", "fields: {sram: uint(5)"),
      R"~(isa.yaml:28:20: error[E0103]: field 'sram' has 5 bits, but memory 'inp' has 64 elements and needs 6
   28 |     fields: {sram: uint(5), dram: uint(32), rows: uint(8), cols: uint(8), stride: uint(8)}
      |                    ^~~~~~~
  hint: uint(index_bits(inp.depth)) always fits
  note: 'inp' gets its depth from isa.yaml:8:46
)~");
}

TEST(FormatDiagnostics, RejectsNarrowUopEnd) {
  EXPECT_EQ(
      ComplaintsOfIsa("uop_end: uint(7)", "uop_end: uint(6)"),
      R"~(isa.yaml:59:16: error[E0103]: field 'uop_end' has 6 bits, but memory 'guop' has 64 elements and needs 7
   59 |       uop_end: uint(6)
      |                ^~~~~~~
  hint: uint(index_bits(guop.depth) + 1) always fits
  note: 'guop' gets its depth from isa.yaml:11:69
)~");
}

TEST(FormatDiagnostics, RejectsNarrowMicroOpFields) {
  EXPECT_EQ(
      ComplaintsOfIsa("{dst: uint(6), src: uint(6), wgt: uint(5)}",
                      "{dst: uint(6), src: uint(6), wgt: uint(4)}"),
      R"~(isa.yaml:11:52: error[E0103]: field 'wgt' of memory 'guop' has 4 bits, but memory 'wgt' has 32 elements and needs 5
   11 |   guop: {fields: {dst: uint(6), src: uint(6), wgt: uint(4)}, depth: 64}
      |                                                    ^~~~~~~
  hint: uint(index_bits(wgt.depth)) always fits
  note: 'wgt' gets its depth from isa.yaml:9:53
)~");
}

TEST(FormatDiagnostics, RejectsSignedMicroOpFields) {
  EXPECT_EQ(ComplaintsOfIsa("{dst: uint(6), src: uint(6), wgt: uint(5)}",
                            "{dst: uint(6), src: uint(6), wgt: int(5)}"),
            R"~(isa.yaml:11:52: error[E0109]: field 'wgt' of memory 'guop' has to be unsigned
   11 |   guop: {fields: {dst: uint(6), src: uint(6), wgt: int(5)}, depth: 64}
      |                                                    ^~~~~~
)~");
}

TEST(FormatDiagnostics, RejectsMissingTransferFields) {
  EXPECT_EQ(ComplaintsOfIsa(", stride: uint(8)}", "}"),
            R"~(isa.yaml:23:3: error[E0107]: instruction 'load_inp' of kind load lacks the field 'stride'
   23 |   load_inp:
      |   ^~~~~~~~
)~");
}

TEST(FormatDiagnostics, RejectsMissingNestFields) {
  EXPECT_EQ(ComplaintsOfIsa("      iter_in: uint(8)\n", ""),
            R"~(isa.yaml:49:3: error[E0107]: instruction 'gemm' of kind gemm lacks the field 'iter_in'
   49 |   gemm:
      |   ^~~~
)~");
}

TEST(FormatDiagnostics, RejectsMissingIndexFields) {
  EXPECT_EQ(ComplaintsOfIsa("      wgt_in: uint(5)\n", ""),
            R"~(isa.yaml:49:3: error[E0107]: instruction 'gemm' of kind gemm lacks the field 'wgt_in'
   49 |   gemm:
      |   ^~~~
)~");
}

TEST(FormatDiagnostics, RejectsIndicesThatNothingGives) {
  EXPECT_EQ(
      ComplaintsOfIsa("auop: {fields: {dst: uint(6), src: uint(6)}",
                      "auop: {fields: {dst: uint(6), sorc: uint(6)}"),
      R"~(isa.yaml:68:3: error[E0107]: nothing gives instruction 'alu' the index 'src': it has no field 'src_base', and memory 'auop' no field 'src'
   68 |   alu:
      |   ^~~
)~");
}

TEST(FormatDiagnostics, RejectsFieldsWithoutRole) {
  EXPECT_EQ(ComplaintsOfIsa("stride: uint(8)}", "stride: uint(8), pad_tpo: uint(2)}"),
            R"~(isa.yaml:28:92: error[E0108]: field 'pad_tpo' means nothing in an instruction of kind load
   28 |     fields: {sram: uint(6), dram: uint(32), rows: uint(8), cols: uint(8), stride: uint(8), pad_tpo: uint(2)}
      |                                                                                            ^~~~~~~
  hint: did you mean 'pad_top'?
)~");
}

TEST(FormatDiagnostics, RejectsPiecesThatCannotBe) {
  const std::string pieces = "piece_bytes: uint(3), piece_first: uint(3), piece_step: uint(6)";
  EXPECT_THAT(ComplaintsOfIsa("stride: uint(8)}", "stride: uint(8), " + pieces + "}"),
              ::testing::HasSubstr("instruction 'load_inp' of kind load lacks the field 'row_bytes'"));
  EXPECT_THAT(ComplaintsOfIsa("stride: uint(8)}",
                              "stride: uint(8), row_bytes: uint(8), pad_top: uint(2), " + pieces + "}"),
              ::testing::HasSubstr("instruction 'load_inp' gathers pieces, which have no padding"));
  EXPECT_THAT(ComplaintsOfIsa("stride: uint(8)}", "stride: uint(8), row_bytes: int(8), " + pieces + "}"),
              ::testing::HasSubstr("field 'row_bytes' has to be unsigned"));
  EXPECT_EQ(ComplaintsOfIsa("stride: uint(8)}", "stride: uint(8), row_bytes: uint(8), " + pieces + "}"), "");
}

TEST(FormatDiagnostics, RejectsFieldsOfGemmWithoutRole) {
  EXPECT_EQ(ComplaintsOfIsa("      reset: uint(1)", "      rset: uint(1)"),
            R"~(isa.yaml:56:7: error[E0108]: field 'rset' means nothing in an instruction of kind gemm
   56 |       rset: uint(1)
      |       ^~~~
  hint: did you mean 'reset'?
)~");
}

TEST(FormatDiagnostics, RejectsSignedRoleFields) {
  EXPECT_EQ(ComplaintsOfIsa("rows: uint(8)", "rows: int(8)"),
            R"~(isa.yaml:28:51: error[E0109]: field 'rows' has to be unsigned
   28 |     fields: {sram: uint(6), dram: uint(32), rows: int(8), cols: uint(8), stride: uint(8)}
      |                                                   ^~~~~~
)~");
}

TEST(FormatDiagnostics, RejectsWideFlags) {
  EXPECT_EQ(ComplaintsOfIsa("reset: uint(1)", "reset: uint(2)"),
            R"~(isa.yaml:56:14: error[E0109]: field 'reset' has to be uint(1)
   56 |       reset: uint(2)
      |              ^~~~~~~
)~");
}

TEST(FormatDiagnostics, RejectsFieldsNamedLikeFlags) {
  EXPECT_EQ(ComplaintsOfIsa("reset: uint(1)", "pop_load_to_gemm: uint(1)"),
            R"~(isa.yaml:56:7: error[E0307]: every instruction has a field 'pop_load_to_gemm' already
   56 |       pop_load_to_gemm: uint(1)
      |       ^~~~~~~~~~~~~~~~
)~");
}

TEST(FormatDiagnostics, RejectsMissingLocks) {
  EXPECT_EQ(
      ComplaintsOfIsa("      reset: uint(1)\n      lock_acc: uint(acc.banks)\n", "      reset: uint(1)\n"),
      R"~(isa.yaml:49:3: error[E0110]: instruction 'gemm' touches memory 'acc', which several units share, but has no field 'lock_acc'
   49 |   gemm:
      |   ^~~~
  hint: add lock_acc: uint(acc.banks)
)~");
}

TEST(FormatDiagnostics, RejectsNarrowLocks) {
  EXPECT_EQ(
      ComplaintsOfIsa("      reset: uint(1)\n      lock_acc: uint(acc.banks)",
                      "      reset: uint(1)\n      lock_acc: uint(1)"),
      R"~(isa.yaml:57:17: error[E0111]: field 'lock_acc' has 1 bit, but memory 'acc' has 2 banks, and each takes one
   57 |       lock_acc: uint(1)
      |                 ^~~~~~~
  hint: write uint(acc.banks)
)~");
}

TEST(FormatDiagnostics, LocksOfPortsHaveTwoBitsABank) {
  const std::string complaints = ComplaintsOfIsa("banks: 2}", "banks: 2, lock: ports}");
  EXPECT_THAT(complaints,
              ::testing::HasSubstr("error[E0111]: field 'lock_acc' has 2 bits, but memory 'acc' has 2 banks, "
                                   "and each takes two, one for each port"));
  EXPECT_THAT(complaints, ::testing::HasSubstr("hint: write uint(2 * acc.banks)"));
}

TEST(FormatDiagnostics, RejectsLocksOfOtherThings) {
  EXPECT_THAT(ComplaintsOfIsa("banks: 2}", "banks: 2, lock: port}"),
              ::testing::HasSubstr("error[E0008]: 'lock' of memory 'acc' has to be 'banks' or 'ports', not "
                                   "'port'"));
  EXPECT_THAT(ComplaintsOfIsa("banks: 2}", "banks: 32, lock: ports}"),
              ::testing::HasSubstr("'banks' of memory 'acc' is 32"));
}

TEST(FormatDiagnostics, RejectsPlainMemoriesAsMicroOps) {
  EXPECT_EQ(
      ComplaintsOfIsa("micro_ops: guop", "micro_ops: inp"),
      R"~(isa.yaml:53:16: error[E0008]: memory 'inp' holds no micro-ops: they are one record of named fields
   53 |     micro_ops: inp
      |                ^~~
)~");
}

TEST(FormatDiagnostics, RejectsKeysOfOtherKinds) {
  EXPECT_EQ(ComplaintsOfIsa("    kind: gemm\n", "    kind: gemm\n    memory: acc\n"),
            R"~(isa.yaml:53:5: error[E0005]: unknown key 'memory' in instruction 'gemm'
   53 |     memory: acc
      |     ^~~~~~
  hint: known here: doc, where, opcode, match, unit, kind, fields, micro_ops, axes, computes
)~");
}

}  // namespace
}  // namespace cosim::isa
