// SPDX-License-Identifier: Apache-2.0
// One case for each message of the verifier. Each starts from a small program that is clean and breaks one
// thing.
#include "isa/verify.h"

#include <gmock/gmock.h>

#include "isa/codec.h"
#include "tests/isa/program/testing.h"

namespace cosim::isa::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Loads, multiplies, narrows and stores four elements.
const char kClean[] = R"(.dram 0x10000
.code 0x8000
.instructions code 0x8000
.micro_ops uops 0x1000 {
  gemm_uop
  gemm_uop dst=1
  alu_uop
  alu_uop dst=1 src=1
}
.constants weights 0x2000 {
  00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f
}
load_gemm_uop dram=0x1000 rows=1 cols=2
load_alu_uop dram=0x1008 rows=1 cols=2 push(load_to_alu)
load_wgt dram=0x2000 rows=1 cols=1
load_inp dram=0x4000 rows=1 cols=4 push(load_to_gemm)
gemm overwrite=1 lock_acc=0b0001 lock_inp=0b0001 uop=[0,1) iter_out=1 iter_in=4 dst_in=1 src_in=1 pop(load_to_gemm) push(gemm_to_alu)
alu op=narrow lock_acc=0b0001 uop=[0,1) iter_out=1 iter_in=4 dst_in=1 src_in=1 lo=-128 hi=127 pop(load_to_alu, gemm_to_alu) push(alu_to_store)
store_out dram=0x6000 rows=1 cols=4 pop(alu_to_store)
)";

VerifyResult VerifyText(const std::string& text) { return Verify(TinySpec(), FromText(TinySpec(), text)); }

VerifyResult VerifyChanged(const std::string& from, const std::string& to) {
  return VerifyText(Replace(kClean, from, to));
}

/// Expects one finding of the kind, with a message that has `message` in it, for instructions `instructions`.
void ExpectFinding(const VerifyResult& result, FindingKind kind, const std::string& message,
                   const std::vector<int64_t>& instructions) {
  for (const Finding& finding : result.findings) {
    if (finding.kind != kind || finding.message.find(message) == std::string::npos) continue;
    EXPECT_EQ(finding.instructions, instructions);
    return;
  }
  ADD_FAILURE() << "no " << FindingKindName(kind) << " with '" << message << "' in\n" << result.Render();
}

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

// 1. The program as a whole, fields.

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

// 2. Tokens.

TEST(Verify, RejectsAPopThatNothingPushes) {
  const VerifyResult result = VerifyChanged("cols=4 push(load_to_gemm)", "cols=4");
  ExpectFinding(
      result, FindingKind::kDeadlock,
      "instruction 4 'gemm' waits for a token of 'load_to_gemm', but no further instruction pushes it", {4});
  EXPECT_EQ(result.findings.at(0).queue, TinySpec().QueueIndex("load_to_gemm"));
}

TEST(Verify, RejectsTokensThatNothingPops) {
  ExpectFinding(
      VerifyChanged("0x6000 rows=1 cols=4 pop(alu_to_store)", "0x6000 rows=1 cols=4"),
      FindingKind::kTokensLeft,
      "1 of the 1 tokens of 'alu_to_store' are never popped, the first pushed by instruction 5 'alu narrow'",
      {5});
}

const char kHead[] = ".dram 0x1000\n.code 0\n";

TEST(Verify, RejectsACircleOfWaits) {
  ExpectFinding(
      VerifyText(std::string(kHead) + "sync_load pop(gemm_to_load) push(load_to_gemm)\n"
                                      "sync_gemm pop(load_to_gemm) push(gemm_to_load)\n"),
      FindingKind::kDeadlock,
      "instruction 0 'sync_load' waits for a token of 'gemm_to_load', which instruction 1 'sync_gemm' would "
      "push; instruction 1 'sync_gemm' waits for a token of 'load_to_gemm', which instruction 0 'sync_load' "
      "would push",
      {0, 1});
}

TEST(Verify, RejectsAGiverThatStandsBehindAWaitingInstruction) {
  ExpectFinding(
      VerifyText(std::string(kHead) + "sync_gemm pop(load_to_gemm)\n"
                                      "sync_load pop(gemm_to_load)\n"
                                      "sync_load push(load_to_gemm)\n"
                                      "sync_gemm push(gemm_to_load)\n"),
      FindingKind::kDeadlock,
      "which instruction 3 'sync_gemm' would push but which stands behind instruction 0 'sync_gemm'",
      {1, 3, 0, 2});
}

