// SPDX-License-Identifier: Apache-2.0
// The multiplier that gives two products, against plain arithmetic on all its operands.
#include <gmock/gmock.h>

#include <cstdint>
#include <memory>

#include "Vmultiplier_pair.h"
#include "verilated.h"

namespace cosim::testing {
namespace {

struct Operands {
  int8_t a, low, high;
};

Operands OperandsOf(uint32_t number) {
  return {static_cast<int8_t>(number), static_cast<int8_t>(number >> 8), static_cast<int8_t>(number >> 16)};
}

TEST(MultiplierPair, GivesBothProductsOfAllOperands) {
  constexpr uint32_t kAll = 1u << 24;
  const auto context = std::make_unique<VerilatedContext>();
  Vmultiplier_pair dut(context.get());
  dut.enable_i = 3;
  uint32_t wrong = 0;
  // One set of operands a cycle: their offset goes in a cycle later, their products come out a cycle after
  // that.
  for (uint32_t cycle = 0; cycle < kAll + 2; ++cycle) {
    const Operands in = OperandsOf(cycle % kAll), before = OperandsOf((cycle + kAll - 1) % kAll);
    dut.a_i = static_cast<uint8_t>(in.a);
    dut.low_i = static_cast<uint8_t>(in.low);
    dut.high_i = static_cast<uint8_t>(in.high);
    dut.offset_i = static_cast<uint32_t>((1 << 15) - before.a * 128) & 0x1ffff;
    dut.clk_i = 0;
    dut.eval();
    dut.clk_i = 1;
    dut.eval();
    if (cycle == 0) continue;
    const bool same = static_cast<int16_t>(dut.low_o) == before.a * before.low &&
                      static_cast<int16_t>(dut.high_o) == before.a * before.high;
    if (!same && wrong++ < 5) {
      ADD_FAILURE() << int{before.a} << " * (" << int{before.low} << ", " << int{before.high} << ") gave "
                    << int{static_cast<int16_t>(dut.low_o)} << ", " << int{static_cast<int16_t>(dut.high_o)};
    }
  }
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace cosim::testing
