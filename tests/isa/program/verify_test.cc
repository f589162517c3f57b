// SPDX-License-Identifier: Apache-2.0
// The verifier's messages about the program as a whole, fields and single accesses: each case breaks one
// thing.
#include "isa/verify/verify.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/isa/program/verify_testing.h"

namespace cosim::isa::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Verify, AcceptsAProgram) {
  const VerifyResult result = VerifyText(kClean);
  EXPECT_TRUE(result.ok()) << result.Render();
  EXPECT_TRUE(result.forward);
  EXPECT_THAT(result.order, IsEmpty());
}

TEST(Verify, AcceptsAnEmptyProgram) { EXPECT_TRUE(VerifyText(".dram 0x1000\n.code 0\n").ok()); }

TEST(Verify, NamesLayersAndOps) {
  const Program program = FromText(
      TinySpec(), Replace(kClean, "lock_acc=0b0001 uop=[0,1) iter_out=1 iter_in=4 dst_in=1 src_in=1 lo",
                          "uop=[0,1) iter_out=1 iter_in=4 dst_in=1 src_in=1 lo"));
  VerifyOptions options;
  options.layer = [](int64_t i) { return "layer" + std::to_string(i); };
  const VerifyResult result = Verify(TinySpec(), program, options);
  ExpectFinding(result, FindingKind::kBankNotLocked, "instruction 5 'alu narrow' (layer5)", {5});
  EXPECT_THAT(result.Render(), HasSubstr("bank-not-locked: instruction 5"));
}

TEST(Verify, CountsFindingsBeyondTheLimit) {
  std::string text = ".dram 0x1000\n.code 0\n";
  for (int i = 0; i < 5; ++i) text += "load_inp cols=1\n";
  const VerifyResult result = Verify(TinySpec(), FromText(TinySpec(), text), {.max_findings = 2});
  EXPECT_EQ(result.findings.size(), 2u);
  EXPECT_EQ(result.total_findings, 5);
  EXPECT_THAT(result.Render(), HasSubstr("and 3 more"));
}

// The program as a whole, fields.

TEST(Verify, RejectsAProgramForAnotherSpec) {
  ExpectFinding(VerifyText(std::string(".fingerprint 0000000000000001\n") + kClean),
                FindingKind::kFingerprint, "made for spec 0000000000000001", {});
}

TEST(Verify, RejectsMisplacedSegments) {
  ExpectFinding(VerifyChanged("weights 0x2000", "weights 0xfff8"), FindingKind::kSegment,
                "segment 'weights' at 0xfff8, 16 bytes, ends outside", {});
  ExpectFinding(VerifyChanged("weights 0x2000", "weights 0x1008"), FindingKind::kSegment,
                "segment 'weights' at 0x1008 overlaps segment 'uops', which ends at 0x1010", {});
}

TEST(Verify, RejectsMisplacedCode) {
  const std::string text = Replace(kClean, ".instructions code 0x8000\n", "");
  ExpectFinding(VerifyText(Replace(text, ".code 0x8000", ".code 0x8020")), FindingKind::kSegment,
                "address 0x8020 is not a multiple of 4096", {});
  ExpectFinding(VerifyText(Replace(text, ".code 0x8000", ".code 0x10000")), FindingKind::kSegment,
                "the instructions at 0x10000, 224 bytes, end outside", {});
  ExpectFinding(VerifyText(Replace(text, ".code 0x8000", ".code 0x1000")), FindingKind::kSegment,
                "segment 'uops' at 0x1000 overlaps the instructions at 0x1000", {});
}

TEST(Verify, RejectsASegmentThatIsNotTheProgramsWords) {
  Program program = FromText(TinySpec(), kClean);
  program.segments[0].bytes[9] ^= 1;
  ExpectFinding(Verify(TinySpec(), program), FindingKind::kSegment,
                "segment 'code' at 0x8000 does not hold the program's instructions", {});
}