TEST(Verify, RejectsAFullQueueThatNobodyEmpties) {
  std::string text = kHead;
  for (int i = 0; i < 5; ++i) text += "sync_load push(load_to_gemm)\n";
  ExpectFinding(
      VerifyText(text), FindingKind::kDeadlock,
      "instruction 4 'sync_load' waits for a free place in 'load_to_gemm' (capacity 4), but no further "
      "instruction pops it",
      {4});
}

TEST(Verify, RejectsAGiverThatIsNeverDispatched) {
  std::string text = kHead;
  for (int i = 0; i < 5; ++i) text += "sync_gemm pop(load_to_gemm)\n";
  for (int i = 0; i < 5; ++i) text += "sync_load push(load_to_gemm)\n";
  ExpectFinding(
      VerifyText(text), FindingKind::kDeadlock,
      "which is not dispatched: the command queue of 'gemm' (capacity 4) is full behind instruction 0",
      {0, 5});
}

TEST(Verify, AcceptsTokensBackwardInTheProgramAndGivesAnOrder) {
  const VerifyResult result = VerifyText(std::string(kHead) +
                                         "sync_gemm pop(load_to_gemm)\n"
                                         "sync_load push(load_to_gemm)\n");
  EXPECT_TRUE(result.ok()) << result.Render();
  EXPECT_FALSE(result.forward);
  EXPECT_THAT(result.order, ElementsAre(1, 0));
}

TEST(Verify, AcceptsMoreTokensThanCapacityWhenTheConsumerCanFollow) {
  std::string text = kHead;
  for (int i = 0; i < 6; ++i) text += "sync_load push(load_to_gemm)\n";
  for (int i = 0; i < 6; ++i) text += "sync_gemm pop(load_to_gemm)\n";
  const VerifyResult result = VerifyText(text);
  EXPECT_TRUE(result.ok()) << result.Render();
  EXPECT_FALSE(result.forward);
  EXPECT_EQ(result.order.size(), 12u);
}

// 3. Accesses.

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
  ExpectFinding(VerifyChanged("lock_inp=0b0001", "lock_inp=0b1110"), FindingKind::kBankNotLocked,
                "touches bank 0 of 'inp' (elements 0..127), which lock_inp does not name", {4});
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
  const std::string spread =
      Replace(Replace(changed, "dst_base=1 dst_in=1", "dst_base=" + std::to_string(distance) + " dst_in=1"),
              "iter_in=4 dst_base", "iter_in=" + std::to_string(3 * distance) + " dst_base");
  EXPECT_TRUE(VerifyText(spread).ok()) << VerifyText(spread).Render();
}

TEST(Verify, RejectsAccumulatingIntoOneElementTooFast) {
  // Pooling into one destination: every step reads what the step before wrote.
  ExpectFinding(
      VerifyText(Replace(
          kClean, "op=narrow lock_acc=0b0001 uop=[0,1) iter_out=1 iter_in=4 dst_in=1 src_in=1 lo=-128 hi=127",
          "op=max lock_acc=0b0001 uop=[0,1) iter_out=1 iter_in=4 src_base=8 src_in=1")),
      FindingKind::kReadTooSoon, "step 1 reads acc[0], which step 0 writes", {5});
}

// 4. Races.

TEST(Verify, RejectsReadingWhatMayNotBeWrittenYet) {
  const std::string text =
      Replace(Replace(kClean, "cols=4 push(load_to_gemm)", "cols=4"), "pop(load_to_gemm) ", "");
  const VerifyResult result = VerifyText(text);
  ExpectFinding(
      result, FindingKind::kReadAfterWrite,
      "instruction 4 'gemm' reads inp[0] and 3 more, which instruction 3 'load_inp' writes; no tokens order "
      "them",
      {4, 3});
  ExpectFinding(result, FindingKind::kReadAfterWrite, "reads gemm_uop[0], which instruction 0", {4, 0});
}

