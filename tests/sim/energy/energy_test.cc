// SPDX-License-Identifier: Apache-2.0
// Tables of energies and what follows from them, by hand.
#include "sim/energy/energy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "isa/spec/loader.h"
#include "sim/energy/energy_source.h"

namespace cosim::sim {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTable = R"(technology: 10 nm
multiply: {source: a paper, bits: {8: 1, 16: 4}}
add: {source: a paper, bits: {8: 2}}
sram: {source: a paper, access_bits: 32, bytes: {1024: 3, 4096: 6}}
dram: {source: a paper, byte: 7}
host: {source: a paper, cycle: 9}
)";

std::optional<EnergyTable> Read(const std::string& text, std::string* errors = nullptr) {
  Diagnostics diags;
  auto source = ReadEnergySource({{"table.yaml", text}}, diags);
  std::optional<EnergyTable> table;
  if (source) table = std::get<EnergyTable>(*source);
  EXPECT_EQ(table.has_value(), !diags.HasErrors());
  if (errors) *errors = diags.Render();
  return table;
}

std::string ErrorOf(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  std::string errors;
  EXPECT_FALSE(Read(text, &errors).has_value()) << to;
  return errors;
}

TEST(EnergyTable, FollowsThePowerLawThroughTheNearest) {
  const EnergyTable table = *Read(kTable);
  EXPECT_EQ(table.name, "table");
  EXPECT_EQ(table.technology, "10 nm");
  EXPECT_DOUBLE_EQ(table.multiply.At(8), 1);
  EXPECT_DOUBLE_EQ(table.multiply.At(16), 4);
  EXPECT_DOUBLE_EQ(table.multiply.At(32), 16);
  EXPECT_DOUBLE_EQ(table.multiply.At(4), 0.25);
  EXPECT_DOUBLE_EQ(table.Multiply(4, 16), 1);  // as wide as 8 by 8
  EXPECT_DOUBLE_EQ(table.add.At(20), 5);       // in proportion
  EXPECT_DOUBLE_EQ(table.sram.At(2048), 3 * std::sqrt(2));
  EXPECT_DOUBLE_EQ(CostBySize({{1, 1}, {10, 10}, {100, 1000}}).At(10 * std::sqrt(10)), 100);
  EXPECT_EQ(table.instruction, 0);
  EXPECT_EQ(table.static_mw, 0);
}

TEST(EnergyTable, MistakesHaveTheirPlace) {
  EXPECT_THAT(ErrorOf(kTable, "8: 1,", "8: -1,"), HasSubstr("table.yaml:2:39: error[E0010]"));
  EXPECT_THAT(ErrorOf(kTable, "8: 1,", "wide: 1,"), HasSubstr("table.yaml:2:36: error[E0008]"));
  EXPECT_THAT(ErrorOf(kTable, "8: 1,", "0: 1,"), HasSubstr("has to be 1 to 4096"));
  EXPECT_THAT(ErrorOf(kTable, "{8: 2}", "{}"), HasSubstr("'bits' has no values"));
  EXPECT_THAT(ErrorOf(kTable, "{8: 2}", "{8: [2]}"), HasSubstr("has to be a number"));
  EXPECT_THAT(ErrorOf(kTable, "source: a paper, byte", "byte"), HasSubstr("lacks the key 'source'"));
  EXPECT_THAT(ErrorOf(kTable, "source: a paper, byte", "source: '', byte"),
              HasSubstr("'source' says nothing"));
  EXPECT_THAT(ErrorOf(kTable, "technology: 10 nm\n", ""), HasSubstr("lacks the key 'technology'"));
  EXPECT_THAT(ErrorOf(kTable, "dram:", "drum:"), HasSubstr("did you mean 'dram'?"));
  EXPECT_THAT(ErrorOf(kTable, "access_bits: 32", "access_bits: 0"), HasSubstr("has to be 1 to 4096"));
  EXPECT_THAT(ErrorOf(kTable, "host: {source: a paper, cycle: 9}", "host: 9"), HasSubstr("'host'"));
}