TEST(Verify, RejectsValuesThatDoNotFit) {
  Program program = FromText(TinySpec(), Replace(kClean, ".instructions code 0x8000\n", ""));
  const InstructionFormat& load = TinySpec().formats[program.instructions[3].format];
  program.instructions[3].values[load.FieldIndex("rows")] = -1;
  ExpectFinding(Verify(TinySpec(), program), FindingKind::kField,
                "instruction 3 'load_inp': -1 does not fit field 'rows'", {3});
  program.instructions[3].format = 77;
  ExpectFinding(Verify(TinySpec(), program), FindingKind::kField,
                "instruction 3: there is no instruction format 77", {3});
}

// Along rows: pairs of neighbouring elements, of the four that are loaded.
TEST(Verify, ChecksAllElementsOfRows) {
  const Spec spec = MakeSpec("cosim", "tiny", {{"parameters.taps", "2"}});
  const std::string rows = "iter_in=4 dst_in=1 src_in=1 pop";
  const std::string stores = Replace(kClean, "dram=0x6000 rows=1 cols=4", "dram=0x6000 rows=1 cols=1");
  const std::string clean = Replace(Replace(stores, "gemm overwrite", "gemm_rows overwrite"), rows,
                                    "iter_in=3 dst_in=1 src_in=1 pop");
  const auto with = [&](const std::string& fields) {
    const std::string text = Replace(Replace(clean, "iter_in=3 dst_in=1 src_in=1 pop", fields + " pop"),
                                     "alu op=narrow lock_acc=0b0001 uop=[0,1) iter_out=1 iter_in=4",
                                     "alu op=narrow lock_acc=0b0001 uop=[0,1) iter_out=1 iter_in=1");
    return Verify(spec, FromText(spec, text));
  };
  EXPECT_TRUE(with("iter_in=3 dst_in=1 src_in=1").ok()) << with("iter_in=3 dst_in=1 src_in=1").Render();
  EXPECT_TRUE(with("iter_in=2 dst_in=1 src_in=2").ok());
  EXPECT_TRUE(with("iter_in=1 src_in=9").ok()) << "a single one lies apart from nothing";
  for (const char* apart : {"0", "3"})
    ExpectFinding(with(fmt::format("iter_in=2 dst_in=1 src_in={}", apart)), FindingKind::kCount,
                  fmt::format("has iterations {} elements apart along a row; 1 to 2 are possible", apart),
                  {4});
  ExpectFinding(with("iter_in=4 dst_in=1 src_in=1"), FindingKind::kUninitializedRead, "reads inp[4]", {4});
  const int64_t last = spec.memories[spec.MemoryIndex("inp")].depth - 1;
  ExpectFinding(with(fmt::format("iter_in=1 src_base={}", last)), FindingKind::kOnChipBounds,
                fmt::format("runs from {0} to {0}, each with the 1 behind it", last), {4});
  const int64_t border = (last + 1) / spec.memories[spec.MemoryIndex("inp")].banks - 1;
  ExpectFinding(with(fmt::format("iter_in=1 src_base={}", border)), FindingKind::kBankNotLocked,
                "reads bank 1 of 'inp'", {4});
}

TEST(Verify, RejectsCountsBelowOne) {
  ExpectFinding(VerifyChanged("dram=0x4000 rows=1", "dram=0x4000 rows=0"), FindingKind::kCount, "rows is 0",
                {3});
  ExpectFinding(VerifyChanged("0x4000 rows=1 cols=4", "0x4000 rows=1"), FindingKind::kCount, "cols is 0",
                {3});
  ExpectFinding(VerifyChanged("iter_out=1", "iter_out=0"), FindingKind::kCount, "iter_out is 0", {4});
  ExpectFinding(VerifyChanged("iter_in=4", "iter_in=0"), FindingKind::kCount, "iter_in is 0", {4});
  ExpectFinding(VerifyChanged("uop=[0,1)", "uop=[1,1)"), FindingKind::kCount, "the number of micro-ops is 0",
                {4});
}

TEST(Verify, RejectsAnUnknownAluOp) {
  ExpectFinding(VerifyChanged("op=narrow", "op=31"), FindingKind::kAluOp, "no alu op has this code", {5});
}

