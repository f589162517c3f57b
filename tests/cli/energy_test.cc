// SPDX-License-Identifier: Apache-2.0
// cosim's estimates of energy as users meet them: in run, sweep, pareto and compare.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/command.h"

namespace cosim::cli {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class EnergyOfRuns : public testing::Command {
 protected:
  json Json(const std::string& arguments) { return json::parse(Good(arguments + " --json=-").out); }
};

constexpr const char* kOneTable = R"(technology: none
multiply: {source: this test, bits: {8: 1000}}
add: {source: this test, bits: {8: 1e-3}}
sram: {source: this test, access_bits: 8, bytes: {1: 1e-9}}
dram: {source: this test, byte: 1e6}
host: {source: this test, cycle: 1e6}
static: {source: this test, mw: 1000}
)";

TEST_F(EnergyOfRuns, AddsUpFromItsParts) {
  const json run = Json("run small_cnn --config=tiny.yaml --energy");
  const json& energy = run["energy"];
  EXPECT_EQ(energy["table"], "45nm");
  EXPECT_EQ(energy["model"], "estimate");
  double sum = 0;
  for (const char* part :
       {"macs_mj", "alu_mj", "sram_mj", "dram_mj", "instructions_mj", "host_mj", "static_mj"})
    sum += energy[part].get<double>();
  EXPECT_DOUBLE_EQ(run["energy_mj"].get<double>(), sum);
  for (const char* part : {"macs_mj", "alu_mj", "sram_mj", "dram_mj", "instructions_mj", "host_mj"})
    EXPECT_GT(energy[part].get<double>(), 0) << part;
  EXPECT_THAT(Good("run small_cnn --config=tiny.yaml --energy").out, HasSubstr("energy (estimated, 45nm): "));
  EXPECT_THAT(Good("run small_cnn --config=tiny.yaml").out, Not(HasSubstr("energy")));
}

TEST_F(EnergyOfRuns, IsWhatTheTableSaysOfTheRunsOwnFigures) {
  Write("one.yaml", kOneTable);
  const json run = Json("run small_cnn --config=tiny.yaml --energy=one.yaml");
  const json &energy = run["energy"], &frame = run["end_to_end"];
  const double frame_ms = frame["frame_ms"],
               beside = frame["host_ms"].get<double>() + frame["copies_ms"].get<double>();
  EXPECT_NEAR(energy["static_mj"].get<double>(), frame_ms, 1e-9);  // 1 W for a millisecond is 1 mJ
  EXPECT_NEAR(energy["host_mj"].get<double>(), beside * 650,
              1e-6);  // 650,000 cycles a millisecond, 1 uJ each
  // At least the network's own, 1 nJ each; more, since tiles have padding.
  const double accelerated = run["macs"].get<double>() - run["macs_host"].get<double>();
  EXPECT_GE(energy["macs_mj"].get<double>(), accelerated * 1e-6);
  EXPECT_LT(energy["macs_mj"].get<double>(), 20 * accelerated * 1e-6);
  // And the program's words, of 32 bytes.
  EXPECT_NEAR(energy["dram_mj"].get<double>(),
              (run["dram_bytes"].get<double>() + 32 * run["instructions"].get<double>()) * 1e-3, 1e-9);
}

TEST_F(EnergyOfRuns, WorkLeftToTheHostCosts) {
  const json with = Json("run small_cnn --config=tiny.yaml --energy --timing-only");
  const json without =
      Json("run small_cnn --config=tiny.yaml --energy --timing-only --set isa.alu_ops.max_inp=off");
  EXPECT_GT(without["energy"]["host_mj"], with["energy"]["host_mj"]);
  EXPECT_LT(without["energy"]["alu_mj"], with["energy"]["alu_mj"]);
}

TEST_F(EnergyOfRuns, IsUnknownWhereTheHostIs) {
  const json run = Json("run small_cnn --config=test/wide.yaml --energy --timing-only");
  EXPECT_TRUE(run["energy_mj"].is_null());
  EXPECT_TRUE(run["energy"]["host_mj"].is_null());
  EXPECT_GT(run["energy"]["macs_mj"].get<double>(), 0);
}

TEST_F(EnergyOfRuns, IsAnObjectiveOfSweeps) {
  Good(
      "sweep small_cnn --config=tiny.yaml --set energy=45nm --set parameters.acc_bytes=2048,4096 "
      "--set clock_mhz=100,120 --db=s.sqlite --csv=s.csv");
  const json run = Json(
      "run small_cnn --config=tiny.yaml --set energy=45nm --set parameters.acc_bytes=2048 --set "
      "clock_mhz=100");
  const std::string pareto = Good("pareto s.sqlite --objectives=frame_ms,energy_mj --json=p.json").out;
  EXPECT_THAT(pareto, HasSubstr("energy_mj"));
  const json front = json::parse(testing::ReadFile(folder_ / "p.json"))["networks"]["small_cnn"];
  ASSERT_EQ(front.size(), 4u);
  EXPECT_DOUBLE_EQ(front[0]["objectives"]["energy_mj"].get<double>(), run["energy_mj"].get<double>());
  // Only the clock differs: the counts do not, and the accelerator's time has no price in this table.
  EXPECT_EQ(front[0]["objectives"]["energy_mj"], front[1]["objectives"]["energy_mj"]);
  EXPECT_NE(front[0]["objectives"]["energy_mj"], front[2]["objectives"]["energy_mj"]);
  EXPECT_THAT(Good("compare s.sqlite:1 s.sqlite:3").out, HasSubstr("energy_mj"));
  EXPECT_THAT(testing::ReadFile(folder_ / "s.csv"), HasSubstr(",energy_mj,"));
}

