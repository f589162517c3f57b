// SPDX-License-Identifier: Apache-2.0
// Blocks that compute: hw/rtl/mac_array.sv and what stands around it, and the lanes of an ALU.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "isa/sv/lane.h"
#include "sim/synth/area_parts.h"

namespace cosim::synth {
namespace {

using isa::Kind;

/// Of the unit's nest of loops: micro-op address, widest iteration count, widest index, and how many.
struct Nest {
  int uop = 1, iterations = 1, index = 1, indices = 0;
};

Nest NestOf(const isa::Spec& spec, const isa::SvUnit& unit, Kind kind, int format_number) {
  const isa::InstructionFormat& format = spec.formats[format_number];
  Nest nest;
  nest.uop = isa::SvAddressBits(spec.memories[format.micro_ops].depth);
  for (const char* field : {"iter_out", "iter_in"})
    nest.iterations = std::max(nest.iterations, unit.FieldBits(spec, kind, field));
  nest.indices = static_cast<int>(format.indices.size());
  for (const isa::IndexFields& index : format.indices) {
    nest.index = std::max(nest.index, spec.memories[format.micro_ops].fields[index.uop].type.width);
    for (const char* part : {"_base", "_out", "_in"})
      nest.index = std::max(nest.index, unit.FieldBits(spec, kind, index.index + part));
  }
  return nest;
}

AreaBlock NestBlock(const isa::SvUnit& unit, const Nest& nest, bool rows) {
  const double bits = 1.0 * nest.index * nest.indices;
  return {unit.name,
          "nest",
          {{"one", 1},
           {"uop_bits", nest.uop},
           {"iteration_bits", nest.iterations},
           {"index_bits", bits},
           {"rows", rows ? 1.0 : 0},
           {"row_index_bits", rows ? bits : 0}}};
}

/// Adders of a tree over so many terms: their bits, and the bits registered, of one output.
struct Tree {
  double adders = 0, registers = 0;
};

Tree TreeOf(int terms, int bits) {
  Tree tree;
  while (terms > 1) {
    ++bits;
    const int pairs = terms / 2;
    terms -= pairs;
    tree.adders += 1.0 * pairs * bits;
    tree.registers += 1.0 * terms * bits;
  }
  return tree;
}

/// Of `quads`, those that make no error: the ones of activations along rows in DSPs, `own_in_dsps`, else the
/// first where all products of a tile's `block_in` inputs come from quads.
int ExactQuads(int quads, int own_in_dsps, int block_in) {
  const int own = std::min(quads, std::max(0, (own_in_dsps + 1) / 2));
  return own == 0 && 2 * quads == block_in ? 1 : own;
}

AreaBlock Array(const isa::Spec& spec, const isa::SvUnit& unit) {
  const isa::SvGemm& gemm = unit.gemm;
  const isa::Intrinsic& intrinsic = *spec.formats[gemm.format].intrinsic;
  const int src = spec.memories[intrinsic.sources[gemm.src].memory].record_bits;
  const int side = spec.memories[intrinsic.sources[gemm.side].memory].record_bits;
  const int luts = gemm.per_lane ? 0 : spec.hardware.lut_inputs;
  const double outputs = 1.0 * gemm.batch * gemm.block_out;
  const int nodes = (gemm.block_in + 1) / 2, node_bits = src + side + 1;
  const int quads = gemm.macs_per_dsp == 2 ? (gemm.block_in - luts) / 2 : 0;
  const int in_pairs = gemm.block_out - gemm.block_out % 2;
  const double paired = quads > 0 ? 1.0 * gemm.batch * in_pairs : 0;
  const double sums = gemm.block_in > 1 ? outputs * nodes - paired * quads : 0;  // nodes that are adders
  const double lut_products = outputs * luts;
  const double products = outputs * gemm.block_in - lut_products - 2 * paired * quads;
  const bool is_soft = src + side < kLeastProduct;
  const int digits = (side + 1) / 2;
  const Tree tree = TreeOf(nodes, node_bits);
  const int sets = gemm.taps > 0 ? gemm.block_out / gemm.Members() : 1;
  const int own = gemm.AllTaps() * gemm.Members(), own_places = std::min(own, gemm.block_in);
  const int exact = ExactQuads(quads, gemm.taps > 0 ? own_places - luts : 0, gemm.block_in);
  const int spread = gemm.Halves() ? gemm.block_out / 2 * (own_places / 2) * side : 0;
  return {unit.name,
          "array",
          {{"one", 1},
           {"operand_bits", gemm.batch * 1.0 * gemm.block_in * src},
           {"side_bits", 1.0 * gemm.block_out * gemm.block_in * side},
           {"own_bits", 1.0 * gemm.batch * sets * own * src},
           {"spread_bits", double(spread)},
           {"extra_bits", gemm.HasExtraTap() ? outputs * (node_bits + 1) : 0},
           {"quad_bits", paired / 2 * quads * (src + 1)},
           {"quads", paired / 2 * quads},
           {"less_bits", quads > exact ? paired / 2 * (node_bits + CountBits(gemm.block_in)) : 0},
           {"offset_bits", 1.0 * gemm.batch * exact * sets * (node_bits + 1)},
           {"excess_bits", quads > exact ? TreeOf(2 * (quads - exact), src).adders * gemm.batch : 0},
           {"product_bits", is_soft ? 0 : products * (src + side)},
           {"soft_product_bits", is_soft ? products * src * side : 0},
           {"lut_product_bits", lut_products * digits * (src + 2)},
           {"lut_products", lut_products},
           {"sum_bits", sums * node_bits},
           {"tree_bits", outputs * tree.adders},
           {"tree_registers", outputs * tree.registers}}};
}

AreaBlock Accumulator(const isa::Spec& spec, const isa::SvUnit& unit) {
  const isa::InstructionFormat& format = spec.formats[unit.gemm.format];
  const isa::Memory& memory = spec.memories[format.intrinsic->dst.memory];
  return {unit.name,
          "accumulator",
          {{"one", 1},
           {"accumulator_bits", double(memory.element_bits)},
           {"address_bits", isa::SvAddressBits(memory.depth)}}};
}

/// Of the adders of hw/rtl/pipelined_multiplier.sv.
int BitsAdded(const isa::SvLaneSize::Multiplier& m) {
  constexpr int kWide = 24, kNarrow = 17, kHalf = 16;
  const int product = m.a_bits + m.b_bits;
  if (m.three_parts) return 2 * (kHalf + 2) + 2 * (product - kHalf) + 2 * kHalf + 1;
  const auto parts = [](int bits, int part) { return bits > part + 1 ? (bits - 2) / part + 1 : 1; };
  if (m.stages < 2) return 0;
  int bits = 0;
  for (int part = 1; part < parts(m.a_bits, kWide); ++part) bits += product - part * kWide;
  for (int part = 1; part < parts(m.b_bits, kNarrow); ++part) bits += product - part * kNarrow;
  return bits;
}

/// Of the levels of hw/rtl/rounding_shifter.sv, each of which chooses one of four.
int BitsShifted(const isa::SvLaneSize::Shifter& shifter) {
  int bits = 0;
  for (int to_come = 0; to_come < shifter.amount_bits; to_come += 2)
    bits += std::min(shifter.width + 1, shifter.out_bits + (1 << to_come));
  return bits;
}

/// Of hw/rtl/lookup_tables.sv: LUTs of 64 bits with one address, and what chooses that.
double TableLuts(const isa::SvLaneSize::Table& table) {
  const auto words = (table.depth + 63) / 64;
  return double(table.bits) * double(words) + isa::SvAddressBits(table.depth);
}

}  // namespace

void AddGemmBlocks(const isa::Spec& spec, const isa::SvUnit& unit, std::vector<AreaBlock>& blocks) {
  const Nest nest = NestOf(spec, unit, Kind::kGemm, unit.gemm.format);
  blocks.push_back({unit.name,
                    "gemm",
                    {{"one", 1},
                     {"index_bits", 1.0 * nest.index * nest.indices},
                     {"tag_bits", unit.tag_bits},
                     {"line_bits", 1.0 * nest.index * (unit.gemm.lines - 1)},
                     {"levels", double(std::bit_width(unsigned(unit.gemm.block_in - 1)))}}});
  blocks.push_back(NestBlock(unit, nest, unit.gemm.rows >= 0));
  blocks.push_back(Array(spec, unit));
  blocks.push_back(Accumulator(spec, unit));
}

void AddAluBlocks(const isa::Spec& spec, const isa::SvUnit& unit, std::vector<AreaBlock>& blocks) {
  const isa::SvAlu& alu = unit.alu;
  const Nest nest = NestOf(spec, unit, Kind::kAlu, alu.format);
  const int lanes = std::min(spec.units[unit.unit].lanes, alu.element_lanes);
  blocks.push_back({unit.name,
                    "alu",
                    {{"one", 1},
                     {"index_bits", 1.0 * nest.index * nest.indices},
                     {"read_bits", 1.0 * nest.index * alu.reads.size()},
                     {"grouped", alu.groups > 1 ? 1.0 : 0},
                     {"tag_bits", unit.tag_bits}}});
  blocks.push_back(NestBlock(unit, nest, false));
  double immediates = 0, choices = 0, elements = 0, results = 0;
  for (const int field : alu.immediates) immediates += spec.formats[alu.format].fields[field].type.width;
  for (const int memory : alu.reads) {
    const isa::Memory& described = spec.memories[memory];
    int most = 1;
    for (const int op : alu.ops) most = std::max(most, int(alu.Operands(spec, op, memory).size()));
    choices += 1.0 * most * lanes * described.record_bits * (alu.groups - 1);
    if (most == 2) elements += double(described.element_bits);
  }
  for (const int memory : alu.writes) results += 1.0 * lanes * spec.memories[memory].record_bits;
  blocks.push_back({unit.name,
                    "lanes",
                    {{"one", 1},
                     {"ops", double(alu.ops.size())},
                     {"immediate_bits", immediates},
                     {"choice_bits", choices},
                     {"element_bits", elements},
                     {"result_bits", results}}});
  const isa::SvLaneSize size = isa::SvAluLaneSize(spec, unit);
  double parts = 0, shifts = 0, rounds = 0;
  for (const auto& m : size.multipliers) parts += BitsAdded(m);
  for (const auto& s : size.shifters) {
    shifts += BitsShifted(s);
    rounds += s.out_bits;
  }
  blocks.push_back({unit.name,
                    "lane",
                    {{"lanes", lanes},
                     {"registers", 1.0 * lanes * double(size.registers)},
                     {"delays", 1.0 * lanes * double(size.delays)},
                     {"adders", 1.0 * lanes * double(size.adders)},
                     {"choices", 1.0 * lanes * double(size.choices)},
                     {"compares", 1.0 * lanes * double(size.compares)},
                     {"selects", 1.0 * lanes * double(size.selects)},
                     {"shifts", lanes * (shifts + double(size.shifts))},
                     {"rounds", lanes * rounds},
                     {"logic", 1.0 * lanes * double(size.logic)},
                     {"product_bits", lanes * parts}}});
  for (const auto& table : size.tables)
    blocks.push_back(
        {fmt::format("{} table", unit.name), "memory", {{"ram_luts", lanes * TableLuts(table)}}});
}

}  // namespace cosim::synth
