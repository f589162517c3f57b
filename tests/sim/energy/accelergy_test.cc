// SPDX-License-Identifier: Apache-2.0
// Accelergy's tables: what of them is read, which component is which part, and that nothing is guessed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/spec/loader.h"
#include "sim/energy/energy_source.h"

namespace cosim::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kReferenceTable = R"(ERT:
  version: 0.3
  tables:
  - name: chip.PE[0..15].gemm[0..3]
    actions:
    - name: mac_random
      arguments: null
      energy: 2.5
    - {name: idle, arguments: null, energy: 0.1}
  - name: chip.vector.alu
    actions:
    - {name: compute, energy: 3}
    - {name: add, energy: 1}
    - {name: leak, arguments: {global_cycle_seconds: 1e-09}, energy: 0.5}
  - name: chip.inp
    actions:
    - {name: read, arguments: {address_delta: 0, data_delta: 1}, energy: 4}
    - {name: read, arguments: {address_delta: 1, data_delta: 1}, energy: 9}
    - {name: read, arguments: {address_delta: 1, data_delta: 0}, energy: 5}
    - {name: write, arguments: {address_delta: 0, data_delta: 0}, energy: 6}
  - {name: chip.wgt, actions: [{name: access, energy: 7}]}
  - {name: chip.acc, actions: [{name: random_read, energy: 8}, {name: fill, energy: 10}]}
  - {name: chip.uop, actions: [{name: access, energy: 11}]}
  - {name: System.DRAM, actions: [{name: read, energy: 64}, {name: write, energy: 32}]}
  - {name: System.host, actions: [{name: cycle, energy: 12}]}
)";
constexpr const char* kMap = R"(technology: 10 nm
accelergy: ert.yaml
map:
  out: {component: inp, actions: 2}
)";

isa::Spec VtaOnTiny() {
  Diagnostics diags;
  return isa::LoadSpec("tiny.yaml", "vta", {}, diags).value();
}

std::optional<Costs> Read(const std::vector<isa::SourceText>& texts, std::string* errors = nullptr) {
  Diagnostics diags;
  const auto source = ReadEnergySource(texts, diags);
  auto costs = source ? CostsOf(VtaOnTiny(), *source, diags) : std::nullopt;
  EXPECT_EQ(costs.has_value(), !diags.HasErrors());
  if (errors != nullptr) *errors = diags.Render();
  return costs;
}

std::string Changed(std::string text, const std::string& from, const std::string& to) {
  EXPECT_NE(text.find(from), std::string::npos) << from;
  return text.replace(text.find(from), from.size(), to);
}

std::string ErrorOf(const std::string& table) {
  std::string errors;
  EXPECT_FALSE(Read({{"ert.yaml", table}}, &errors).has_value());
  return errors;
}
std::string ErrorOfMap(const std::string& map, const std::string& table = kReferenceTable) {
  std::string errors;
  EXPECT_FALSE(Read({{"map.yaml", map}, {"ert.yaml", table}}, &errors).has_value());
  return errors;
}

TEST(Accelergy, ComponentsArePartsByTheirNames) {
  const isa::Spec spec = VtaOnTiny();
  std::string errors;
  const auto costs = Read({{"some/ert.yaml", kReferenceTable}}, &errors);
  ASSERT_TRUE(costs) << errors;
  EXPECT_EQ(costs->table, "ert");
  EXPECT_EQ(costs->macs[static_cast<size_t>(spec.FormatIndex("gemm"))], 2.5);
  EXPECT_EQ(costs->lane_ops[static_cast<size_t>(spec.AluOpIndex("add"))], 1);
  EXPECT_EQ(costs->lane_ops[static_cast<size_t>(spec.AluOpIndex("max"))], 3);
  const auto memory = [&](const char* name) {
    return costs->memories[static_cast<size_t>(spec.MemoryIndex(name))];
  };
  EXPECT_EQ(memory("inp").read, 9);  // where everything changes
  EXPECT_EQ(memory("inp").write, 6);
  EXPECT_EQ(memory("wgt").write, 7);
  EXPECT_EQ(memory("acc").read, 8);
  EXPECT_EQ(memory("acc").write, 10);
  EXPECT_EQ(memory("out").read, 8);  // a mirror costs what it mirrors
  EXPECT_EQ(costs->dram_byte.read, 64.0 / spec.dram.beat_bytes());
  EXPECT_EQ(costs->dram_byte.write, 32.0 / spec.dram.beat_bytes());
  EXPECT_EQ(costs->host_cycle, 12);
  EXPECT_EQ(costs->instruction, 0);
  EXPECT_DOUBLE_EQ(costs->static_mw, 0.5);  // 0.5 pJ a nanosecond
}

TEST(Accelergy, AMapSaysWhatNamesDoNot) {
  const isa::Spec spec = VtaOnTiny();
  std::string map = kMap;
  map += "  dram: {component: System.DRAM, bits: 16, write: read}\n";
  map += "  inp: {component: chip.inp, arguments: {address_delta: 0}}\n";
  map += "host: {source: a paper, cycle: 20}\nunused: [host]\n";
  std::string errors;
  const auto costs = Read({{"map.yaml", map}, {"ert.yaml", kReferenceTable}}, &errors);
  ASSERT_TRUE(costs) << errors;
  EXPECT_EQ(costs->table, "map");
  EXPECT_EQ(costs->technology, "10 nm");
  EXPECT_EQ(costs->memories[static_cast<size_t>(spec.MemoryIndex("out"))].read, 18);
  EXPECT_EQ(costs->memories[static_cast<size_t>(spec.MemoryIndex("inp"))].read, 4);
  EXPECT_EQ(costs->dram_byte.write, 32);
  EXPECT_EQ(costs->host_cycle, 20);
}