TEST(Verify, RejectsAnOpThatTheConfigurationLacks) {
  Spec spec = TinySpec();
  AluOp& op = spec.alu_ops[spec.AluOpIndex("narrow")];
  op.available = false;
  op.unavailable = "lanes differ";
  ExpectFinding(Verify(spec, FromText(spec, kClean)), FindingKind::kAluOp,
                "this configuration cannot execute 'narrow': lanes differ", {5});
}

TEST(Verify, RejectsWritingAMirror) {
  Spec spec = TinySpec();
  spec.memories[spec.MemoryIndex("out")].mirrors = spec.MemoryIndex("acc");
  ExpectFinding(Verify(spec, FromText(spec, kClean)), FindingKind::kMirrorWritten,
                "writes 'out', which only mirrors 'acc'", {5});
}

// Accesses.

TEST(Verify, RejectsElementsOutsideTheirMemory) {
  ExpectFinding(VerifyChanged("load_inp dram=0x4000", "load_inp sram=509 dram=0x4000"),
                FindingKind::kOnChipBounds, "touches inp[509..512], but its last element is 511", {3});
  ExpectFinding(VerifyChanged("load_inp dram=0x4000", "load_inp sram=508 pad_left=1 dram=0x4000"),
                FindingKind::kOnChipBounds, "touches inp[508..512]", {3});
  ExpectFinding(VerifyChanged("src_in=1 pop", "src_base=509 src_in=1 pop"), FindingKind::kOnChipBounds,
                "index src of 'inp' runs from 509 to 512, but the last element of 'inp' is 511", {4});
  ExpectFinding(VerifyChanged("dst_in=1 src_in=1 pop", "dst_in=86 src_in=1 pop"), FindingKind::kOnChipBounds,
                "index dst of 'acc' runs from 0 to 258, but the last element of 'acc' is 255", {4});
  ExpectFinding(VerifyChanged("dst_in=1 src_in=1 lo", "dst_in=1 src_in=1 src_base=253 lo"),
                FindingKind::kOnChipBounds, "index src of 'acc' runs from 253 to 256", {5});
  ExpectFinding(VerifyChanged("uop=[0,1)", "uop=[511,513)"), FindingKind::kOnChipBounds,
                "uses gemm_uop[511..512], but its last element is 511", {4});
}

// widen reads inp[src] and the element behind it, 4 channels each, for one of 8.
TEST(Verify, BoundsAllElementsThatAnOperandIsMadeOf) {
  const Spec spec = MakeSpec("cosim", "tiny", {{"parameters.block_out", "8"}});
  const auto verify = [&](const char* base) {
    return Verify(spec, FromText(spec, fmt::format(R"(.dram 0x10000
.code 0x8000
.micro_ops uops 0x1000 {{
  alu_uop
}}
load_alu_uop dram=0x1000 rows=1 cols=1
load_inp sram=448 dram=0x4000 lock_inp=0b10000000 rows=4 cols=16 stride=16 push(load_to_alu)
alu op=widen lock_acc=0b0001 lock_inp=0b1000 uop=[0,1) iter_out=1 iter_in=4 dst_in=1 src_base={} src_in=2 pop(load_to_alu)
)",
                                                   base)));
  };
  EXPECT_TRUE(verify("504").ok()) << verify("504").Render();
  ExpectFinding(verify("505"), FindingKind::kOnChipBounds,
                "index src of 'inp' runs from 505 to 511, each with the 1 behind it, but the last element of "
                "'inp' is 511",
                {2});
  EXPECT_FALSE(verify("446").ok()) << "446 and 447 have not been loaded, nor is their bank locked";
  EXPECT_FALSE(verify("447").ok());
}

TEST(Verify, IgnoresIndicesThatTheOpDoesNotUse) {
  EXPECT_TRUE(VerifyChanged("dst_in=1 src_in=1 lo", "dst_in=1 src_in=1 aux_base=511 aux_in=511 lo").ok());
}