TEST(Verify, RejectsATokenThatIsPushedTooEarly) {
  const std::string text =
      Replace(Replace(kClean, "cols=4 push(load_to_gemm)", "cols=4"), "load_wgt dram=0x2000 rows=1 cols=1",
              "load_wgt dram=0x2000 rows=1 cols=1 push(load_to_gemm)");
  const VerifyResult result = VerifyText(text);
  EXPECT_EQ(result.total_findings, 1);
  ExpectFinding(result, FindingKind::kReadAfterWrite, "reads inp[0] and 3 more, which instruction 3", {4, 3});
}

TEST(Verify, RejectsOverwritingWhatMayNotBeReadYet) {
  const std::string text = std::string(kClean) + "load_inp sram=3 dram=0x4000 rows=1 cols=4\n";
  ExpectFinding(VerifyText(text), FindingKind::kWriteAfterRead,
                "instruction 7 'load_inp' writes inp[3], which instruction 4 'gemm' reads", {7, 4});
}

TEST(Verify, RejectsTwoUnitsWritingOneElement) {
  const std::string text = Replace(std::string(kClean), "src_in=1 pop(load_to_gemm) push(gemm_to_alu)",
                                   "src_in=1 pop(load_to_gemm)");
  const std::string changed =
      Replace(text,
              "op=narrow lock_acc=0b0001 uop=[0,1) iter_out=1 iter_in=4 dst_in=1 src_in=1 lo=-128 hi=127 "
              "pop(load_to_alu, gemm_to_alu) push(alu_to_store)",
              "op=seti lock_acc=0b0001 uop=[0,2) iter_out=1 iter_in=1 pop(load_to_alu) push(alu_to_store)");
  ExpectFinding(VerifyText(changed), FindingKind::kWriteAfterWrite,
                "instruction 5 'alu seti' writes acc[0] and 1 more, which instruction 4 'gemm' writes",
                {5, 4});
}

TEST(Verify, RejectsLoadingWhatIsNotStoredYet) {
  const std::string text = std::string(kClean) + "load_inp sram=100 dram=0x6008 rows=1 cols=4\n";
  ExpectFinding(
      VerifyText(text), FindingKind::kReadAfterWrite,
      "instruction 7 'load_inp' reads DRAM from 0x6008 on (8 bytes), which instruction 6 'store_out' writes",
      {7, 6});
  const std::string ordered =
      Replace(text, "cols=4 pop(alu_to_store)\n", "cols=4 pop(alu_to_store) push(store_to_load)\n");
  EXPECT_TRUE(VerifyText(Replace(ordered, "dram=0x6008 rows=1 cols=4",
                                 "dram=0x6008 rows=1 cols=4 pop(store_to_load)"))
                  .ok());
}

TEST(Verify, RejectsStoringOverWhatMayNotBeLoadedYet) {
  const std::string text = Replace(kClean, "store_out dram=0x6000", "store_out dram=0x400c");
  const VerifyResult ordered = VerifyText(text);
  EXPECT_TRUE(ordered.ok()) << "the store follows the load through gemm and alu: " << ordered.Render();
  const std::string late = Replace(text, "load_gemm_uop dram=0x1000", "load_gemm_uop dram=0x1000") +
                           "load_inp sram=64 dram=0x4000 rows=1 cols=4\n";
  ExpectFinding(VerifyText(late), FindingKind::kReadAfterWrite, "reads DRAM from 0x400c on (4 bytes)",
                {7, 6});
}

TEST(Verify, FootprintsInDramAreExact) {
  // Between the rows of the store lie the rows of the load: their hulls overlap, their bytes do not.
  const std::string text = Replace(kClean, "0x6000 rows=1 cols=4", "0x6000 rows=2 cols=2 stride=4") +
                           "load_inp sram=100 dram=0x6008 rows=2 cols=2 stride=4\n";
  EXPECT_TRUE(VerifyText(text).ok()) << VerifyText(text).Render();
  EXPECT_FALSE(VerifyText(Replace(text, "0x6008 rows=2 cols=2", "0x6008 rows=2 cols=3")).ok());
}

