// SPDX-License-Identifier: Apache-2.0
// cosim run --device=host: checked outputs, times that agree with each other, and what has no place there.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/command.h"

namespace cosim::cli::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::json;

class HostDevice : public Command {
 protected:
  Json Report(const std::string& arguments) {
    const Outcome outcome = Good("run " + arguments + " --device=host --repeat=3 --json=-");
    Json json = Json::parse(outcome.out, nullptr, /*allow_exceptions=*/false);
    EXPECT_FALSE(json.is_discarded()) << outcome.out;
    return json;
  }
};

TEST_F(HostDevice, RunsNetworksOfTheZooQuantizedAndNot) {
  for (const std::string options : {"", " --float32", " --activation-bits=16"}) {
    const Json json = Report("small_cnn --check=layers" + options);
    EXPECT_EQ(json["outputs"]["values"], 10) << options;
    EXPECT_EQ(json["outputs"]["mismatches"], 0) << options;
    ASSERT_FALSE(json["checked_layers"].empty()) << options;
    for (const Json& layer : json["checked_layers"]) EXPECT_EQ(layer["mismatches"], 0) << options << layer;
  }
}

TEST_F(HostDevice, LayersAreOnTheHostAndNoLongerThanTheRun) {
  const Json json = Report("small_cnn");
  double sum = 0;
  int64_t macs = 0;
  ASSERT_FALSE(json["layers"].empty());
  for (const Json& layer : json["layers"]) {
    EXPECT_EQ(layer["where"], "cpu");
    sum += layer["measured_ms"].get<double>();
    macs += layer["macs"].get<int64_t>();
    if (layer["macs"] != 0) {
      EXPECT_NEAR(layer["gops"].get<double>(),
                  2e-6 * layer["macs"].get<double>() / layer["measured_ms"].get<double>(), 1e-3);
      EXPECT_NEAR(json["threads"].get<double>() * layer["peak_share"].get<double>() *
                      json["peak"]["integer_gops"].get<double>(),
                  layer["gops"].get<double>(), 1e-6);
    }
  }
  EXPECT_EQ(macs, json["macs"]);
  EXPECT_LE(sum, json["latency_ms"]["min"]);
  EXPECT_LE(json["latency_ms"]["min"], json["latency_ms"]["median"]);
  EXPECT_GT(json["cpu_ms"], 0);
  EXPECT_EQ(json["repeat"], 3);
}

TEST_F(HostDevice, ThreadsShareTheLoopsOfANetworkAndChangeNothing) {
  for (const int threads : {1, 2, 5}) {
    const Json json = Report("small_cnn --check=layers --threads=" + std::to_string(threads));
    EXPECT_EQ(json["threads"], threads);
    EXPECT_EQ(json["outputs"]["mismatches"], 0);
    for (const Json& layer : json["checked_layers"]) EXPECT_EQ(layer["mismatches"], 0) << layer;
  }
  EXPECT_THAT(Good("run mlp --device=host --repeat=1 --threads=2").out,
              HasSubstr("behind a warm-up on 2 threads"));
}

TEST_F(HostDevice, LayersOfFloatsAreHeldAgainstThePeakOfFloats) {
  const Json json = Report("mlp --float32");
  for (const Json& layer : json["layers"])
    if (layer["macs"] != 0) {
      EXPECT_NEAR(json["threads"].get<double>() * layer["peak_share"].get<double>() *
                      json["peak"]["float_gops"].get<double>(),
                  layer["gops"].get<double>(), 1e-6);
    }
}

TEST_F(HostDevice, TableEndsInTheVerdict) {
  const Outcome outcome = Good("run mlp --device=host --repeat=1");
  EXPECT_THAT(outcome.out, HasSubstr("ms median of 1 run behind a warm-up on "));
  EXPECT_THAT(outcome.out, HasSubstr("peak, measured at the start on one thread: "));
  EXPECT_THAT(outcome.out, ::testing::EndsWith("outputs: 10 values, 0 mismatches against golden\n"));
}

