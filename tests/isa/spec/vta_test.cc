// SPDX-License-Identifier: Apache-2.0
// What isa/vta.yaml shares with VTA's RTL: memories, queues, padding, and shifts in both directions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "tests/isa/spec/testing.h"

namespace cosim::isa {
namespace {

/// Under a configuration that sets none of its parameters.
Spec Vta() {
  Diagnostics diags;
  const std::optional<SourceText> isa = ReadSource(COSIM_SOURCE_DIR "/isa/vta.yaml", diags);
  const SourceText config{"config.yaml", R"(isa: vta
clock_mhz: 100
memory: {port_bits: 64, burst_beats: 16, latency: 40, write_latency: 20, outstanding: 8, jitter: 0, seed: 1}
)"};
  std::optional<Spec> spec = isa ? Elaborate(*isa, config, {}, diags) : std::nullopt;
  EXPECT_TRUE(spec.has_value()) << diags.Render();
  return spec ? std::move(*spec) : Spec{};
}

TEST(VtaIsa, HasTheMemoriesAndQueuesOfItsDefaultConfiguration) {
  const Spec spec = Vta();
  const auto depth = [&](const char* memory) { return spec.memories[spec.MemoryIndex(memory)].depth; };
  EXPECT_EQ(depth("inp"), 2048);
  EXPECT_EQ(depth("wgt"), 1024);
  EXPECT_EQ(depth("acc"), 2048);
  EXPECT_EQ(depth("out"), 2048);
  EXPECT_EQ(depth("uop"), 2048);
  for (const Queue& queue : spec.queues) EXPECT_EQ(queue.capacity, 255) << queue.name;
  EXPECT_EQ(spec.word_bits, 128);
}

TEST(VtaIsa, PadsWhatItLoadsIntoTensors) {
  const Spec spec = Vta();
  for (const char* load : {"load_inp", "load_wgt", "load_acc"}) {
    const InstructionFormat& format = spec.formats[spec.FormatIndex(load)];
    for (const char* pad : {"pad_top", "pad_bottom", "pad_left", "pad_right"})
      EXPECT_GE(format.FieldIndex(pad), 0) << load << " " << pad;
  }
}

/// What VTA's ALU computes of 32-bit values: the immediate's sign decides the direction, five bits the
/// distance.
int32_t VtaShift(int32_t a, int32_t b, int16_t imm) {
  const auto ub = static_cast<uint32_t>(b);
  if (imm < 0) return static_cast<int32_t>(static_cast<uint32_t>(a) << ((~ub + 1) & 31));
  return a >> (ub & 31);
}

class VtaShifts : public ::testing::Test {
 protected:
  int32_t Run(const char* name, int32_t a, int32_t b, int16_t imm) {
    const ScalarProgram& program = spec_.alu_ops[spec_.AluOpIndex(name)].program;
    std::vector<int64_t> inputs;
    for (const ScalarInput& input : program.inputs)
      inputs.push_back(input.name == "a" ? a : input.name == "b" ? b : imm);
    return static_cast<int32_t>(Evaluate(program, inputs));
  }

  const Spec spec_ = Vta();
  const std::vector<int32_t> values_ = {
      0, 1, -1, 5, -6, 0x12345678, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
};

TEST_F(VtaShifts, GoLeftByNegativeImmediates) {
  for (const int32_t a : values_) {
    for (int imm = -32768; imm <= 32767; imm += imm > -80 && imm < 80 ? 1 : 53) {
      const auto b = static_cast<int16_t>(imm);
      ASSERT_EQ(Run("shri", a, 0, b), VtaShift(a, b, b)) << a << " by " << imm;
    }
  }
  EXPECT_EQ(Run("shri", 5, 0, -3), 40);
  EXPECT_EQ(Run("shri", 5, 0, -32), 5) << "of the magnitude, five bits count";
  EXPECT_EQ(Run("shri", -40, 0, 3), -5);
}

TEST_F(VtaShifts, GoByAccumulators) {
  for (const int32_t a : values_) {
    for (const int16_t imm : {0, 1, -1, -32768}) {
      for (int32_t b = -70; b <= 70; ++b)
        ASSERT_EQ(Run("shr", a, b, imm), VtaShift(a, b, imm)) << a << " by " << b << ", immediate " << imm;
      for (const int32_t b : values_)
        ASSERT_EQ(Run("shr", a, b, imm), VtaShift(a, b, imm)) << a << " by " << b;
    }
  }
  EXPECT_EQ(Run("shr", -40, 3, 0), -5);
  EXPECT_EQ(Run("shr", 5, -3, -1), 40);
}

}  // namespace
}  // namespace cosim::isa
