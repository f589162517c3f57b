// SPDX-License-Identifier: Apache-2.0
// What a report says of itself: files and digests, --set, fingerprints, and what the memory may do to it.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/command.h"
#include "tests/import/testing.h"

namespace cosim::cli::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

class Provenance : public Command {
 protected:
  Json Report(const std::string& arguments) {
    const Outcome outcome = Run("run " + arguments + " --timing-only --json=-");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return Json::parse(outcome.out, nullptr, /*allow_exceptions=*/false);
  }
  /// As coreutils sees it.
  std::string Sha256(const std::filesystem::path& file) {
    const Outcome outcome = Shell("sha256sum '" + file.string() + "'");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out.substr(0, 64);
  }
  std::string Fingerprint(const std::string& of, const std::string& arguments) {
    return Report(arguments)["provenance"][of + "_fingerprint"];
  }
};

TEST_F(Provenance, NamesFilesAndOverrides) {
  const Json json = Report("mlp --config=tiny.yaml --set memory.latency=17")["provenance"];
  const std::filesystem::path source = COSIM_SOURCE_DIR;
  EXPECT_EQ(json["isa"]["name"], "cosim");
  EXPECT_EQ(json["isa"]["sha256"], Sha256(source / "isa" / "cosim.yaml"));
  EXPECT_EQ(json["config"]["name"], "tiny");
  EXPECT_EQ(json["config"]["sha256"], Sha256(source / "configs" / "tiny.yaml"));
  EXPECT_EQ(json["set"], Json({"memory.latency=17"}));
  EXPECT_THAT(json["version"], ::testing::StartsWith("cosim "));
  EXPECT_THAT(Run("version").out, HasSubstr("(commit " + json["commit"].get<std::string>() + ")"));
}

TEST_F(Provenance, IsInWhatSynthAndExplainWriteToo) {
  const Json run = Report("mlp --config=tiny.yaml")["provenance"];
  for (const char* partition : {"", " --partition"}) {
    const Outcome outcome = Run(std::string("explain mlp --config=tiny.yaml --json=-") + partition);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(Json::parse(outcome.out)["provenance"], run) << partition;
  }
}

TEST_F(Provenance, EditedIsasSaySo) {
  WriteChanged("isa/cosim.yaml", "cosim.yaml", "latency: 6 + alu_stages", "latency: 7 + alu_stages");
  const Json json = Report("mlp --config=tiny.yaml --isa=cosim.yaml");
  EXPECT_EQ(json["isa"], "cosim (edited)");
  EXPECT_EQ(json["provenance"]["isa"]["name"], "cosim (edited)");
  EXPECT_EQ(json["provenance"]["isa"]["file"], "cosim.yaml");
  EXPECT_THAT(Run("run mlp --config=tiny.yaml --isa=cosim.yaml --timing-only").out,
              HasSubstr("\nmlp on tiny (cosim (edited)), cycle device"));
}

TEST_F(Provenance, HardwareIsWhatSelectsTheRtl) {
  const std::string plain = Fingerprint("hardware", "mlp --config=pynq.yaml");
  for (const char* same : {"--set memory.latency=80", "--set clock_mhz=50", "--seed=2", "--virtual-threads=1",
                           "--memory=high", "--set board=none"})
    EXPECT_EQ(Fingerprint("hardware", std::string("mlp --config=pynq.yaml ") + same), plain) << same;
  for (const char* other : {"--set parameters.tokens=8", "--set memory.outstanding=4",
                            "--set hardware.lut_inputs=4", "--isa=vta"})
    EXPECT_NE(Fingerprint("hardware", std::string("mlp --config=pynq.yaml ") + other), plain) << other;
}

TEST_F(Provenance, ExperimentIsAllThatMovesCyclesOrMilliseconds) {
  const std::string plain = Fingerprint("experiment", "mlp --config=pynq.yaml");
  EXPECT_EQ(Fingerprint("experiment", "mlp --config=pynq.yaml --set board=none --set doc=other"), plain);
  for (const char* other :
       {"--set memory.latency=80", "--set clock_mhz=50", "--seed=2", "--virtual-threads=1", "--memory=high",
        "--set parameters.tokens=8", "--set host.clock_mhz=500"})
    EXPECT_NE(Fingerprint("experiment", std::string("mlp --config=pynq.yaml ") + other), plain) << other;
  EXPECT_NE(Fingerprint("experiment", "small_cnn --config=pynq.yaml"), plain);
}

