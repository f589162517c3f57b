// SPDX-License-Identifier: Apache-2.0
// Reads of on-chip elements that nothing has written: each case takes a write away, or moves a read.
#include <fmt/format.h>

#include "isa/verify/verify.h"
#include "tests/isa/program/verify_testing.h"

namespace cosim::isa::testing {
namespace {

constexpr FindingKind kKind = FindingKind::kUninitializedRead;

TEST(VerifyUninitialized, NamesTheLoadThatIsMissing) {
  const VerifyResult result = VerifyChanged("load_wgt dram=0x2000 rows=1 cols=1\n", "");
  EXPECT_EQ(result.total_findings, 1);
  ExpectFinding(
      result, kKind,
      "instruction 3 'gemm' of unit 'gemm' reads wgt[0], which nothing before it has written; 'wgt' is "
      "written by load_wgt",
      {3});
  EXPECT_EQ(result.findings.at(0).memory, TinySpec().MemoryIndex("wgt"));
  EXPECT_EQ(result.findings.at(0).element, 0);
}

TEST(VerifyUninitialized, SeesTheOneElementOfARange) {
  ExpectFinding(VerifyChanged("dram=0x4000 rows=1 cols=4", "dram=0x4000 rows=1 cols=3"), kKind,
                "reads inp[3], which", {4});
  ExpectFinding(VerifyChanged("load_inp dram=0x4000", "load_inp sram=2 dram=0x4000"), kKind,
                "reads inp[0] and 1 more, which", {4});
}

TEST(VerifyUninitialized, PadsAreWritten) {
  EXPECT_TRUE(
      VerifyChanged("dram=0x4000 rows=1 cols=4", "pad_left=1 pad_right=2 dram=0x4000 rows=1 cols=1").ok());
}

TEST(VerifyUninitialized, PiecesHaveToFillAnElement) {
  const std::string whole = "load_inp dram=0x4000 rows=1 cols=4 push(load_to_gemm)";
  const std::string part = "gather_inp dram=0x4001 rows=1 cols=4 piece_bytes=2 piece_step=3 row_bytes=11";
  const std::string low = part + " lock_inp=0b00010000", high = part + " piece_first=2",
                    push = " push(load_to_gemm)";
  ASSERT_EQ(TinySpec().memories[TinySpec().MemoryIndex("inp")].stored_bytes, 4);
  EXPECT_EQ(VerifyChanged(whole, low + "\n" + high + push).Render(), "");
  ExpectFinding(VerifyChanged(whole, low + "\n" + part + push), kKind, "reads inp[0] and 3 more, which", {5});
  const std::string three = Replace(Replace(high, "cols=4", "cols=3"), "row_bytes=11", "row_bytes=8");
  ExpectFinding(VerifyChanged(whole, low + "\n" + three + push), kKind, "reads inp[3], which", {5});
}

TEST(Verify, RefusesPiecesThatAreNone) {
  const std::string whole = "load_inp dram=0x4000 rows=1 cols=4 push(load_to_gemm)";
  const auto expect = [&](const std::string& fields, const std::string& message) {
    ExpectFinding(
        VerifyChanged(whole, "gather_inp dram=0x4001 rows=1 cols=4 " + fields + " push(load_to_gemm)"),
        FindingKind::kCount, message, {3});
  };
  expect("piece_bytes=2 piece_step=3 row_bytes=12",
         "has row_bytes=12, but 4 pieces of 2 bytes with a step of 3 take 11");
  expect("row_bytes=4", "gathers pieces of 0 bytes; they have 1 to 4");
  expect("piece_bytes=3 piece_first=2 row_bytes=3",
         "gathers into bytes 2 to 4 of elements of 'inp', which have 4");
}

TEST(VerifyUninitialized, ALoadThatComesLaterIsNamed) {
  ExpectFinding(VerifyText(Replace(kClean, "load_wgt dram=0x2000 rows=1 cols=1\n", "") +
                           "load_wgt dram=0x2000 rows=1 cols=1\n"),
                kKind, "which nothing before it has written; instruction 6 'load_wgt' does so later", {3});
}

TEST(VerifyUninitialized, AccumulatingReadsTheSumBefore) {
  const VerifyResult result = VerifyChanged("gemm overwrite=1", "gemm");
  EXPECT_EQ(result.total_findings, 1);
  ExpectFinding(result, kKind,
                "reads acc[0] and 3 more, which nothing before it has written; 'acc' is written by gemm with "
                "overwrite=1, an alu op (add|max|",
                {4});
}

TEST(VerifyUninitialized, AStoreReadsToo) {
  ExpectFinding(VerifyChanged("0x6000 rows=1 cols=4", "0x6000 rows=1 cols=5"), kKind,
                "instruction 6 'store_out' of unit 'store' reads out[4], which", {6});
}

TEST(VerifyUninitialized, AnElementIsReportedOnce) {
  const std::string text = Replace(kClean, "0x6000 rows=1 cols=4", "0x6000 rows=1 cols=5") +
                           "store_out dram=0x7000 rows=1 cols=6\n";
  const VerifyResult result = VerifyText(text);
  EXPECT_EQ(result.total_findings, 2);
  ExpectFinding(result, kKind, "instruction 7 'store_out' of unit 'store' reads out[5], which", {7});
}

TEST(VerifyUninitialized, AMirrorIsItsOriginal) {
  const Spec spec = MakeSpec("vta");
  const std::string text = ".dram 0x10000\n.code 0x8000\nstore_out dram=0x6000 rows=1 cols=4\n";
  ExpectFinding(Verify(spec, FromText(spec, text)), kKind, "reads acc[0] and 3 more, which", {0});
  const std::string loaded =
      Replace(text, "store_out", "load_acc dram=0x4000 rows=1 cols=4 push(compute_to_store)\nstore_out");
  const std::string ordered =
      Replace(loaded, "dram=0x6000 rows=1 cols=4", "dram=0x6000 rows=1 cols=4 pop(compute_to_store)");
  EXPECT_TRUE(Verify(spec, FromText(spec, ordered)).ok()) << Verify(spec, FromText(spec, ordered)).Render();
}

/// An alu instruction whose steps i read acc[i] and write acc[i + `distance`], of which acc[0] to acc[3] are
/// written before.
VerifyResult Chain(int distance, int steps) {
  const std::string text = Replace(
      kClean, "op=narrow lock_acc=0b0001 uop=[0,1) iter_out=1 iter_in=4 dst_in=1 src_in=1 lo=-128 hi=127",
      fmt::format("op=addi lock_acc=0b1111 uop=[0,1) iter_out=1 iter_in={} dst_base={} dst_in=1 src_in=1",
                  steps, distance));
  return VerifyText(Replace(text, "store_out dram=0x6000 rows=1 cols=4", "sync_store"));
}

TEST(VerifyUninitialized, StepsMayReadWhatEarlierStepsWrote) {
  const int least = TinySpec().alu_ops[TinySpec().AluOpIndex("addi")].min_distance;
  const std::string gap = least > 5 ? fmt::format(" and {} more", least - 5) : "";
  ExpectFinding(Chain(least, 3 * least), kKind, fmt::format("reads acc[4]{}, which nothing", gap), {5});
  EXPECT_TRUE(Chain(least, 4).ok());
}

TEST(VerifyUninitialized, ARunMayDeclareMemoriesWritten) {
  const Program program = FromText(TinySpec(), Replace(kClean, "load_wgt dram=0x2000 rows=1 cols=1\n", ""));
  EXPECT_FALSE(Verify(TinySpec(), program).ok());
  EXPECT_TRUE(Verify(TinySpec(), program, {.memories_start_written = true}).ok());
}

}  // namespace
}  // namespace cosim::isa::testing