TEST(EnergyTable, TheInstalledOneIsGoodAndOthersAreNamed) {
  Diagnostics diags;
  const auto source = LoadEnergySource("45nm", "", diags);
  ASSERT_TRUE(source) << diags.Render();
  const auto* table = std::get_if<EnergyTable>(&*source);
  ASSERT_NE(table, nullptr);
  EXPECT_DOUBLE_EQ(table->multiply.At(8), 0.2);
  EXPECT_DOUBLE_EQ(table->sram.At(32768), 20);
  EXPECT_FALSE(LoadEnergySource("54nm", "", diags));
  EXPECT_THAT(diags.Render(), HasSubstr("did you mean '45nm'?"));
}

/// Two sources of 8 bits into sums of 16, 4 x 2 x 3 of them.
isa::Spec SmallSpec() {
  isa::Spec spec;
  spec.word_bits = 128;
  const auto memory = [&](int bits, std::vector<int> lanes, int64_t depth) {
    isa::Memory m;
    m.record_bits = bits;
    m.lanes = std::move(lanes);
    m.element_bits = bits * m.LaneCount();
    m.depth = depth;
    spec.memories.push_back(m);
  };
  memory(8, {4, 3}, 1024);
  memory(8, {2, 3}, 1024);
  memory(16, {4, 2}, 64);  // 128 bits by 64: 1024 bytes
  isa::InstructionFormat gemm;
  gemm.kind = isa::Kind::kGemm;
  gemm.intrinsic.emplace();
  gemm.intrinsic->axes = {{"b", 4, false}, {"o", 2, false}, {"k", 3, true}};
  gemm.intrinsic->dst.memory = 2;
  gemm.intrinsic->sources = {{.memory = 0}, {.memory = 1}};
  spec.formats.push_back(gemm);
  return spec;
}

TEST(Energy, IsCountsTimesTheTable) {
  const isa::Spec spec = SmallSpec();
  const EnergyTable table = *Read(kTable);
  EXPECT_DOUBLE_EQ(MacEnergy(spec, *spec.formats[0].intrinsic, table), 1 + 4);
  EXPECT_DOUBLE_EQ(AccessEnergy(spec.memories[2], table), 3 * 128 / 32.0);
  isa::Decoded decoded;
  decoded.format = 0;
  isa::Gemm gemm;
  gemm.nest = {-1, 0, 5, 2, 1};
  decoded.body = gemm;
  Work work = WorkOf(spec, std::span(&decoded, 1));
  EXPECT_EQ(work.macs[0], 10u * 24);
  EXPECT_EQ(work.memories[2], (Work::Accesses{10, 10}));
  work.memories[0] = work.memories[1] = {};
  work.dram_read = 600;
  work.dram_written = 400 - 16;
  const Energy energy = EnergyOf(spec, work, CostsOf(spec, table));
  EXPECT_DOUBLE_EQ(energy.macs, 240 * 5e-9);
  EXPECT_DOUBLE_EQ(energy.sram, 20 * 12e-9);
  EXPECT_DOUBLE_EQ(energy.dram, 7000e-9);
  EXPECT_DOUBLE_EQ(energy.Total(), energy.macs + energy.sram + energy.dram);
  EXPECT_EQ(energy.host, 0);
}

TEST(Energy, OfAnAluOpIsThatOfItsOperators) {
  // (a * b + 3) >> 2, clamped: inputs of 8 bits.
  using isa::ScalarOp;
  isa::ScalarProgram program;
  const isa::ScalarType byte{8, true}, product{16, true};
  program.nodes = {{ScalarOp::kInput, byte},           {ScalarOp::kInput, byte},
                   {ScalarOp::kMul, product, 0, 1},    {ScalarOp::kConst, byte},
                   {ScalarOp::kAdd, {24, true}, 2, 3}, {ScalarOp::kConst, byte},
                   {ScalarOp::kShr, {24, true}, 4, 5}, {ScalarOp::kShr, {24, true}, 4, 0},
                   {ScalarOp::kClamp, byte, 7, 0, 1},  {ScalarOp::kWrap, byte, 8}};
  const EnergyTable table = *Read(kTable);
  // product, sum, the shift by an operand, two comparisons of 24 bits
  EXPECT_DOUBLE_EQ(LaneEnergy(program, table), 1 + 6 + 6 + 2 * 6);
}

}  // namespace
}  // namespace cosim::sim
