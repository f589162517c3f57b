// SPDX-License-Identifier: Apache-2.0
// The total of `cosim run`: what the host takes is in it, broken designs are not the best ones, nothing is
// above 100 %, and --require refuses.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/command.h"

namespace cosim::cli::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

class Totals : public Command {
 protected:
  Json Report(const std::string& arguments) {
    Json json = Json::parse(Good("run " + arguments + " --json=-").out, nullptr, false);
    EXPECT_FALSE(json.is_discarded()) << arguments;
    return json;
  }

  static std::vector<std::string> Kinds(const Json& report) {
    std::vector<std::string> kinds;
    for (const Json& warning : report["warnings"]) kinds.push_back(warning["kind"]);
    return kinds;
  }

  static void ExpectAtMostAll(const Json& report) {
    EXPECT_LE(report["utilization"], 1.0);
    for (const Json& layer : report["layers"]) EXPECT_LE(layer["utilization"], 1.0) << layer["name"];
  }

  // `design`, against the same network on pynq.yaml as it is.
  void ExpectWorse(const std::string& network, const std::string& design) {
    const Json honest = Report(network), broken = Report(network + " " + design);
    EXPECT_GT(broken["end_to_end"]["frame_ms"], honest["end_to_end"]["frame_ms"]) << design;
    EXPECT_GT(broken["macs_host"], 0) << design;
    EXPECT_EQ(honest["macs_host"], 0);
    EXPECT_THAT(Kinds(broken), Contains("host_macs")) << design;
    ExpectAtMostAll(broken);
    ExpectAtMostAll(honest);
    const Outcome refused = Run("run " + network + " " + design + " --require=macs");
    EXPECT_EQ(refused.status, 1);
    EXPECT_THAT(refused.err, AllOf(HasSubstr("--require=macs: "), HasSubstr(" MACs run on the host: ")));
    EXPECT_THAT(refused.out, HasSubstr("\nwarning: "));
    EXPECT_EQ(Run("run " + network + " --require=macs").status, 0);
  }
};

TEST_F(Totals, AnIsaWithoutRequantizationIsNoBetter) {
  std::string isa = ReadFile(std::filesystem::path(COSIM_SOURCE_DIR) / "isa/cosim.yaml");
  const size_t begin = isa.find("\n  requant:\n"), end = isa.find("\n  requant_acc:\n");
  ASSERT_LT(begin, end);
  ASSERT_NE(end, std::string::npos);
  Write("less.yaml", isa.erase(begin, end - begin));
  ExpectWorse("small_cnn", "--isa=less.yaml");
}

TEST_F(Totals, AnArrayThatNothingFitsIsNoBetter) {
  ExpectWorse("small_cnn", "--set parameters.inp_bits=4 --set parameters.wgt_bits=4");
}

TEST_F(Totals, NothingOnTheAcceleratorIsSaid) {
  const std::string design = "small_cnn --set parameters.inp_bits=4 --set parameters.wgt_bits=4";
  EXPECT_THAT(Kinds(Report(design)), Contains("nothing_on_accelerator"));
  EXPECT_THAT(Good("run " + design).out, HasSubstr("\nwarning: nothing runs on the accelerator; of "));
}

TEST_F(Totals, TheFrameIsTheAcceleratorsTimeAndTheHosts) {
  const Json report = Report("small_cnn --isa=vta");
  const Json& times = report["end_to_end"];
  EXPECT_EQ(times["accelerator_ms"], report["ms"]);
  EXPECT_EQ(times["host_model"], "estimate: one of 2 cortex-a9 at 650 MHz");
  const double accelerator = times["accelerator_ms"], host = times["host_ms"];
  EXPECT_GT(host, 0);
  EXPECT_EQ(times["copies_model"], "estimate: at 70 MB/s, uncached");
  const double copies = times["copies_ms"];
  EXPECT_GT(copies, 0);
  EXPECT_DOUBLE_EQ(times["frame_ms"], accelerator + (host + copies));
  EXPECT_DOUBLE_EQ(times["pipelined_frames_per_s"], 1000 / std::max(accelerator, host + copies));
  double layers = 0;
  for (const Json& layer : report["layers"])
    if (layer["where"] == "cpu") layers += layer["host_ms"].get<double>();
  EXPECT_NEAR(layers, host, 1e-9);
  EXPECT_EQ(report["schema"], 3);
}

TEST_F(Totals, AModuleHasTheTimesOfItsNetwork) {
  Good("compile small_cnn --isa=vta -o m.cosim");
  EXPECT_EQ(Report("m.cosim")["end_to_end"], Report("small_cnn --isa=vta")["end_to_end"]);
}

TEST_F(Totals, AHostTwiceAsFastTakesHalfTheTime) {
  const Json slow = Report("mlp"), fast = Report("mlp --set host.clock_mhz=1300");
  EXPECT_DOUBLE_EQ(slow["end_to_end"]["host_ms"].get<double>(),
                   2 * fast["end_to_end"]["host_ms"].get<double>());
  EXPECT_EQ(slow["end_to_end"]["copies_ms"], fast["end_to_end"]["copies_ms"])
      << "memory is as slow as before";
  EXPECT_EQ(slow["fingerprint"], fast["fingerprint"]);
}

TEST_F(Totals, WithoutAHostItsTimeIsUnknown) {
  const Json report = Report("mlp --config=test/lanes16.yaml");
  EXPECT_TRUE(report["end_to_end"]["host_ms"].is_null());
  EXPECT_TRUE(report["end_to_end"]["frame_ms"].is_null());
  EXPECT_TRUE(report["end_to_end"]["host_model"].is_null());
  EXPECT_TRUE(report["end_to_end"]["copies_ms"].is_null());
  EXPECT_GT(report["end_to_end"]["accelerator_ms"], 0);
  EXPECT_THAT(Good("run mlp --config=test/lanes16.yaml").out, HasSubstr("an unknown time on the host"));
}

TEST_F(Totals, ADeviceWithoutTimingSaysSo) {
  const Json report = Report("mlp --device=functional");
  EXPECT_TRUE(report["end_to_end"]["accelerator_ms"].is_null());
  EXPECT_TRUE(report["end_to_end"]["frame_ms"].is_null());
}

TEST_F(Totals, RequireAllRefusesLayoutsToo) {
  EXPECT_EQ(Run("run mlp --require=macs").status, 0);
  const Outcome refused = Run("run mlp --require=all");
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("--require=all: "), HasSubstr("run on the host: ")));
  EXPECT_THAT(ErrorOf("run mlp --require=some"), HasSubstr("--require=some: not one of macs, all"));
}

TEST_F(Totals, PartsThatNothingUsesAreNamed) {
  const std::string out = Good("run mlp").out;
  EXPECT_THAT(out, HasSubstr("warning: the program never uses the ALU ops "));
  EXPECT_THAT(out, Not(HasSubstr("never uses the unit")));
}

}  // namespace
}  // namespace cosim::cli::testing
