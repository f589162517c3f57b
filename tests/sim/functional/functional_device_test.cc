// SPDX-License-Identifier: Apache-2.0
// The functional device on small programs written by hand: results known in advance, and what it says about
// accesses that leave their memory.
#include "sim/functional/functional_device.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>

#include "isa/spec/loader.h"

namespace cosim::sim {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uint64_t kInp = 0, kWgt = 64, kUops = 256, kOut = 512, kDram = 1024;

/// The tiny accelerator (4x4 int8), a program under construction, and the DRAM image it starts from.
class FunctionalDeviceTest : public ::testing::Test {
 protected:
  FunctionalDeviceTest() {
    Diagnostics diags;
    auto spec = isa::LoadSpec(COSIM_SOURCE_DIR "/configs/tiny.yaml", "", {}, diags);
    if (!spec) ADD_FAILURE() << diags.Render();
    spec_ = std::move(*spec);
    program_.fingerprint = spec_.fingerprint;
    program_.dram_bytes = kDram;
  }

  void Add(const char* format, const std::map<std::string, int64_t>& fields) {
    isa::Instruction instruction{.format = spec_.FormatIndex(format), .values = {}};
    const isa::InstructionFormat& info = spec_.formats[instruction.format];
    instruction.values.assign(info.fields.size(), 0);
    for (const auto& [field, value] : info.match) instruction.values[field] = value;
    for (const auto& [name, value] : fields) instruction.values[info.FieldIndex(name)] = value;
    program_.instructions.push_back(std::move(instruction));
  }

  void Put(uint64_t address, std::vector<uint8_t> bytes) {
    program_.segments.push_back({.name = "test", .address = address, .bytes = std::move(bytes)});
  }

  /// One micro-op, all zero, at element 0 of both units' memories.
  void LoadZeroMicroOps() {
    Put(kUops, std::vector<uint8_t>(16, 0));
    for (const char* format : {"load_gemm_uop", "load_alu_uop"}) {
      Add(format, {{"dram", kUops}, {"rows", 1}, {"cols", 1}, {"stride", 1}});
    }
  }

  /// Inputs 1 2 3 4, weights with row o all o + 1: sums 10, 20, 30, 40, narrowed and stored.
  void AddSmallProduct() {
    Put(kInp, {1, 2, 3, 4});
    Put(kWgt, {1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4});
    LoadZeroMicroOps();
    Add("load_inp", {{"dram", kInp}, {"rows", 1}, {"cols", 1}, {"stride", 1}});
    Add("load_wgt", {{"dram", kWgt}, {"rows", 1}, {"cols", 1}, {"stride", 1}});
    Add("gemm", {{"overwrite", 1}, {"uop_end", 1}, {"iter_out", 1}, {"iter_in", 1}});
    Add("alu",
        {{"op", Op("narrow")}, {"uop_end", 1}, {"iter_out", 1}, {"iter_in", 1}, {"lo", -128}, {"hi", 35}});
    Add("store_out", {{"dram", kOut}, {"rows", 1}, {"cols", 1}, {"stride", 1}});
  }

  int64_t Op(const char* name) const { return spec_.alu_ops[spec_.AluOpIndex(name)].code; }

  runtime::Counters Run(FunctionalDevice& device) {
    runtime::LoadSegments(device, program_);
    return device.Execute(program_, {});
  }

  std::vector<uint8_t> Output(FunctionalDevice& device, size_t bytes) {
    std::vector<uint8_t> output(bytes);
    device.Read(kOut, output);
    return output;
  }

