// SPDX-License-Identifier: Apache-2.0
// The multipliers of the array against plain arithmetic: the one of LUTs on all its operands, the one of two
// DSPs on all operands of either, and whole arrays that mix both.
#include <gmock/gmock.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "Vlut_multiplier.h"
#include "Vlut_multiplier_odd.h"
#include "Vmac_array_column.h"
#include "Vmac_array_dsp.h"
#include "Vmac_array_halves.h"
#include "Vmac_array_lines.h"
#include "Vmac_array_mixed.h"
#include "Vmac_array_rows.h"
#include "Vmac_array_rows_mixed.h"
#include "Vmac_array_single.h"
#include "Vmac_array_window.h"
#include "Vmac_array_window_mixed.h"
#include "Vmultiplier_quad.h"
#include "tests/hw/dut.h"
#include "verilated.h"

namespace cosim::testing {
namespace {

/// The low `bits` of `value` as a signed number.
int32_t Signed(uint32_t value, int bits) { return static_cast<int32_t>(value << (32 - bits)) >> (32 - bits); }

/// All products of `a_bits` by `b_bits`, one a cycle; each comes out at the end of the next.
template <typename Dut>
void ExpectAllProducts(int a_bits, int b_bits) {
  const auto context = std::make_unique<VerilatedContext>();
  Dut dut(context.get());
  dut.enable_i = 3;
  const uint32_t all = 1u << (a_bits + b_bits);
  uint32_t wrong = 0;
  for (uint32_t cycle = 0; cycle <= all; ++cycle) {
    const uint32_t before = cycle - 1, mask = (1u << a_bits) - 1;
    dut.a_i = cycle & mask;
    dut.b_i = cycle >> a_bits & ((1u << b_bits) - 1);
    Clock(dut);
    if (cycle == 0) continue;
    const int32_t a = Signed(before & mask, a_bits), b = Signed(before >> a_bits, b_bits);
    if (Signed(dut.product_o, a_bits + b_bits) != a * b && wrong++ < 5) ADD_FAILURE() << a << " * " << b;
  }
  EXPECT_EQ(wrong, 0u);
}

TEST(LutMultiplier, GivesTheProductOfAllOperands) { ExpectAllProducts<Vlut_multiplier>(8, 8); }

TEST(LutMultiplier, TakesWidthsThatAreNoWholeDigits) { ExpectAllProducts<Vlut_multiplier_odd>(6, 5); }

/// One activation and the weights of two outputs.
struct Operands {
  int8_t a, low, high;
  explicit Operands(uint32_t number)
      : a(static_cast<int8_t>(number)),
        low(static_cast<int8_t>(number >> 8)),
        high(static_cast<int8_t>(number >> 16)) {}
};

TEST(MultiplierQuad, GivesBothSumsOfAllOperands) {
  constexpr uint32_t kAll = 1u << 24;
  const auto context = std::make_unique<VerilatedContext>();
  Vmultiplier_quad dut(context.get());
  dut.enable_i = 7;
  uint32_t wrong = 0;
  // Both halves go through all their operands, in different orders. Sums come out two cycles later.
  const auto first = [](uint32_t cycle) { return Operands(cycle % kAll); };
  const auto second = [](uint32_t cycle) { return Operands(cycle * 0x9e3779b1u % kAll); };
  for (uint32_t cycle = 0; cycle < kAll + 2; ++cycle) {
    dut.a0_i = static_cast<uint8_t>(first(cycle).a);
    dut.low0_i = static_cast<uint8_t>(first(cycle).low);
    dut.high0_i = static_cast<uint8_t>(first(cycle).high);
    dut.a1_i = static_cast<uint8_t>(second(cycle).a);
    dut.low1_i = static_cast<uint8_t>(second(cycle).low);
    dut.high1_i = static_cast<uint8_t>(second(cycle).high);
    Clock(dut);
    if (cycle < 2) continue;
    const Operands p = first(cycle - 2), q = second(cycle - 2);
    const int32_t half = 1 << 16, low = static_cast<int32_t>(dut.low_o) - half - 128 * (p.a + q.a),
                  high = static_cast<int32_t>(dut.high_o) - half;
    if ((low != p.a * p.low + q.a * q.low || high != p.a * p.high + q.a * q.high) && wrong++ < 5)
      ADD_FAILURE() << "operands of cycle " << cycle - 2 << " gave " << low << ", " << high;
  }
  EXPECT_EQ(wrong, 0u);
}

/// Bits [at, at + bits) of a port, signed.
template <typename Port>
int32_t Field(const Port& port, int at, int bits) {
  uint64_t word = 0;
  std::memcpy(&word, reinterpret_cast<const uint8_t*>(&port) + at / 8, 4);
  return Signed(static_cast<uint32_t>(word >> at % 8), bits);
}

/// Of an array: its sums come out `levels` + 2 cycles later. With `taps`, some tiles are along rows.
struct ArrayShape {
  int block_in, block_out, levels;
  int taps = 0, lines = 1, group = 1, batch = 1;
};

/// Random values, many of extremes.
std::vector<int8_t> DrawValues(std::mt19937& random, int bytes) {
  const uint32_t kind = random() % 4;
  std::vector<int8_t> values(bytes);
  for (int8_t& value : values) {
    const int extreme = random() % 2 != 0 && kind != 1 ? 127 : -128;
    value = static_cast<int8_t>(kind == 0 || (kind == 3 && random() % 2) ? random() : extreme);
  }
  return values;
}

/// The sums of one cycle's tile; `history`: what came in the last cycles of its row, the newest last.
std::vector<int32_t> SumsOf(const ArrayShape& shape, const std::vector<std::vector<int8_t>>& history,
                            const std::vector<int8_t>& wgt, bool along_rows) {
  std::vector<int32_t> sums;
  for (int s = 0; s < shape.batch * shape.block_out; ++s) {
    const int b = s / shape.block_out, o = s % shape.block_out, first = o / shape.group * shape.group;
    int32_t& sum = sums.emplace_back(0);
    const auto product = [&](int t, int line, int channel, int lane) {
      const auto& inp = history[history.size() - 1 - t];
      sum += inp[(line * shape.batch + b) * shape.block_in + channel] * wgt[o * shape.block_in + lane];
    };
    for (int k = 0; k < shape.block_in && !along_rows; ++k) product(0, 0, k, k);
    for (int p = 0; p < shape.lines * shape.taps && along_rows; ++p)
      for (int g = 0; g < shape.group; ++g)
        product(shape.taps - 1 - p % shape.taps, p / shape.taps, first + g, p * shape.group + g);
  }
  return sums;
}

/// Random tiles with gaps between them; rows of each of the lengths that they may have.
template <typename Dut>
void ExpectSums(const ArrayShape& shape) {
  const auto context = std::make_unique<VerilatedContext>();
  Dut dut(context.get());
  std::mt19937 random(1);
  struct Tile {
    bool valid;
    std::vector<int32_t> sums;
  };
  std::vector<Tile> tiles;
  dut.rst_ni = 0;
  dut.valid_i = 0;
  for (int i = 0; i < 3; ++i) Clock(dut);
  dut.rst_ni = 1;
  int wrong = 0, along_rows = 0;  // tiles left of a row
  std::vector<std::vector<int8_t>> history;
  for (int cycle = 0; cycle < 20000; ++cycle) {
    const std::vector<int8_t> inp = DrawValues(random, shape.lines * shape.batch * shape.block_in),
                              wgt = DrawValues(random, shape.block_out * shape.block_in);
    std::memcpy(&dut.inp_i, inp.data(), inp.size());
    std::memcpy(&dut.wgt_i, wgt.data(), wgt.size());
    dut.valid_i = random() % 4 != 0;
    if (dut.valid_i && along_rows > 0) --along_rows;
    if (dut.valid_i && along_rows == 0 && shape.taps > 0 && random() % 4 == 0) {
      along_rows = shape.taps + static_cast<int>(random() % 4);
      history.clear();
    }
    dut.rows_i = along_rows > 0;
    if (dut.valid_i) history.push_back(inp);
    const bool fills = along_rows > 0 && std::ssize(history) < shape.taps;  // no sum of it is looked at
    tiles.push_back({dut.valid_i != 0 && !fills, {}});
    if (tiles.back().valid) tiles.back().sums = SumsOf(shape, history, wgt, along_rows > 0);
    Clock(dut);
    const int of = cycle - 2 - shape.levels;
    if (of < 0 || !tiles[of].valid) continue;
    for (size_t o = 0; o < tiles[of].sums.size(); ++o) {
      const int width = 16 + shape.levels;
      const int32_t sum = Field(dut.sum_o, static_cast<int>(o) * width, width);
      if (sum != tiles[of].sums[o] && wrong++ < 5)
        ADD_FAILURE() << "output " << o << " is " << sum << " instead of " << tiles[of].sums[o];
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST(MacArray, AddsUpWhatDspsGive) { ExpectSums<Vmac_array_dsp>({8, 4, 3}); }

TEST(MacArray, AddsUpWhatDspsAndLutsGive) { ExpectSums<Vmac_array_mixed>({13, 3, 4}); }

TEST(MacArray, AddsUpTapsOfPairsOfChannels) { ExpectSums<Vmac_array_rows>({8, 8, 3, 3, 1, 2}); }

TEST(MacArray, AddsUpTapsOfPairsOfChannelsPartlyOfLuts) {
  ExpectSums<Vmac_array_rows_mixed>({8, 8, 3, 3, 1, 2});
}

TEST(MacArray, AddsUpRowsOfPairsOfChannels) { ExpectSums<Vmac_array_lines>({8, 8, 3, 2, 2, 2}); }

TEST(MacArray, AddsUpRowsOfChannelsThatShareDsps) { ExpectSums<Vmac_array_halves>({8, 8, 3, 2, 2}); }

TEST(MacArray, AddsUpRowsOfChannelsWithATapBeyondTheInputs) {
  ExpectSums<Vmac_array_window>({16, 16, 4, 3, 3});
}

TEST(MacArray, AddsUpRowsOfChannelsWithATapBeyondTheInputsPartlyOfLuts) {
  ExpectSums<Vmac_array_window_mixed>({6, 6, 3, 2, 2, 1, 2});
}

TEST(MacArray, AddsUpRowsOfChannelsOfOneTap) { ExpectSums<Vmac_array_column>({4, 4, 2, 1, 3}); }

TEST(MacArray, AddsUpRowsOfChannelsThatShareNoDsps) { ExpectSums<Vmac_array_single>({8, 8, 3, 2, 3}); }

}  // namespace
}  // namespace cosim::testing