TEST(Verify, RejectsBytesOutsideDram) {
  ExpectFinding(VerifyChanged("dram=0x4000 rows=1", "dram=0xfff4 rows=1"), FindingKind::kDramBounds,
                "touches DRAM up to 0x10004, but the program's DRAM ends at 0x10000", {3});
  ExpectFinding(VerifyChanged("0x4000 rows=1 cols=4", "0x4000 rows=2 cols=4 stride=12288"),
                FindingKind::kDramBounds, "touches DRAM up to 0x10010", {3});
}

TEST(Verify, RejectsMisalignedDramAddresses) {
  ExpectFinding(VerifyChanged("load_wgt dram=0x2000", "load_wgt dram=0x2004"), FindingKind::kDramAlignment,
                "DRAM address 0x2004 is not a multiple of 8 bytes (a beat)", {2});
}

TEST(Verify, ElementsLargerThanABeatMayStartAtAnyBeat) {
  EXPECT_TRUE(VerifyChanged("load_wgt dram=0x2000", "load_wgt dram=0x2008").ok());
  ExpectFinding(VerifyChanged("load_inp dram=0x4000", "load_inp dram=0x4002"), FindingKind::kDramAlignment,
                "DRAM address 0x4002 is not a multiple of 4 bytes (an element of 'inp')", {3});
}

TEST(Verify, RejectsMicroOpsThatNothingLoaded) {
  ExpectFinding(VerifyChanged("uop=[0,1)", "uop=[0,3)"), FindingKind::kMicroOpUnknown,
                "uses gemm_uop[2], which no load before it has brought from the program's segments", {4});
  ExpectFinding(VerifyChanged("load_gemm_uop dram=0x1000", "load_gemm_uop dram=0x3000"),
                FindingKind::kMicroOpUnknown, "uses gemm_uop[0]", {4});
}

TEST(Verify, RejectsStoresIntoTheProgram) {
  ExpectFinding(VerifyChanged("store_out dram=0x6000", "store_out dram=0x1ff4"),
                FindingKind::kProgramOverwritten,
                "row 0 stores to DRAM bytes [0x1ff4, 0x2004), but [0x2000, 0x2010) holds 'weights'", {6});
  ExpectFinding(VerifyChanged("0x6000 rows=1 cols=4", "0x7ff0 rows=3 cols=1 stride=2"),
                FindingKind::kProgramOverwritten, "row 2 stores to DRAM bytes [0x8000, 0x8004)", {6});
  const std::string no_segment = Replace(kClean, ".instructions code 0x8000\n", "");
  ExpectFinding(VerifyText(Replace(no_segment, "store_out dram=0x6000", "store_out dram=0x80dc")),
                FindingKind::kProgramOverwritten, "holds 'instructions'", {6});
}

TEST(Verify, RejectsBanksThatAreNotNamed) {
  ExpectFinding(VerifyChanged("lock_inp=0b0001 uop", "lock_inp=0b1110 uop"), FindingKind::kBankNotLocked,
                "reads bank 0 of 'inp' (elements 0..127), whose read port lock_inp does not name", {4});
  ExpectFinding(
      VerifyChanged(" lock_inp=0b00010000", ""), FindingKind::kBankNotLocked,
      "'load_inp': writes bank 0 of 'inp' (elements 0..127), whose write port lock_inp does not name", {3});
  ExpectFinding(VerifyChanged("dst_in=1 src_in=1 pop", "dst_in=64 src_in=1 pop"), FindingKind::kBankNotLocked,
                "touches bank 3 of 'acc' (elements 192..255)", {4});
}

