// SPDX-License-Identifier: Apache-2.0
// Counters of more than 32 bits read word by word through registers.sv, alone: no run counts that far.
#include <gmock/gmock.h>

#include <cstdint>
#include <memory>

#include "Vregisters.h"
#include "isa/spec/registers.h"
#include "verilated.h"

namespace cosim::testing {
namespace {

namespace registers = isa::registers;

constexpr int kCounterBits = 40;

class CounterWords : public ::testing::Test {
 protected:
  void SetUp() override {
    dut_.rst_ni = 0;
    Clock();
    dut_.rst_ni = 1;
    Clock();
  }
  /// Counter `index` of registers.sv's list, cycles first, counts `value`.
  void Count(int index, uint64_t value) {
    for (int bit = 0; bit < kCounterBits; ++bit) {
      const int at = index * kCounterBits + bit;
      const uint32_t mask = uint32_t{1} << (at % 32);
      uint32_t& word = dut_.counters_i[static_cast<size_t>(at / 32)];
      word = (value >> bit & 1) != 0 ? word | mask : word & ~mask;
    }
  }
  uint32_t Get(uint32_t offset) {
    dut_.ar_valid_i = 1;
    dut_.ar_addr_i = static_cast<uint16_t>(offset);
    Clock();
    dut_.ar_valid_i = 0;
    dut_.r_ready_i = 1;
    int waited = 0;
    for (; !dut_.r_valid_o && waited < 4; ++waited) Clock();
    EXPECT_LT(waited, 4) << "no answer";
    const uint32_t word = dut_.r_data_o;
    Clock();
    return word;
  }
  void Clock() {
    dut_.clk_i = 0;
    dut_.eval();
    dut_.clk_i = 1;
    dut_.eval();
  }

  std::unique_ptr<VerilatedContext> context_ = std::make_unique<VerilatedContext>();
  Vregisters dut_{context_.get()};
};

TEST_F(CounterWords, DoNotTearWhileTheyCount) {
  Count(0, 0x12'FFFF'FFFF);
  EXPECT_EQ(Get(registers::kCycles), 0xFFFF'FFFFu);
  Count(0, 0x13'0000'0000);
  EXPECT_EQ(Get(registers::kCycles + 4), 0x12u);
  EXPECT_EQ(Get(registers::kCycles), 0u);
  EXPECT_EQ(Get(registers::kCycles + 4), 0x13u);
}

TEST_F(CounterWords, AreKeptWhileOtherRegistersAreRead) {
  Count(0, 0x12'0000'0001);
  Count(4, 0x34'0000'0002);
  EXPECT_EQ(Get(registers::kCycles), 1u);
  for (const uint32_t other : {registers::kFingerprint, registers::kStatus, registers::kProgram}) {
    Get(other);
    EXPECT_EQ(Get(registers::kCycles + 4), 0x12u) << "after " << other;
  }
  EXPECT_EQ(Get(registers::kAluSteps), 2u);
  EXPECT_EQ(Get(registers::kCycles + 4), 0x34u) << "kept of alu steps";
}

TEST_F(CounterWords, OfTheLedgerAreKeptToo) {
  dut_.ledger_i = 0x56'0000'0003;
  EXPECT_EQ(Get(registers::kLedger + 8), 3u);
  dut_.ledger_i = 0;
  EXPECT_EQ(Get(registers::kLedger + 8 + 4), 0x56u);
}

}  // namespace
}  // namespace cosim::testing