TEST(Accelergy, TheOldestFormNamesByKeys) {
  std::string table = "ERT:\n  version: 0.2\n  tables:\n";
  for (const char* name : {"gemm", "alu"})
    table += std::string("    c.") + name + ": {compute: {arguments: null, energy: 2}}\n";
  for (const char* name : {"inp", "wgt", "acc", "uop", "dram"})
    table += std::string("    c.") + name +
             ": {read: [{arguments: {d: 0}, energy: 1}, {arguments: {d: 1}, energy: 5}], "
             "write: {arguments: null, energy: 3}}\n";
  table += "    c.host: {cycle: {arguments: null, energy: 1}}\n";
  const auto costs = Read({{"ert.yaml", table}});
  ASSERT_TRUE(costs);
  EXPECT_EQ(costs->memories[0].read, 5);
  EXPECT_EQ(costs->memories[0].write, 3);
}

TEST(Accelergy, NothingIsGuessed) {
  EXPECT_THAT(ErrorOf(Changed(kReferenceTable, "chip.inp", "chip.input")),
              HasSubstr("ert.yaml:1:1: error[E0007]: no component of the table is 'inp', of vta on tiny"));
  EXPECT_THAT(ErrorOf(Changed(kReferenceTable, "chip.inp", "chip.input")), HasSubstr("chip.input, chip.wgt"));
  EXPECT_THAT(ErrorOf(Changed(kReferenceTable, "chip.inp", "chip.input")),
              HasSubstr("ert.yaml:15:11: error[E0009]: component 'chip.input' is no part of vta on tiny"));
  EXPECT_THAT(ErrorOf(Changed(kReferenceTable, "chip.wgt", "'chip.wgt[0..3]'")),
              HasSubstr("is 4 instances, and how many"));
  EXPECT_THAT(ErrorOf(Changed(kReferenceTable, "chip.wgt", "chip.acc2.acc")),
              HasSubstr("'acc' may be 'chip.acc2.acc' or 'chip.acc'"));
  EXPECT_THAT(ErrorOf(Changed(kReferenceTable, "name: fill", "name: update")),
              HasSubstr("has no action write or random_write or write_random or fill or access"));
  EXPECT_THAT(ErrorOf(Changed(kReferenceTable, "data_delta: 1}, energy: 9", "data_delta: 0.5}, energy: 9")),
              HasSubstr("which 'read' of component 'chip.inp' is meant is not said"));
}

TEST(Accelergy, MistakesHaveTheirPlace) {
  EXPECT_THAT(ErrorOf(Changed(kReferenceTable, "version: 0.3", "version: 0.5")),
              HasSubstr("ert.yaml:2:12: error[E0010]: version '0.5'"));
  EXPECT_THAT(ErrorOf(Changed(kReferenceTable, "energy: 2.5", "energy: lots")),
              HasSubstr("ert.yaml:8:15: error[E0010]: 'energy' has to be a number of picojoules"));
  EXPECT_THAT(ErrorOf(Changed(kReferenceTable, "energy: 2.5", "energy: -1")), HasSubstr("ert.yaml:8:15"));
  EXPECT_THAT(ErrorOf(Changed(kReferenceTable, "      energy: 2.5\n", "")),
              HasSubstr("lacks the key 'energy'"));
  EXPECT_THAT(ErrorOf(Changed(kReferenceTable, "PE[0..15]", "PE[15..0]")),
              HasSubstr("is no name of a component"));
  EXPECT_THAT(ErrorOf(Changed(kReferenceTable, "PE[0..15]", "PE[0..")),
              HasSubstr("is no name of a component"));
  EXPECT_THAT(ErrorOf(Changed(kReferenceTable, "chip.wgt", "chip.acc")),
              HasSubstr("'chip.acc' is there twice"));
  EXPECT_THAT(ErrorOf("ERT: {version: 0.4, tables: []}"), HasSubstr("'tables' has no components"));
  EXPECT_THAT(ErrorOf("ERT: 3"), HasSubstr("'ERT' has to be a map"));
  EXPECT_THAT(ErrorOfMap(Changed(kMap, "component: inp", "component: imp")),
              HasSubstr("map.yaml:4:3: error[E0009]: the table has no component 'imp'"));
  EXPECT_THAT(ErrorOfMap(Changed(kMap, "  out:", "  otu:")), HasSubstr("did you mean 'out'?"));
  EXPECT_THAT(ErrorOfMap(Changed(kMap, "actions: 2", "bits: 2")), HasSubstr("'bits' is DRAM's"));
  EXPECT_THAT(ErrorOfMap(kMap + std::string("unused: [chip.wgt]\n")),
              HasSubstr("the table has no component 'chip.wgt' that nothing uses"));
  EXPECT_THAT(ErrorOfMap(Changed(kMap, "technology: 10 nm\n", "")), HasSubstr("lacks the key 'technology'"));
}

TEST(Accelergy, AFileThatIsNotThereHasItsPlaceToo) {
  Diagnostics diags;
  EXPECT_TRUE(FindEnergySource("no such table", "", diags).empty());
  EXPECT_THAT(diags.Render(), HasSubstr("E0001"));
  EXPECT_THAT(diags.Render(), Not(HasSubstr("accelergy")));
}

}  // namespace
}  // namespace cosim::sim