TEST_F(EnergyOfRuns, ATableOfAnotherTextIsAnotherSweep) {
  Write("one.yaml", kOneTable);
  WriteChanged("configs/tiny.yaml", "mine.yaml", "clock_mhz: 100", "energy: one\nclock_mhz: 100");
  const std::string sweep = "sweep mlp --config=mine.yaml --set memory.latency=20,40 --db=s.sqlite";
  EXPECT_THAT(Good(sweep).out, HasSubstr("energy est mJ"));
  Write("one.yaml", testing::ReplaceAll(kOneTable, "byte: 1e6", "byte: 2e6"));
  EXPECT_THAT(ErrorOf(sweep), HasSubstr("s.sqlite holds another sweep"));
}

/// Names and actions of tiny.yaml's parts, but for the array's, whose name is another.
constexpr const char* kErt = R"(ERT:
  version: '0.4'
  tables:
  - {name: "chip.PE[1..64].mac", actions: [{name: compute, arguments: {}, energy: 2.0}]}
  - {name: "chip.alu[0..7]", actions: [{name: compute, arguments: null, energy: 0}]}
  - {name: chip.inp, actions: [{name: access, energy: 0}]}
  - {name: chip.wgt, actions: [{name: access, energy: 0}]}
  - {name: chip.acc, actions: [{name: access, energy: 0}]}
  - {name: chip.out, actions: [{name: access, energy: 0}]}
  - {name: chip.par, actions: [{name: access, energy: 0}]}
  - {name: chip.tab, actions: [{name: access, energy: 0}]}
  - {name: chip.gemm_uop, actions: [{name: access, energy: 0}]}
  - {name: chip.alu_uop, actions: [{name: access, energy: 0}]}
  - {name: DRAM, actions: [{name: read, energy: 8}, {name: write, energy: 8}]}
  - {name: host, actions: [{name: cycle, energy: 0}]}
)";
constexpr const char* kMap = R"(technology: none
accelergy: ert.yaml
map: {gemm: chip.PE.mac, dram: {component: DRAM, bits: 8}}
)";

TEST_F(EnergyOfRuns, ReadsWhatAccelergyWrote) {
  std::filesystem::create_directory(folder_ / "tables");
  Write("tables/ert.yaml", kErt);
  Write("tables/mine.yaml", kMap);
  EXPECT_THAT(
      ErrorOf("run mlp --config=tiny.yaml --energy=tables/ert.yaml"),
      HasSubstr("tables/ert.yaml:1:1: error[E0007]: no component of the table is 'gemm', of cosim on tiny"));
  const json run = Json("run mlp --config=tiny.yaml --energy=tables/mine.yaml");
  const json& energy = run["energy"];
  EXPECT_EQ(energy["table"], "mine");
  EXPECT_EQ(energy["technology"], "none");
  // 8 pJ a byte, and the program's words of 32.
  EXPECT_NEAR(energy["dram_mj"].get<double>(),
              (run["dram_bytes"].get<double>() + 32 * run["instructions"].get<double>()) * 8e-9, 1e-12);
  EXPECT_GT(energy["macs_mj"], 0);
  EXPECT_DOUBLE_EQ(run["energy_mj"].get<double>(),
                   energy["macs_mj"].get<double>() + energy["dram_mj"].get<double>());
  // A configuration's own word is looked for beside it, that of --set where the command runs.
  WriteChanged("configs/tiny.yaml", "tables/tiny.yaml", "clock_mhz: 100", "energy: mine\nclock_mhz: 100");
  EXPECT_EQ(Json("run mlp --config=tables/tiny.yaml --timing-only")["energy_mj"], run["energy_mj"]);
  EXPECT_EQ(Json("run mlp --config=tiny.yaml --set energy=tables/mine.yaml --timing-only")["energy_mj"],
            run["energy_mj"]);
}

TEST_F(EnergyOfRuns, ATableOfAccelergysBehindAnotherIsPartOfTheSweep) {
  Write("ert.yaml", kErt);
  Write("mine.yaml", kMap);
  const std::string sweep =
      "sweep mlp --config=tiny.yaml --set energy=mine.yaml --set clock_mhz=90,100 --db=s.sqlite";
  EXPECT_THAT(Good(sweep).out, HasSubstr("energy est mJ"));
  EXPECT_THAT(Good(sweep).out, HasSubstr("2 done"));
  Write("ert.yaml", testing::ReplaceAll(kErt, "energy: 2.0", "energy: 3.0"));
  EXPECT_THAT(ErrorOf(sweep), HasSubstr("s.sqlite holds another sweep"));
}

TEST_F(EnergyOfRuns, MistakesAreSaid) {
  EXPECT_THAT(ErrorOf("run mlp --config=tiny.yaml --energy=54nm"), HasSubstr("did you mean '45nm'?"));
  EXPECT_THAT(ErrorOf("run mlp --config=tiny.yaml --set energy=54nm"), HasSubstr("did you mean '45nm'?"));
  EXPECT_THAT(ErrorOf("run mlp --config=tiny.yaml --device=functional --energy"),
              HasSubstr("--energy: the functional"));
  EXPECT_THAT(ErrorOf("run mlp --device=host --energy"), HasSubstr("--energy: the host device"));
  Write("bad.yaml", testing::ReplaceAll(kOneTable, "dram:", "drum:"));
  EXPECT_THAT(ErrorOf("run mlp --config=tiny.yaml --energy=bad.yaml"),
              HasSubstr("bad.yaml:5:1: error[E0005]"));
  EXPECT_THAT(Good("sweep mlp --config=tiny.yaml --set energy=54nm").out, HasSubstr("failed: "));
}

}  // namespace
}  // namespace cosim::cli
