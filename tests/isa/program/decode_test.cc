// SPDX-License-Identifier: Apache-2.0
#include "isa/program/decode.h"

#include <gmock/gmock.h>

#include "isa/program/codec.h"
#include "tests/isa/program/testing.h"

namespace cosim::isa::testing {
namespace {

Decoded DecodeText(const Spec& spec, const std::string& line) {
  const Program program = FromText(spec, ".dram 0\n.code 0\n" + line + "\n");
  return program.instructions.empty() ? Decoded{} : Decode(spec, program.instructions.front());
}

TEST(Decode, ReadsTransfersWithPadding) {
  const Decoded decoded = DecodeText(
      TinySpec(), "load_inp sram=7 dram=0x40 rows=2 cols=3 stride=5 pad_top=1 pad_right=2 pad_value=-4");
  const auto& load = std::get<Transfer>(decoded.body);
  EXPECT_FALSE(load.is_store);
  EXPECT_EQ(load.memory, TinySpec().MemoryIndex("inp"));
  EXPECT_EQ(load.dram, 0x40u);
  EXPECT_EQ(load.sram, 7);
  EXPECT_EQ(load.rows, 2);
  EXPECT_EQ(load.cols, 3);
  EXPECT_EQ(load.stride, 5);
  EXPECT_EQ(load.pad_value, -4);
  EXPECT_EQ(load.SramElements(), 3 * 5);
}

TEST(Decode, ReadsTokensByQueueAndLocksByMemory) {
  const Spec& spec = TinySpec();
  const Decoded decoded = DecodeText(
      spec, "gemm lock_acc=0b1001 lock_inp=0b0010 pop(load_to_gemm, alu_to_gemm) push(gemm_to_alu)");
  EXPECT_EQ(decoded.unit, spec.UnitIndex("gemm"));
  EXPECT_EQ(decoded.pops,
            uint64_t{1} << spec.QueueIndex("load_to_gemm") | uint64_t{1} << spec.QueueIndex("alu_to_gemm"));
  EXPECT_EQ(decoded.pushes, uint64_t{1} << spec.QueueIndex("gemm_to_alu"));
  const std::pair<int, uint32_t> acc{spec.MemoryIndex("acc"), 9}, inp{spec.MemoryIndex("inp"), 2};
  EXPECT_THAT(decoded.locks, ::testing::UnorderedElementsAre(acc, inp));
}

TEST(Decode, ReadsIndicesOfGemmInTheOrderOfTheIntrinsic) {
  const Spec& spec = TinySpec();
  const Decoded decoded = DecodeText(
      spec, "gemm overwrite=1 uop=[3,8) iter_out=4 iter_in=5 dst_base=1 dst_out=2 src_in=6 wgt_base=9");
  const auto& gemm = std::get<Gemm>(decoded.body);
  EXPECT_TRUE(gemm.overwrite);
  EXPECT_FALSE(gemm.reset);
  EXPECT_EQ(gemm.nest.Steps(), 4 * 5 * 5);
  EXPECT_EQ(gemm.nest.micro_ops, spec.MemoryIndex("gemm_uop"));
  EXPECT_EQ(gemm.dst.base, 1);
  EXPECT_EQ(gemm.dst.outer, 2);
  ASSERT_EQ(gemm.sources.size(), 2u);
  EXPECT_EQ(gemm.sources[0].inner, 6);
  EXPECT_EQ(gemm.sources[1].base, 9);
  const Memory& micro_ops = spec.memories[gemm.nest.micro_ops];
  EXPECT_EQ(micro_ops.fields[gemm.sources[1].uop_field].name, "wgt");
}

TEST(Decode, ReadsOperandsOfAluOps) {
  const Spec& spec = TinySpec();
  const Decoded decoded = DecodeText(spec, "alu op=requant dst_base=3 src_base=4 aux_in=5");
  const auto& alu = std::get<Alu>(decoded.body);
  ASSERT_GE(alu.op, 0);
  EXPECT_EQ(spec.alu_ops[alu.op].name, "requant");
  EXPECT_EQ(alu.result.base, 3);
  ASSERT_EQ(alu.operands.size(), 2u);
  EXPECT_EQ(alu.operands[0].base, 4);
  EXPECT_EQ(alu.operands[1].inner, 5);
}

TEST(Decode, GivesNoOpForAnUnknownCode) {
  const Decoded decoded = DecodeText(TinySpec(), "alu op=31");
  EXPECT_EQ(std::get<Alu>(decoded.body).op, -1);
}

TEST(Decode, FieldsThatAnIsaLacksAreZero) {
  const Spec spec = MakeSpec("vta");
  const Decoded decoded = DecodeText(spec, "gemm reset=1 uop=[0,1) iter_out=2 iter_in=3 dst_in=4");
  const auto& gemm = std::get<Gemm>(decoded.body);
  EXPECT_TRUE(gemm.reset);
  EXPECT_EQ(gemm.dst.base, 0);
  EXPECT_EQ(gemm.dst.inner, 4);
}

TEST(Decode, SharedDecoderGivesTheSameAsTheFunction) {
  const Spec& spec = TinySpec();
  const Decoder decoder(spec);
  for (int format = 0; format < static_cast<int>(spec.formats.size()); ++format) {
    const Instruction blank = BlankInstruction(spec, format);
    EXPECT_EQ(decoder(blank).unit, Decode(spec, blank).unit);
    EXPECT_EQ(decoder(blank).body.index(), Decode(spec, blank).body.index());
  }
}

}  // namespace
}  // namespace cosim::isa::testing