TEST(Verify, RejectsReadingAResultTooSoon) {
  const std::string changed = Replace(
      kClean, "op=narrow lock_acc=0b0001 uop=[0,1) iter_out=1 iter_in=4 dst_in=1 src_in=1 lo=-128 hi=127",
      "op=addi lock_acc=0b0001 uop=[0,1) iter_out=1 iter_in=4 dst_base=1 dst_in=1 src_in=1");
  const int distance = TinySpec().alu_ops[TinySpec().AluOpIndex("addi")].min_distance;
  ASSERT_GT(distance, 1);
  ExpectFinding(
      VerifyText(changed), FindingKind::kReadTooSoon,
      "step 1 reads acc[1], which step 0 writes; 'addi' needs a distance of " + std::to_string(distance),
      {5});
  // Far enough apart it is fine: chains of `distance` elements.
  const std::string steps = std::to_string(distance);
  const std::string spread =
      Replace(Replace(changed, "dst_base=1 dst_in=1", "dst_base=" + steps + " dst_in=1"),
              "iter_in=4 dst_base", "iter_in=" + std::to_string(2 * distance) + " dst_base");
  const std::string first = Replace(spread, "iter_in=4 dst_in=1 src_in=1", "iter_in=" + steps + " dst_in=1");
  const std::string stored = Replace(first, "store_out dram=0x6000 rows=1 cols=4", "sync_store");
  EXPECT_TRUE(VerifyText(stored).ok()) << VerifyText(stored).Render();
}

TEST(Verify, CountsTheRoundsOfALoopThatMovesNoIndex) {
  const int distance = TinySpec().alu_ops[TinySpec().AluOpIndex("addi")].min_distance;
  ASSERT_GT(distance, 3);
  const auto with_base = [&](const std::string& base) {
    const std::string changed = Replace(
        kClean, "op=narrow lock_acc=0b0001 uop=[0,1) iter_out=1 iter_in=4 dst_in=1 src_in=1 lo=-128 hi=127",
        "op=addi lock_acc=0b0001 uop=[0,1) iter_out=3 iter_in=" + std::to_string(distance) +
            " dst_base=" + base + " dst_out=1 src_out=1");
    return VerifyText(Replace(changed, "store_out dram=0x6000 rows=1 cols=4", "sync_store"));
  };
  // An element is read two rounds of the outer loop behind the one that writes it in all of the inner's.
  EXPECT_TRUE(with_base("2").ok()) << with_base("2").Render();
  ExpectFinding(with_base("1"), FindingKind::kReadTooSoon,
                "step " + std::to_string(distance) + " reads acc[1], which step " +
                    std::to_string(distance - 1) + " writes",
                {5});
}

TEST(Verify, WritesOfActivationsNameTheirWritePorts) {
  Diagnostics diags;
  const auto spec = LoadSpec("tiny.yaml", "test/feeds", {}, diags);
  ASSERT_TRUE(spec) << diags.Render();
  const auto verify = [&](const std::string& lock) {
    const std::string text =
        Replace(kClean, "alu op=narrow lock_acc=0b0001 uop=[0,1) iter_out=1 iter_in=4",
                "alu op=requant_inp lock_acc=0b0001 " + lock + " uop=[0,1) iter_out=1 iter_in=4 dst_base=8");
    return Verify(*spec, FromText(*spec, text)).Render();
  };
  const std::string missing =
      "writes bank 0 of 'inp' (elements 0..127), whose write port lock_inp does not name";
  EXPECT_THAT(verify(""), HasSubstr(missing));
  EXPECT_THAT(verify("lock_inp=0b00001111"), HasSubstr(missing)) << "those are read ports";
  EXPECT_THAT(verify("lock_inp=0b11100000"), HasSubstr(missing));
  EXPECT_THAT(verify("lock_inp=0b00010000"), ::testing::Not(HasSubstr("bank-not-locked")));
}

TEST(Verify, RejectsAccumulatingIntoOneElementTooFast) {
  // Pooling into one destination: every step reads what the step before wrote.
  ExpectFinding(
      VerifyText(Replace(
          kClean, "op=narrow lock_acc=0b0001 uop=[0,1) iter_out=1 iter_in=4 dst_in=1 src_in=1 lo=-128 hi=127",
          "op=max lock_acc=0b0001 uop=[0,1) iter_out=1 iter_in=4 src_base=8 src_in=1")),
      FindingKind::kReadTooSoon, "step 1 reads acc[0], which step 0 writes", {5});
}

}  // namespace
}  // namespace cosim::isa::testing