TEST(Verify, ARowMayMeetSeveralStoredStretches) {
  // The load's row covers both rows of the store and the gap between them; only the second is stored after
  // it.
  const std::string text =
      Replace(kClean, "store_out dram=0x6000 rows=1 cols=4 pop(alu_to_store)\n",
              "store_out dram=0x6000 rows=1 cols=1 pop(alu_to_store) push(store_to_load)\n"
              "load_inp sram=100 dram=0x6000 rows=1 cols=9 pop(store_to_load)\n"
              "store_out dram=0x6020 rows=1 cols=1\n");
  const VerifyResult result = VerifyText(text);
  EXPECT_EQ(result.total_findings, 1);
  ExpectFinding(
      result, FindingKind::kWriteAfterRead,
      "instruction 8 'store_out' writes DRAM from 0x6020 on (4 bytes), which instruction 7 'load_inp' reads",
      {8, 7});
}

TEST(Verify, LoadsOfOneUnitWriteInOrder) {
  EXPECT_TRUE(VerifyChanged("load_wgt", "load_inp dram=0x5000 rows=1 cols=2\nload_wgt").ok());
}

TEST(Verify, GemmFollowsGemmWithoutTokens) {
  const std::string gemm =
      "gemm lock_acc=0b0001 lock_inp=0b0001 uop=[0,2) iter_out=1 iter_in=2 src_in=1 pop(load_to_gemm)\n";
  EXPECT_TRUE(VerifyChanged("gemm overwrite=1", gemm + "gemm overwrite=1").total_findings == 1)
      << "one pop too many";
  const std::string text = Replace(kClean, "gemm overwrite=1", gemm + "gemm overwrite=1");
  EXPECT_TRUE(VerifyText(Replace(text, "src_in=1 pop(load_to_gemm) push", "src_in=1 push")).ok());
}

TEST(Verify, AnOverlappingAluMustNotReadItsPredecessorsResults) {
  Spec spec = TinySpec();
  spec.units[spec.UnitIndex("alu")].overlap = true;
  const std::string text = Replace(kClean, "alu op=narrow",
                                   "alu op=addi lock_acc=0b0001 uop=[0,1) iter_out=1 iter_in=4 dst_in=1 "
                                   "src_in=1 pop(load_to_alu, gemm_to_alu)\nalu op=narrow");
  const std::string once = Replace(text, "hi=127 pop(load_to_alu, gemm_to_alu)", "hi=127");
  EXPECT_TRUE(VerifyText(once).ok()) << VerifyText(once).Render();
  ExpectFinding(Verify(spec, FromText(spec, once)), FindingKind::kReadAfterWrite,
                "they overlap in their unit and no tokens order them", {6, 5});
  // A token to another unit and back orders them.
  const std::string there = Replace(once, "src_in=1 pop(load_to_alu, gemm_to_alu)",
                                    "src_in=1 pop(load_to_alu, gemm_to_alu) push(alu_to_gemm)");
  const std::string back =
      Replace(there, "alu op=narrow", "sync_gemm pop(alu_to_gemm) push(gemm_to_alu)\nalu op=narrow");
  const VerifyResult ordered =
      Verify(spec, FromText(spec, Replace(back, "hi=127", "hi=127 pop(gemm_to_alu)")));
  EXPECT_TRUE(ordered.ok()) << ordered.Render();
}

TEST(Verify, AMirrorIsItsOriginal) {
  const Spec spec = MakeSpec("vta");
  const std::string text = R"(.dram 0x10000
.code 0x8000
.micro_ops u 0x1000 {
  uop
}
load_uop dram=0x1000 rows=1 cols=1
gemm reset=1 uop=[0,1) iter_out=1 iter_in=4 dst_in=1 push(compute_to_store)
store_out dram=0x6000 rows=1 cols=4 pop(compute_to_store)
)";
  EXPECT_TRUE(Verify(spec, FromText(spec, text)).ok()) << Verify(spec, FromText(spec, text)).Render();
  const std::string unordered =
      Replace(Replace(text, " push(compute_to_store)", ""), " pop(compute_to_store)", "");
  ExpectFinding(Verify(spec, FromText(spec, unordered)), FindingKind::kReadAfterWrite,
                "instruction 2 'store_out' reads acc[0] and 3 more, which instruction 1 'gemm' writes",
                {2, 1});
}

}  // namespace
}  // namespace cosim::isa::testing