  isa::Spec spec_;
  isa::Program program_;
};

TEST_F(FunctionalDeviceTest, MultipliesClipsAndStores) {
  AddSmallProduct();
  FunctionalDevice device(spec_);
  const runtime::Counters counters = Run(device);
  EXPECT_TRUE(counters.completed) << counters.error;
  EXPECT_THAT(Output(device, 5), ElementsAre(10, 20, 30, 35, 0));
}

TEST_F(FunctionalDeviceTest, CountsStepsAndWholeBeats) {
  AddSmallProduct();
  FunctionalDevice device(spec_);
  const runtime::Counters counters = Run(device);
  EXPECT_EQ(counters.gemm_steps, 1u);
  EXPECT_EQ(counters.alu_steps, 1u);
  EXPECT_FALSE(counters.timed);
  EXPECT_EQ(counters.dram_write_bytes, 8u);
  // Seven words of 32 bytes, one beat each of inputs and of either unit's micro-ops, two of weights.
  EXPECT_EQ(counters.dram_read_bytes, 7u * 32u + 3u * 8u + 16u);
}

TEST_F(FunctionalDeviceTest, GivesTheSameAgainAndWhateverTheChipHeld) {
  AddSmallProduct();
  FunctionalDevice device(spec_);
  device.Reserve(kDram);
  for (const uint64_t seed : {1, 2, 3}) {
    device.PoisonOnChip(seed);
    device.Write(kOut, std::vector<uint8_t>(8, 0xee));
    EXPECT_TRUE(Run(device).completed);
    EXPECT_THAT(Output(device, 5), ElementsAre(10, 20, 30, 35, 0xee));
  }
}

TEST_F(FunctionalDeviceTest, AddsStepAfterStepInOneInstruction) {
  // acc[i] = 1 for all i; then acc[i + 1] += acc[i], each step reading what the one before wrote.
  LoadZeroMicroOps();
  const int64_t steps = 100;
  Add("alu", {{"op", Op("seti")},
              {"uop_end", 1},
              {"iter_out", 1},
              {"iter_in", steps + 1},
              {"dst_in", 1},
              {"imm", 1}});
  Add("alu", {{"op", Op("add")},
              {"uop_end", 1},
              {"iter_out", 1},
              {"iter_in", steps},
              {"dst_base", 1},
              {"dst_in", 1},
              {"src_in", 1}});
  Add("alu", {{"op", Op("narrow")},
              {"uop_end", 1},
              {"iter_out", 1},
              {"iter_in", steps},
              {"dst_in", 1},
              {"src_in", 1},
              {"lo", -128},
              {"hi", 127}});
  Add("store_out", {{"dram", kOut}, {"rows", 1}, {"cols", steps}, {"stride", steps}});
  FunctionalDevice device(spec_);
  const runtime::Counters counters = Run(device);
  ASSERT_TRUE(counters.completed) << counters.error;
  const std::vector<uint8_t> output = Output(device, steps * 4);
  for (int64_t i = 0; i < steps; ++i) EXPECT_EQ(output[i * 4 + 3], i + 1);
}

TEST_F(FunctionalDeviceTest, MultipliesWhatTheAluHasWritten) {
  // An ISA whose narrow writes activations: the packed copies of gemm's sources have to follow.
  isa::AluOp& narrow = spec_.alu_ops[spec_.AluOpIndex("narrow")];
  narrow.result.memory = spec_.MemoryIndex("inp");
  Put(kWgt, {1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4});
  LoadZeroMicroOps();
  Add("load_wgt", {{"dram", kWgt}, {"rows", 1}, {"cols", 1}, {"stride", 1}});
  const std::map<std::string, int64_t> once = {{"uop_end", 1}, {"iter_out", 1}, {"iter_in", 1}};
  const auto alu = [&](const char* op, std::map<std::string, int64_t> fields) {
    fields.insert(once.begin(), once.end());
    fields["op"] = Op(op);
    Add("alu", fields);
  };
  alu("seti", {{"imm", 5}});
  alu("narrow", {{"dst_base", 3}, {"lo", -128}, {"hi", 127}});
  std::map<std::string, int64_t> gemm = once;
  gemm["src_base"] = 3;
  Add("gemm", gemm);
  for (const SimdLevel level : kSimdLevels) {
    if (!IsSupported(level)) continue;
    FunctionalEngine engine(spec_, level);
    engine.Reserve(kDram);
    for (const isa::Segment& segment : program_.segments) engine.WriteDram(segment.address, segment.bytes);
    for (const isa::Instruction& instruction : program_.instructions) {
      ASSERT_EQ(engine.Execute(instruction, isa::Decode(spec_, instruction)), "");
    }
    const LaneArray& acc = engine.memories().Store(spec_.MemoryIndex("acc")).fields[0];
    for (int64_t lane = 0; lane < 4; ++lane)
      EXPECT_EQ(acc.Get(lane), 5 + (lane + 1) * 20) << SimdLevelName(level);
  }
}

TEST_F(FunctionalDeviceTest, PadsWithTheValueAsked) {
  // A row of one element between two of padding; narrow shows them through the accumulators.
  Put(kInp, {9, 9, 9, 9});
  LoadZeroMicroOps();
  Add("load_inp", {{"dram", kInp},
                   {"rows", 1},
                   {"cols", 1},
                   {"stride", 1},
                   {"pad_left", 1},
                   {"pad_right", 1},
                   {"pad_value", 5}});
  Add("alu",
      {{"op", Op("widen")}, {"uop_end", 1}, {"iter_out", 1}, {"iter_in", 3}, {"dst_in", 1}, {"src_in", 1}});
  Add("alu", {{"op", Op("narrow")},
              {"uop_end", 1},
              {"iter_out", 1},
              {"iter_in", 3},
              {"dst_in", 1},
              {"src_in", 1},
              {"lo", -128},
              {"hi", 127}});
  Add("store_out", {{"dram", kOut}, {"rows", 1}, {"cols", 3}, {"stride", 3}});
  FunctionalDevice device(spec_);
  ASSERT_TRUE(Run(device).completed);
  EXPECT_THAT(Output(device, 12), ElementsAre(5, 5, 5, 5, 9, 9, 9, 9, 5, 5, 5, 5));
}

TEST_F(FunctionalDeviceTest, NamesALoadBeyondItsMemory) {
  const int64_t depth = spec_.memories[spec_.MemoryIndex("inp")].depth;
  Add("sync_load", {});
  Add("load_inp", {{"sram", depth - 1}, {"rows", 1}, {"cols", 2}, {"stride", 2}});
  FunctionalDevice device(spec_);
  const runtime::Counters counters = Run(device);
  EXPECT_FALSE(counters.completed);
  EXPECT_EQ(counters.error,
            fmt::format("instruction 1 (load_inp) touches elements {} to {} of 'inp', which has {}",
                        depth - 1, depth, depth));
}

TEST_F(FunctionalDeviceTest, NamesALoadBeyondDram) {
  Add("load_inp", {{"dram", kDram - 4}, {"rows", 2}, {"cols", 1}, {"stride", 1}});
  FunctionalDevice device(spec_);
  EXPECT_EQ(Run(device).error,
            "instruction 0 (load_inp) touches DRAM bytes 1020 to 1027, but there are 1024");
}

TEST_F(FunctionalDeviceTest, StopsBeforeAStoreBeyondDramChangesAnything) {
  Put(kOut, std::vector<uint8_t>(kDram - kOut, 0x77));
  Add("store_out", {{"dram", kDram - 8}, {"rows", 3}, {"cols", 1}, {"stride", 1}});
  FunctionalDevice device(spec_);
  EXPECT_THAT(Run(device).error, HasSubstr("instruction 0 (store_out) touches DRAM bytes"));
  EXPECT_THAT(Output(device, kDram - kOut), Each(0x77));
}

TEST_F(FunctionalDeviceTest, NamesAStepBeyondItsMemory) {
  LoadZeroMicroOps();
  const int64_t depth = spec_.memories[spec_.MemoryIndex("wgt")].depth;
  Add("gemm", {{"uop_end", 1}, {"iter_out", 2}, {"iter_in", 2}, {"wgt_out", depth - 2}, {"wgt_in", 2}});
  FunctionalDevice device(spec_);
  EXPECT_EQ(Run(device).error,
            fmt::format("instruction 2 (gemm) touches element {} of 'wgt', which has {}", depth, depth));
}

TEST_F(FunctionalDeviceTest, NamesMicroOpsBeyondTheirMemory) {
  const int64_t depth = spec_.memories[spec_.MemoryIndex("alu_uop")].depth;
  Add("alu", {{"uop_begin", depth - 1}, {"uop_end", depth + 1}, {"iter_out", 1}, {"iter_in", 1}});
  FunctionalDevice device(spec_);
  EXPECT_THAT(Run(device).error,
              AllOf(HasSubstr("instruction 0 (alu) takes micro-ops"), HasSubstr("'alu_uop'")));
}

TEST_F(FunctionalDeviceTest, NamesAnUnknownAluOp) {
  Add("alu", {{"op", 31}, {"uop_end", 1}, {"iter_out", 1}, {"iter_in", 1}});
  FunctionalDevice device(spec_);
  EXPECT_EQ(Run(device).error, "instruction 0 (alu) has no ALU op of this code");
}

TEST_F(FunctionalDeviceTest, RefusesToTime) {
  AddSmallProduct();
  FunctionalDevice device(spec_);
  runtime::LoadSegments(device, program_);
  const runtime::Counters counters = device.Execute(program_, {.timing_only = true});
  EXPECT_FALSE(counters.completed);
  EXPECT_THAT(counters.error, HasSubstr("no timing"));
}

}  // namespace
}  // namespace cosim::sim
