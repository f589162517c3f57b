// SPDX-License-Identifier: Apache-2.0
// The verifier's messages about order, tokens and races: each case breaks one thing in a clean program.
#include "isa/verify/verify.h"
#include "tests/isa/program/verify_testing.h"

namespace cosim::isa::testing {
namespace {

using ::testing::ElementsAre;

// Tokens.

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

// Races.

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
  const std::string text =
      std::string(kClean) + "load_inp sram=3 dram=0x4000 lock_inp=0b00010000 rows=1 cols=4\n";
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
  const std::string text =
      std::string(kClean) + "load_inp sram=100 dram=0x6008 lock_inp=0b00010000 rows=1 cols=4\n";
  ExpectFinding(
      VerifyText(text), FindingKind::kReadAfterWrite,
      "instruction 7 'load_inp' reads DRAM from 0x6008 on (8 bytes), which instruction 6 'store_out' writes",
      {7, 6});
  const std::string ordered =
      Replace(text, "cols=4 pop(alu_to_store)\n", "cols=4 pop(alu_to_store) push(store_to_load)\n");
  EXPECT_TRUE(VerifyText(Replace(ordered, "dram=0x6008 lock_inp=0b00010000 rows=1 cols=4",
                                 "dram=0x6008 lock_inp=0b00010000 rows=1 cols=4 pop(store_to_load)"))
                  .ok());
}

TEST(Verify, RejectsStoringOverWhatMayNotBeLoadedYet) {
  const std::string text = Replace(kClean, "store_out dram=0x6000", "store_out dram=0x400c");
  const VerifyResult ordered = VerifyText(text);
  EXPECT_TRUE(ordered.ok()) << "the store follows the load through gemm and alu: " << ordered.Render();
  const std::string late = Replace(text, "load_gemm_uop dram=0x1000", "load_gemm_uop dram=0x1000") +
                           "load_inp sram=64 dram=0x4000 lock_inp=0b00010000 rows=1 cols=4\n";
  ExpectFinding(VerifyText(late), FindingKind::kReadAfterWrite, "reads DRAM from 0x400c on (4 bytes)",
                {7, 6});
}

TEST(Verify, FootprintsInDramAreExact) {
  // Between the rows of the store lie the rows of the load: their hulls overlap, their bytes do not.
  const std::string text = Replace(kClean, "0x6000 rows=1 cols=4", "0x6000 rows=2 cols=2 stride=4") +
                           "load_inp sram=100 dram=0x6008 lock_inp=0b00010000 rows=2 cols=2 stride=4\n";
  EXPECT_TRUE(VerifyText(text).ok()) << VerifyText(text).Render();
  EXPECT_FALSE(VerifyText(Replace(text, "0x6008 lock_inp=0b00010000 rows=2 cols=2",
                                  "0x6008 lock_inp=0b00010000 rows=2 cols=3"))
                   .ok());
}

TEST(Verify, ARowMayMeetSeveralStoredStretches) {
  // The load's row covers both rows of the store and the gap between them; only the second is stored after
  // it.
  const std::string text =
      Replace(kClean, "store_out dram=0x6000 rows=1 cols=4 pop(alu_to_store)\n",
              "store_out dram=0x6000 rows=1 cols=1 pop(alu_to_store) push(store_to_load)\n"
              "load_inp sram=100 dram=0x6000 lock_inp=0b00010000 rows=1 cols=9 pop(store_to_load)\n"
              "store_out dram=0x6020 rows=1 cols=1\n");
  const VerifyResult result = VerifyText(text);
  EXPECT_EQ(result.total_findings, 1);
  ExpectFinding(
      result, FindingKind::kWriteAfterRead,
      "instruction 8 'store_out' writes DRAM from 0x6020 on (4 bytes), which instruction 7 'load_inp' reads",
      {8, 7});
}

TEST(Verify, LoadsOfOneUnitWriteInOrder) {
  EXPECT_TRUE(
      VerifyChanged("load_wgt", "load_inp dram=0x5000 lock_inp=0b00010000 rows=1 cols=2\nload_wgt").ok());
}

TEST(Verify, GemmFollowsGemmWithoutTokens) {
  const std::string gemm =
      "gemm overwrite=1 lock_acc=0b0001 lock_inp=0b0001 uop=[0,2) iter_out=1 iter_in=2 src_in=1 "
      "pop(load_to_gemm)\n";
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
