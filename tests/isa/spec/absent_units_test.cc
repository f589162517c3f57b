// SPDX-License-Identifier: Apache-2.0
// Units that only some configurations have, with what goes when they go.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/isa/spec/testing.h"

namespace cosim::isa {
namespace {

using testing::Complaints;
using ::testing::HasSubstr;
using testing::kConfig;
using testing::kIsa;
using testing::Replace;

/// The small ISA with a second load unit, where `loaders` is 2, that loads weights and has an instruction of
/// its own.
std::string TwoLoaders() {
  std::string isa =
      Replace(kIsa, "  fetch_words:", "  loaders: {default: 1, min: 1, max: 2}\n  fetch_words:");
  isa = Replace(isa, "  gemm: {commands",
                "  fill: {where: loaders == 2, commands: 4, overlap: true, latency: 2, buffer_beats: 16}\n"
                "  gemm: {commands");
  isa = Replace(isa, "  gemm_to_alu:", "  fill_to_gemm: {from: fill, to: gemm, capacity: 4}\n  gemm_to_alu:");
  isa = Replace(isa, "    opcode: 1\n    unit: load\n", "    opcode: 1\n    unit: [fill, load]\n");
  return Replace(isa, "alu_ops:", "  sync_fill: {opcode: 6, unit: fill, kind: sync}\nalu_ops:");
}

std::optional<Spec> LoadText(const std::string& isa, const std::string& config,
                             const std::vector<Override>& set = {}) {
  Diagnostics diags;
  auto spec = Elaborate({"isa.yaml", isa}, {"config.yaml", config}, set, diags);
  EXPECT_TRUE(spec) << diags.Render();
  return spec;
}

const std::string kTwo = Replace(kConfig, "  block: 4", "  block: 4\n  loaders: 2");

TEST(AbsentUnits, ASpecWithoutThemIsThatOfAnIsaThatNeverHadThem) {
  const auto plain = LoadText(kIsa, kConfig), without = LoadText(TwoLoaders(), kConfig);
  ASSERT_TRUE(plain && without);
  EXPECT_EQ(without->UnitIndex("fill"), -1);
  EXPECT_EQ(without->QueueIndex("fill_to_gemm"), -1);
  EXPECT_EQ(without->FormatIndex("sync_fill"), -1);
  EXPECT_EQ(without->fingerprint, plain->fingerprint) << "the same words, and the same hardware";
}

TEST(AbsentUnits, WhereTheyAreTheyCarryWhatNamesThemFirst) {
  const auto spec = LoadText(TwoLoaders(), kTwo);
  ASSERT_TRUE(spec);
  const auto unit_of = [&](const char* name) { return spec->formats[spec->FormatIndex(name)].unit; };
  EXPECT_EQ(unit_of("load_wgt"), spec->UnitIndex("fill"));
  EXPECT_EQ(unit_of("sync_fill"), spec->UnitIndex("fill"));
  EXPECT_EQ(unit_of("load_inp"), spec->UnitIndex("load"));
  EXPECT_EQ(spec->formats[spec->FormatIndex("load_wgt")].FieldIndex("push_load_to_gemm"), -1);
  EXPECT_GE(spec->formats[spec->FormatIndex("load_wgt")].FieldIndex("push_fill_to_gemm"), 0);
}

TEST(AbsentUnits, AUnitThatIsTakenOutIsNoMoreInLists) {
  const auto plain = LoadText(kIsa, kConfig),
             taken = LoadText(TwoLoaders(), kTwo, {{"isa.units.fill", "off"}});
  ASSERT_TRUE(plain && taken);
  EXPECT_EQ(taken->fingerprint, plain->fingerprint);
}

TEST(AbsentUnits, AnInstructionOfNoneButAbsentUnitsIsNotThere) {
  const std::string isa = Replace(TwoLoaders(), "unit: fill, kind: sync", "unit: [fill], kind: sync");
  EXPECT_EQ(LoadText(isa, kConfig)->FormatIndex("sync_fill"), -1);
  EXPECT_GE(LoadText(isa, kTwo)->FormatIndex("sync_fill"), 0);
  // What only such an instruction writes is missed.
  EXPECT_THAT(Complaints(Replace(TwoLoaders(), "unit: [fill, load]", "unit: fill")),
              HasSubstr("error[E0406]: memory 'wgt' is read, but no instruction writes it"));
}

TEST(AbsentUnitDiagnostics, RejectsAWhereThatIsNoExpression) {
  EXPECT_EQ(Complaints(Replace(TwoLoaders(), "where: loaders == 2", "where: loader == 2")),
            R"~(isa.yaml:16:17: error[E0202]: 'loader' is no parameter and no property of a memory
   16 |   fill: {where: loader == 2, commands: 4, overlap: true, latency: 2, buffer_beats: 16}
      |                 ^~~~~~
  hint: did you mean 'loaders'?
)~");
}

TEST(AbsentUnitDiagnostics, RejectsUnitsOfAListThatNoConfigurationHas) {
  EXPECT_EQ(Complaints(Replace(TwoLoaders(), "[fill, load]", "[fil, load]")),
            R"~(isa.yaml:34:12: error[E0009]: there is no unit 'fil'
   34 |     unit: [fil, load]
      |            ^~~
  hint: did you mean 'fill'?
)~");
  EXPECT_THAT(Complaints(Replace(TwoLoaders(), "from: fill", "from: fil")),
              HasSubstr("error[E0009]: there is no unit 'fil'"));
}

TEST(AbsentUnitDiagnostics, RejectsAUnitTwiceInAList) {
  EXPECT_EQ(Complaints(Replace(TwoLoaders(), "[fill, load]", "[load, fill, load]")),
            R"~(isa.yaml:34:24: error[E0307]: 'unit' of instruction 'load_wgt' names 'load' twice
   34 |     unit: [load, fill, load]
      |                        ^~~~
)~");
}

TEST(AbsentUnitDiagnostics, RejectsWhatIsNoUnitAndNoList) {
  const auto of = [](const char* wrong) { return Complaints(Replace(TwoLoaders(), "[fill, load]", wrong)); };
  const std::string said =
      "error[E0008]: 'unit' of instruction 'load_wgt' has to be a name or a list of names, not ";
  EXPECT_THAT(of("[]"), HasSubstr(said + "an empty one\n"));
  EXPECT_THAT(of("[[fill], load]"), HasSubstr(said + "a list with a list\n"));
  EXPECT_THAT(of("{a: load}"), HasSubstr(said + "a map of keys\n"));
}

TEST(AbsentUnitDiagnostics, RejectsConfigurationsWithoutAnyUnit) {
  const std::string isa = kIsa.substr(0, kIsa.find("  load: {")) + "  load: {where: block == 5}\n" +
                          kIsa.substr(kIsa.find("queues:"));
  EXPECT_THAT(Complaints(isa), HasSubstr("error[E0007]: this configuration has none of the ISA's units"));
}

TEST(AbsentUnitDiagnostics, RejectsConfigurationsWithoutAnyInstruction) {
  const std::string isa = kIsa.substr(0, kIsa.find("instructions:")) +
                          "instructions:\n  only: {where: block == 5, opcode: 0, unit: load, kind: sync}\n";
  EXPECT_THAT(Complaints(isa),
              HasSubstr("error[E0007]: this configuration has none of the ISA's instructions"));
}

}  // namespace
}  // namespace cosim::isa
