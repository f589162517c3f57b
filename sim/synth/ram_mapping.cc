// SPDX-License-Identifier: Apache-2.0
#include "sim/synth/ram_mapping.h"

#include <algorithm>

namespace cosim::synth {
namespace {

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

constexpr int64_t kLaneBits = 9;  ///< of a block RAM, that have a write enable of their own

/// As Yosys's libraries weigh them: the cheaper is taken.
constexpr double kHalfCost = 129, kWholeCost = 257, kLutRamCost = 8;

/// A shape of a block RAM: a RAMB18, or a RAMB36 of two.
struct Shape {
  int64_t bits, depth;
  int halves;
};
constexpr Shape kShapes[] = {{36, 512, 1},  {18, 1024, 1}, {9, 2048, 1},  {4, 4096, 1},  {2, 8192, 1},
                             {1, 16384, 1}, {72, 512, 2},  {36, 1024, 2}, {18, 2048, 2}, {9, 4096, 2},
                             {4, 8192, 2},  {2, 16384, 2}, {1, 32768, 2}};

/// Block RAMs side by side.
int64_t Columns(const Shape& shape, int64_t bits, int64_t slice_bits) {
  if (slice_bits >= bits) return CeilDiv(bits, shape.bits);
  const int64_t slices = CeilDiv(bits, slice_bits);
  if (shape.bits < kLaneBits) return slices * CeilDiv(slice_bits, shape.bits);
  return CeilDiv(slices * CeilDiv(slice_bits, kLaneBits), shape.bits / kLaneBits);
}

/// A LUT RAM of four LUTs, as simple dual port: RAM32M or RAM64M.
struct LutRam {
  int64_t bits, depth;
};
constexpr int kLutsOfOne = 4;
constexpr LutRam kShort{6, 32}, kLong{3, 64};

const LutRam& LutRamFor(int64_t depth) { return depth <= kShort.depth ? kShort : kLong; }

struct Blocks {
  int64_t halves = 0, rows = 0;
  double cost = 0;
};

/// The cheapest block RAMs; of equally cheap ones those of the fewest rows.
Blocks BlocksFor(int64_t bits, int64_t depth, int64_t slice_bits) {
  Blocks best;
  for (const Shape& shape : kShapes) {
    const int64_t rows = CeilDiv(depth, shape.depth), count = Columns(shape, bits, slice_bits) * rows;
    const Blocks blocks{count * shape.halves, rows,
                        static_cast<double>(count) * (shape.halves == 2 ? kWholeCost : kHalfCost)};
    const bool is_better =
        blocks.halves < best.halves || (blocks.halves == best.halves && blocks.rows < best.rows);
    if (best.halves == 0 || is_better) best = blocks;
  }
  return best;
}

}  // namespace

int LutRamLuts(int64_t bits, int64_t depth) {
  const LutRam& ram = LutRamFor(depth);
  return static_cast<int>(CeilDiv(bits, ram.bits) * CeilDiv(depth, ram.depth)) * kLutsOfOne;
}

RamMapping MapRam(int64_t bits, int64_t depth, int64_t slice_bits) {
  const Blocks blocks = BlocksFor(bits, depth, slice_bits);
  const LutRam& ram = LutRamFor(depth);
  const int64_t rows = CeilDiv(depth, ram.depth);
  const double lut_cost = kLutRamCost * static_cast<double>(bits * rows) / static_cast<double>(ram.bits);
  if (lut_cost < blocks.cost) {
    const int64_t slices = slice_bits < bits ? CeilDiv(bits, slice_bits) : 1;
    return {.lut = static_cast<int>(slices) * LutRamLuts(CeilDiv(bits, slices), depth),
            .registers = static_cast<int>(bits),
            .choices = static_cast<int>((rows - 1) * bits)};
  }
  return {.ramb18 = static_cast<int>(blocks.halves), .choices = static_cast<int>((blocks.rows - 1) * bits)};
}

}  // namespace cosim::synth