TEST_F(HostDevice, RefusesWhatIsAnAccelerators) {
  for (const std::string option :
       {"config=tiny.yaml", "isa=vta", "frames=2", "virtual-threads=1", "require=all"})
    EXPECT_EQ(ErrorOf("run mlp --device=host --" + option),
              "cosim: error: --" + option.substr(0, option.find('=')) +
                  ": the host device has no accelerator\n"
                  "  hint: leave it out, or use --device=cycle\n");
  EXPECT_THAT(ErrorOf("run mlp.cosim --device=host"), HasSubstr("is a module, compiled for an accelerator"));
  EXPECT_EQ(ErrorOf("run mlp --repeat=3"), "cosim: error: --repeat is for --device=host and boards\n");
  EXPECT_EQ(ErrorOf("run mlp --threads=2"), "cosim: error: --threads is for --device=host\n");
  EXPECT_EQ(ErrorOf("run mlp --float32"), "cosim: error: --float32 is for --device=host\n");
}

TEST_F(HostDevice, RefusesNumbersOutOfRange) {
  EXPECT_THAT(ErrorOf("run mlp --device=host --repeat=0"), StartsWith("cosim: error: --repeat: from 1 to "));
  for (const std::string threads : {"0", "1000000"})
    EXPECT_THAT(ErrorOf("run mlp --device=host --threads=" + threads),
                StartsWith("cosim: error: --threads: from 1 to "));
  EXPECT_THAT(ErrorOf("run mlp --device=host --activation-bits=4"), HasSubstr("8 or 16"));
  EXPECT_THAT(ErrorOf("run mlp --device=host --float32 --activation-bits=8"),
              HasSubstr("nothing is quantized"));
  EXPECT_THAT(ErrorOf("run mpl --device=host"), HasSubstr("did you mean 'mlp'?"));
}

TEST_F(HostDevice, TakesTargetsThatRunHereOnly) {
  EXPECT_EQ(Report("mlp --host-target=native")["outputs"]["mismatches"], 0);
  EXPECT_EQ(
      ErrorOf("run mlp --device=host --host-target=z80"),
      "cosim: error: --host-target=z80: not one of native, x86-64-v2, x86-64-v3, x86-64-v4, armv7, aarch64, "
      "aarch64-dotprod\n");
  EXPECT_THAT(ErrorOf("run mlp --device=host --host-target=aarch46"), HasSubstr("did you mean 'aarch64'?"));
  EXPECT_EQ(ErrorOf("run mlp --host-target=x86-64-v2"), "cosim: error: --host-target is for --device=host\n");
  if (ReadFile("/proc/sys/kernel/arch") != "x86_64\n") GTEST_SKIP() << "this machine is no x86-64";
  EXPECT_EQ(ErrorOf("run mlp --device=host --host-target=armv7"),
            "cosim: error: --host-target=armv7: this machine does not run such code\n"
            "  hint: `cosim compile --host-target=armv7` makes a module for one that does\n");
}

// The pooling of vta.yaml's small network is the host's.
TEST_F(HostDevice, ModulesForOtherMachinesSaySo) {
  if (ReadFile("/proc/sys/kernel/arch") != "x86_64\n") GTEST_SKIP() << "this machine is no x86-64";
  for (const auto& [target, architecture] :
       {std::pair("armv7", "arm"), std::pair("aarch64-dotprod", "aarch64")}) {
    const Outcome made = Good(
        std::string("compile small_cnn --config=tiny.yaml --isa=vta -o m.cosim --host-target=") + target);
    EXPECT_THAT(made.out, HasSubstr(std::string("(") + architecture + " " + target + ")"));
    EXPECT_THAT(ErrorOf("run m.cosim"),
                HasSubstr(std::string("its CPU code is for ") + architecture + ", this machine is x86_64"));
    EXPECT_EQ(Run("run m.cosim --timing-only").status, 0);
  }
}

}  // namespace
}  // namespace cosim::cli::testing
