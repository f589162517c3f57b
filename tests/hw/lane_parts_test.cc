// SPDX-License-Identifier: Apache-2.0
// What lanes of the ALU are made of against plain arithmetic: wide products, and rounding shifts of which
// only some bits come out.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>

#include "Vpipelined_multiplier.h"
#include "Vpipelined_multiplier_odd.h"
#include "Vpipelined_multiplier_three.h"
#include "Vrounding_shifter.h"
#include "Vrounding_shifter_cut.h"
#include "Vrounding_shifter_odd.h"
#include "tests/hw/dut.h"
#include "verilated.h"

namespace cosim::testing {
namespace {

constexpr int kOperands = 50'000;

int64_t LowBits(uint64_t value, int bits) {
  return static_cast<int64_t>(value << (64 - bits)) >> (64 - bits);
}

/// Signed numbers of `bits` bits: of any size, and often with ends of ones or zeros, where carries go far.
class Numbers {
 public:
  explicit Numbers(int bits) : bits_(bits) {}
  int64_t operator()(std::mt19937_64& random) const {
    const int64_t value = LowBits(random(), bits_) >> random() % bits_;
    switch (random() % 8) {
      case 0:
        return LowBits(uint64_t{1} << (bits_ - 1), bits_);  // the least
      case 1:
        return LowBits((uint64_t{1} << (bits_ - 1)) - 1, bits_);
      case 2:
        return LowBits(static_cast<uint64_t>(value) << random() % bits_, bits_);
      case 3:
        return -1;
      default:
        return value;
    }
  }

 private:
  int bits_;
};

template <typename Dut>
void ExpectProducts(int a_bits, int b_bits, size_t stages) {
  const auto context = std::make_unique<VerilatedContext>();
  Dut dut(context.get());
  dut.enable_i = 1;
  std::mt19937_64 random(1);
  const Numbers as(a_bits), bs(b_bits);
  std::deque<int64_t> expected;
  for (int n = 0; n < kOperands; ++n) {
    const int64_t a = as(random), b = bs(random);
    dut.a_i = static_cast<uint32_t>(LowBits(a, a_bits) & ((int64_t{1} << a_bits) - 1));
    dut.b_i = static_cast<uint32_t>(LowBits(b, b_bits) & ((int64_t{1} << b_bits) - 1));
    expected.push_back(a * b);
    Clock(dut);
    if (expected.size() < stages) continue;
    ASSERT_EQ(LowBits(dut.product_o, a_bits + b_bits), expected.front())
        << "of the operands " << n << " or so";
    expected.pop_front();
  }
}

TEST(PipelinedMultiplier, MultipliesByFourParts) { ExpectProducts<Vpipelined_multiplier>(32, 32, 3); }

TEST(PipelinedMultiplier, MultipliesByThreeParts) { ExpectProducts<Vpipelined_multiplier_three>(32, 32, 3); }

TEST(PipelinedMultiplier, MultipliesUnequalFactorsByThreeParts) {
  ExpectProducts<Vpipelined_multiplier_odd>(29, 21, 2);
}

/// (value + half of the last bit kept) >> amount.
int64_t Rounded(int64_t value, int amount) {
  return amount == 0 ? value : (value >> amount) + (value >> (amount - 1) & 1);
}

template <typename Dut>
void ExpectShifts(int width, int out_bits, int amount_bits, size_t stages) {
  const auto context = std::make_unique<VerilatedContext>();
  Dut dut(context.get());
  dut.enable_i = 1;
  std::mt19937_64 random(2);
  const Numbers values(width);
  const int64_t most = (int64_t{1} << (out_bits - 1)) - 1, least = -most - 1;
  std::deque<int64_t> expected;
  int beyond = 0;
  for (int n = 0; n < kOperands; ++n) {
    const int64_t value = values(random);
    const int amount = static_cast<int>(random() % (1u << amount_bits));
    dut.value_i = static_cast<uint64_t>(value) & ((uint64_t{1} << width) - 1);
    dut.amount_i = static_cast<uint8_t>(amount);
    expected.push_back(Rounded(value, std::min(amount, 62)));
    if (stages == 0) {
      dut.eval();
    } else {
      Clock(dut);
    }
    if (expected.size() < stages) continue;
    const int64_t low = LowBits(dut.rounded_o, out_bits);
    const int64_t saturated = dut.fits_o ? low : dut.negative_o ? least : most;
    ASSERT_EQ(low, LowBits(static_cast<uint64_t>(expected.front()), out_bits))
        << "of the operands " << n << " or so";
    ASSERT_EQ(saturated, std::clamp(expected.front(), least, most)) << "of the operands " << n << " or so";
    beyond += expected.front() < least || expected.front() > most;
    expected.pop_front();
  }
  if (out_bits < width)
    EXPECT_THAT(beyond, ::testing::AllOf(::testing::Gt(kOperands / 50), ::testing::Lt(kOperands)));
}

TEST(RoundingShifter, RoundsWholeValues) { ExpectShifts<Vrounding_shifter>(40, 40, 6, 3); }

TEST(RoundingShifter, SaysWhetherTheBitsThatComeOutAreAll) {
  ExpectShifts<Vrounding_shifter_cut>(40, 20, 6, 2);
}

TEST(RoundingShifter, ShiftsByAnOddNumberOfBitsInNoTime) {
  ExpectShifts<Vrounding_shifter_odd>(23, 11, 5, 0);
}

}  // namespace
}  // namespace cosim::testing
