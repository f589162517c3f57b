// SPDX-License-Identifier: Apache-2.0
#include "isa/program/microops.h"

#include <gmock/gmock.h>

#include "tests/isa/program/random_program.h"
#include "tests/isa/program/testing.h"

namespace cosim::isa::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

Memory MakeMemory(std::vector<int> lanes, std::vector<ScalarType> types, int64_t stored_bytes) {
  Memory memory{.name = "m", .lanes = std::move(lanes), .depth = 8, .stored_bytes = stored_bytes};
  for (ScalarType type : types) {
    memory.fields.push_back(
        {.name = "f" + std::to_string(memory.fields.size()), .type = type, .offset = memory.record_bits});
    memory.record_bits += type.width;
  }
  int64_t lane_count = 1;
  for (int extent : memory.lanes) lane_count *= extent;
  memory.element_bits = lane_count * memory.record_bits;
  return memory;
}

TEST(PutBits, TouchesOnlyItsBits) {
  std::vector<uint8_t> bytes(3, 0xFF);
  PutBits(bytes, 6, 7, 0b0101010);
  EXPECT_THAT(bytes, ElementsAre(0b10111111, 0b11101010, 0xFF));
  EXPECT_EQ(TakeBits(bytes, 6, 7), 0b0101010u);
}

TEST(TakeValue, ExtendsTheSign) {
  const std::vector<uint8_t> bytes{0b01110000};
  EXPECT_EQ(TakeValue(bytes, 4, {3, true}), -1);
  EXPECT_EQ(TakeValue(bytes, 4, {3, false}), 7);
}

TEST(Fits, KnowsTheEndsOfEachType) {
  EXPECT_TRUE(Fits(-8, {4, true}));
  EXPECT_TRUE(Fits(7, {4, true}));
  EXPECT_FALSE(Fits(8, {4, true}));
  EXPECT_FALSE(Fits(-9, {4, true}));
  EXPECT_TRUE(Fits(15, {4, false}));
  EXPECT_FALSE(Fits(16, {4, false}));
  EXPECT_FALSE(Fits(-1, {4, false}));
  EXPECT_TRUE(Fits(INT64_MIN, {64, true}));
}

TEST(PackElements, PutsLanesLowestBitsFirst) {
  const Memory memory = MakeMemory({4}, {{4, true}}, 2);
  std::vector<uint8_t> bytes(2);
  PackElements(memory, std::vector<int64_t>{1, -1, 2, -8}, bytes);
  EXPECT_THAT(bytes, ElementsAre(0xF1, 0x82));
}

TEST(PackElements, PutsTheFieldsOfALaneNextToEachOther) {
  const Memory memory = MakeMemory({2}, {{8, true}, {4, false}}, 4);
  std::vector<uint8_t> bytes(4, 0xEE);
  PackElements(memory, std::vector<int64_t>{-2, 3, 5, 6}, bytes);
  EXPECT_THAT(bytes, ElementsAre(0xFE, 0x53, 0x60, 0x00));
}

TEST(PackElements, AnElementStartsAtItsStoredBytes) {
  const Memory memory = MakeMemory({}, {{5, false}}, 2);
  std::vector<uint8_t> bytes(4);
  PackElements(memory, std::vector<int64_t>{17, 3}, bytes);
  EXPECT_THAT(bytes, ElementsAre(17, 0, 3, 0));
}

TEST(PackElements, UnpackingGivesTheValuesBack) {
  Random random(3);
  for (int width : {1, 2, 3, 4, 7, 8, 9, 16, 17, 31, 32, 33, 63}) {
    for (bool is_signed : {false, true}) {
      for (const std::vector<int>& lanes : {std::vector<int>{}, {3}, {2, 4}}) {
        const ScalarType type{width, is_signed};
        Memory memory = MakeMemory(lanes, {type}, 0);
        memory.stored_bytes = (memory.element_bits + 7) / 8;
        std::vector<int64_t> values(ValuesPerElement(memory) * 5), again(values.size());
        for (int64_t& value : values) value = random.Uniform(type.Min(), type.Max());
        std::vector<uint8_t> bytes(memory.stored_bytes * 5, 0x5A);
        PackElements(memory, values, bytes);
        UnpackElements(memory, bytes, again);
        EXPECT_EQ(values, again) << width << (is_signed ? " signed" : " unsigned");
      }
    }
  }
}

TEST(PackElementsDeathTest, ChecksThatValuesFit) {
  const Memory memory = MakeMemory({}, {{4, false}}, 1);
  std::vector<uint8_t> bytes(1);
  EXPECT_DEATH(PackElements(memory, std::vector<int64_t>{16}, bytes), "16 does not fit a lane of 'm'");
  EXPECT_DEATH(PackElements(memory, std::vector<int64_t>{1, 2}, bytes), "2 values in 1 bytes of 'm'");
}

const char kUops[] = R"(.dram 0x4000
.code 0
.micro_ops u 0x1000 {
  gemm_uop dst=1 src=2 wgt=3
  gemm_uop dst=4
  gemm_uop src=5
}
)";

struct Followed {
  Program program;
  MicroOpMemories memories;
  explicit Followed(const std::string& loads)
      : program(FromText(TinySpec(), kUops + loads)), memories(TinySpec(), program) {
    for (const Instruction& instruction : program.instructions)
      memories.Execute(Decode(TinySpec(), instruction));
  }
  int64_t At(const char* field, int64_t element) const {
    const Memory& memory = TinySpec().memories[Index()];
    for (size_t f = 0; f < memory.fields.size(); ++f) {
      if (memory.fields[f].name == field) return memories.Values(Index(), static_cast<int>(f))[element];
    }
    return -1;
  }
  bool Known(int64_t element) const { return memories.Known(Index(), element); }
  static int Index() { return TinySpec().MemoryIndex("gemm_uop"); }
};

TEST(MicroOpMemories, FollowLoadsFromTheSegments) {
  const Followed followed("load_gemm_uop sram=8 dram=0x1000 rows=1 cols=3\n");
  EXPECT_FALSE(followed.Known(7));
  EXPECT_TRUE(followed.Known(8));
  EXPECT_FALSE(followed.Known(11));
  EXPECT_EQ(followed.At("dst", 8), 1);
  EXPECT_EQ(followed.At("wgt", 8), 3);
  EXPECT_EQ(followed.At("dst", 9), 4);
  EXPECT_EQ(followed.At("src", 10), 5);
}

TEST(MicroOpMemories, RowsOfALoadAreStrided) {
  const Followed followed("load_gemm_uop sram=0 dram=0x1000 rows=2 cols=1 stride=2\n");
  EXPECT_EQ(followed.At("dst", 0), 1);
  EXPECT_EQ(followed.At("src", 1), 5);
}

TEST(MicroOpMemories, WhatNoSegmentHoldsBecomesUnknown) {
  const Followed followed(
      "load_gemm_uop sram=0 dram=0x1000 rows=1 cols=3\n"
      "load_gemm_uop sram=1 dram=0x1008 rows=1 cols=2\n");
  EXPECT_TRUE(followed.Known(1)) << "the last micro-op of the segment";
  EXPECT_FALSE(followed.Known(2)) << "beyond the segment";
  EXPECT_EQ(followed.memories.Version(Followed::Index()), 2);
}

TEST(MicroOpMemories, DropsWhatIsBeyondTheMemory) {
  const Followed followed("load_gemm_uop sram=511 dram=0x1000 rows=1 cols=3\n");
  EXPECT_TRUE(followed.Known(511));
}

}  // namespace
}  // namespace cosim::isa::testing
