// SPDX-License-Identifier: Apache-2.0
// cosim run: the JSON's keys, sums that have to agree, and that two runs of one command print one thing.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/command.h"

namespace cosim::cli::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using Json = nlohmann::json;

std::vector<std::string> Keys(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

class Run : public Command {
 protected:
  Json Report(const std::string& arguments) {
    const Outcome outcome = Command::Run("run " + arguments + " --json=-");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    Json json = Json::parse(outcome.out, nullptr, /*allow_exceptions=*/false);
    EXPECT_FALSE(json.is_discarded()) << outcome.out;
    return json;
  }
};

TEST_F(Run, JsonHasTheKeysOfTheInterface) {
  const Json json = Report("small_cnn --config=tiny.yaml");
  EXPECT_THAT(
      Keys(json),
      IsSupersetOf({"schema",       "end_to_end",  "warnings", "macs_host", "network",   "config", "isa",
                    "fingerprint",  "device",      "seed",     "cycles",    "clock_mhz", "ms",     "macs",
                    "ideal_cycles", "utilization", "outputs",  "layers",    "ledger",    "host"}));
  EXPECT_THAT(Keys(json["outputs"]), IsSupersetOf({"values", "mismatches"}));
  ASSERT_FALSE(json["layers"].empty());
  for (const Json& layer : json["layers"]) {
    EXPECT_THAT(Keys(layer), IsSupersetOf({"name", "op", "where", "reason", "macs", "cycles", "ideal_cycles",
                                           "utilization", "dram_bytes"}));
  }
  ASSERT_EQ(json["ledger"].size(), 4u);
  for (const Json& row : json["ledger"]) {
    EXPECT_THAT(Keys(row),
                IsSupersetOf({"busy", "wait_push", "wait_token", "wait_port", "wait_memory", "idle"}));
  }
  EXPECT_THAT(Keys(json["host"]), IsSupersetOf({"quantize_s", "compile_s", "simulate_s", "check_s",
                                                "cpu_fallback_s", "peak_rss_mb"}));
  EXPECT_EQ(json["network"], "small_cnn");
  EXPECT_EQ(json["config"], "tiny");
  EXPECT_EQ(json["isa"], "cosim");
  EXPECT_EQ(json["outputs"]["mismatches"], 0);
  EXPECT_EQ(json["outputs"]["values"], 10);
}

TEST_F(Run, LedgerRowsAndLayersAddUpToTheCycles) {
  for (const std::string isa : {"cosim", "vta"}) {
    const Json json = Report("small_cnn --config=tiny.yaml --isa=" + isa);
    const int64_t cycles = json["cycles"];
    ASSERT_GT(cycles, 0);
    int64_t layers = 0, macs = 0;
    for (const Json& layer : json["layers"]) {
      layers += layer["cycles"].get<int64_t>();
      macs += layer["macs"].get<int64_t>();
    }
    EXPECT_EQ(layers, cycles) << isa;
    EXPECT_EQ(macs, json["macs"]) << isa;
    for (const auto& [unit, row] : json["ledger"].items()) {
      int64_t sum = row["busy"].get<int64_t>() + row["wait_push"].get<int64_t>() +
                    row["wait_port"].get<int64_t>() + row["wait_memory"].get<int64_t>() +
                    row["idle"].get<int64_t>();
      for (const auto& [queue, wait] : row["wait_token"].items()) sum += wait.get<int64_t>();
      EXPECT_EQ(sum, cycles) << isa << " " << unit;
    }
  }
}

TEST_F(Run, CpuLayersSayWhy) {
  const Json json = Report("small_cnn --config=tiny.yaml --isa=vta");
  int fallbacks = 0;
  for (const Json& layer : json["layers"]) {
    if (layer["where"] != "cpu") continue;
    ++fallbacks;
    EXPECT_NE(layer["reason"], "") << layer["name"];
    EXPECT_EQ(layer["cycles"], 0);
  }
  EXPECT_GT(fallbacks, 0);
}

TEST_F(Run, TwoRunsReportTheSame) {
  Json first = Report("small_cnn --config=tiny.yaml --check=layers");
  Json second = Report("small_cnn --config=tiny.yaml --check=layers");
  for (Json* report : {&first, &second}) {
    report->erase("host");
    for (Json& layer : (*report)["layers"]) layer.erase("measured_ms");
  }
  EXPECT_EQ(first, second);
}

TEST_F(Run, TimingOnlyCountsTheCyclesOfTheFullRun) {
  const Json full = Report("small_cnn --config=tiny.yaml");
  const Json timing = Report("small_cnn --config=tiny.yaml --timing-only");
  EXPECT_EQ(timing["cycles"], full["cycles"]);
  EXPECT_EQ(timing["ledger"], full["ledger"]);
}

TEST_F(Run, FunctionalDeviceChecksWithoutCycles) {
  const Json json = Report("mlp --config=tiny.yaml --device=functional");
  EXPECT_EQ(json["outputs"]["mismatches"], 0);
  EXPECT_EQ(json["cycles"], 0);
}

TEST_F(Run, SettingALatencyChangesTheCycles) {
  EXPECT_GT(Report("mlp --config=tiny.yaml --set memory.latency=200")["cycles"],
            Report("mlp --config=tiny.yaml")["cycles"]);
}

TEST_F(Run, TableEndsInTheVerdict) {
  const Outcome outcome = Command::Run("run mlp --config=tiny.yaml --check=layers");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");  // no progress where there is no terminal
  EXPECT_THAT(outcome.out, HasSubstr("\nlayers: "));
  EXPECT_THAT(outcome.out,
              HasSubstr(" 0 mismatches against golden\noutputs: 10 values, 0 mismatches against golden\n"));
}

TEST_F(Run, WritesTheReportWholeAndNothingElse) {
  const Outcome outcome = Command::Run("run mlp --config=tiny.yaml --json=r.json");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(Files(), std::set<std::string>{"r.json"});
  EXPECT_EQ(Json::parse(ReadFile(folder_ / "r.json"))["network"], "mlp");
}

}  // namespace
}  // namespace cosim::cli::testing