TEST_F(Provenance, AShapeIsPartOfTheExperiment) {
  COSIM_NEED_DATA();
  const std::string model =
      std::filesystem::absolute(import::DataFolder()).string() + "/onnx/micro_kws_qdq.onnx";
  const std::string one = Fingerprint("experiment", model + " --shape=unk__68=1");
  EXPECT_EQ(Fingerprint("experiment", model + " --shape=unk__68=1"), one);
  EXPECT_NE(Fingerprint("experiment", model + " --shape=unk__68=2"), one);
}

TEST_F(Provenance, ModulesSayWhereTheyComeFrom) {
  const Outcome compiled = Run("compile mlp --config=tiny.yaml --set memory.latency=17 -o m.cosim");
  ASSERT_EQ(compiled.status, 0) << compiled.err;
  EXPECT_THAT(compiled.out, HasSubstr(", --set memory.latency=17\nfingerprints: hardware "));
  const Json module = Report("m.cosim")["provenance"],
             network = Report("mlp --config=tiny.yaml --set memory.latency=17")["provenance"];
  for (const char* key : {"isa", "config"}) {
    EXPECT_EQ(module[key]["name"], network[key]["name"]);
    EXPECT_EQ(module[key]["sha256"], network[key]["sha256"]);
  }
  EXPECT_EQ(module["set"], network["set"]);
  EXPECT_EQ(module["hardware_fingerprint"], network["hardware_fingerprint"]);
}

// The band's ends are what the network takes behind that memory, when its schedules do not change with it.
TEST_F(Provenance, TotalsHaveTheBandOfTheMemory) {
  const Json typical = Report("mlp --config=pynq.yaml"), low = Report("mlp --config=pynq.yaml --memory=low"),
             high = Report("mlp --config=pynq.yaml --memory=high");
  EXPECT_EQ(typical["memory"]["setting"], "typical");
  EXPECT_LT(typical["memory"]["low_cycles"], typical["cycles"]);
  EXPECT_GT(typical["memory"]["high_cycles"], typical["cycles"]);
  EXPECT_DOUBLE_EQ(typical["memory"]["band_ms"][1].get<double>(),
                   typical["memory"]["high_cycles"].get<double>() / 1e5);
  const Json& times = typical["end_to_end"];
  EXPECT_DOUBLE_EQ(typical["memory"]["frame_band_ms"][1].get<double>(),
                   typical["memory"]["band_ms"][1].get<double>() +
                       (times["host_ms"].get<double>() + times["copies_ms"].get<double>()));
  EXPECT_LE(low["cycles"], typical["memory"]["low_cycles"]);
  EXPECT_LE(high["cycles"], typical["memory"]["high_cycles"]);
  EXPECT_GT(high["cycles"], typical["cycles"]);
  EXPECT_EQ(high["memory"], Json({{"setting", "high"}})) << "of a chosen memory there is no band";
}

TEST_F(Provenance, ABandIsPrintedOnlyWhereThereIsOne) {
  EXPECT_THAT(
      Run("run mlp --config=pynq.yaml --timing-only").out,
      ::testing::ContainsRegex("total: [0-9,]+ cycles, [0-9.]+ ms, [0-9.]+ to [0-9.]+ by its memory, at"));
  EXPECT_THAT(Run("run mlp --config=pynq.yaml --timing-only").out,
              ::testing::ContainsRegex("\nframe: .* = [0-9.]+ ms, [0-9.]+ to [0-9.]+ by its memory"));
  EXPECT_THAT(Run("run mlp --config=tiny.yaml --timing-only").out, Not(HasSubstr("by its memory")));
  EXPECT_FALSE(Report("mlp --config=tiny.yaml")["memory"].contains("low_cycles"));
}

TEST_F(Provenance, ModulesRunBehindAnyMemory) {
  ASSERT_EQ(Run("compile mlp --config=pynq.yaml -o m.cosim").status, 0);
  const Json typical = Report("m.cosim"), high = Report("m.cosim --memory=high");
  EXPECT_EQ(high["cycles"], typical["memory"]["high_cycles"]) << "the same programs";
}

TEST_F(Provenance, RefusesMemoriesThatThereAreNot) {
  EXPECT_EQ(ErrorOf("run mlp --memory=worst"),
            "cosim: error: --memory=worst: not one of low, typical, high\n");
  EXPECT_EQ(ErrorOf("run mlp --config=tiny.yaml --memory=high"),
            "--set memory.setting=high: error[E0007]: 'memory' has no 'high' to be set to\n");
  EXPECT_EQ(ErrorOf("run mlp --set board=zcu104"),
            R"(--set board=zcu104: error[E0013]: there is no board 'zcu104'
  hint: known here: pynq, ultra96, none
)");
}

}  // namespace
}  // namespace cosim::cli::testing
