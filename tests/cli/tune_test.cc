// SPDX-License-Identifier: Apache-2.0
// cosim tune as users type it, and what run, compile and other verbs make of its log.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/cli/command.h"

namespace cosim::cli {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class TuneCommand : public testing::Command {};

TEST_F(TuneCommand, RunTakesWhatItFound) {
  const auto outcome = Good("tune mlp --config=tiny.yaml --trials=24 --db=t.tuning --json=t.json");
  EXPECT_THAT(outcome.out, HasSubstr("cosim run mlp --config=tiny.yaml --tuned=t.tuning takes them"));
  const json tuned = json::parse(testing::ReadFile(folder_ / "t.json"));
  EXPECT_LE(tuned["cycles"], tuned["untuned_cycles"]);
  EXPECT_GT(tuned["trials"], 0);
  const json run = json::parse(Good("run mlp --config=tiny.yaml --tuned=t.tuning --json=-").out);
  EXPECT_EQ(run["cycles"], tuned["cycles"]);
  const json plain = json::parse(Good("run mlp --config=tiny.yaml --json=-").out);
  EXPECT_EQ(plain["cycles"], tuned["untuned_cycles"]);
  EXPECT_NE(run["provenance"]["experiment_fingerprint"], plain["provenance"]["experiment_fingerprint"]);
  EXPECT_TRUE(run["provenance"].contains("tuned_schedules_sha256"));
  EXPECT_FALSE(plain["provenance"].contains("tuned_schedules_sha256"));
  Good("compile mlp --config=tiny.yaml --tuned=t.tuning -o m.cosim");
  EXPECT_EQ(json::parse(Good("run m.cosim --json=-").out)["cycles"], tuned["cycles"]);
}

TEST_F(TuneCommand, LogsAreForOneNetworkOnOneHardware) {
  Good("tune mlp --config=tiny.yaml --trials=2 --db=t.tuning");
  EXPECT_THAT(ErrorOf("run mlp --config=tiny.yaml --set memory.latency=99 --tuned=t.tuning"),
              HasSubstr("it has no schedules of this network for this hardware"));
  EXPECT_THAT(ErrorOf("run small_cnn --config=tiny.yaml --tuned=t.tuning"),
              HasSubstr("it has mlp on tiny (cosim)"));
  EXPECT_THAT(ErrorOf("run mlp --config=tiny.yaml --tuned=none.tuning"), HasSubstr("no such file"));
  Write("text.tuning", "text");
  EXPECT_THAT(ErrorOf("tune mlp --config=tiny.yaml --db=text.tuning"), HasSubstr("text.tuning"));
}

TEST_F(TuneCommand, MistakesAreErrors) {
  EXPECT_THAT(ErrorOf("tune mlp --config=tiny.yaml --method=guess"),
              HasSubstr("ranker, genetic, analytic, random"));
  EXPECT_THAT(ErrorOf("tune mlp --config=tiny.yaml --trials=0"), HasSubstr("--trials"));
  EXPECT_THAT(ErrorOf("tune mlp --config=tiny.yaml --layer=none --db=t.tuning"), HasSubstr("is not a layer"));
  EXPECT_THAT(ErrorOf("tune mlp --device=fpga"), HasSubstr("cycle or host"));
  EXPECT_THAT(ErrorOf("tune mlp --config=tiny.yaml --float32"), HasSubstr("--device=host"));
  EXPECT_THAT(ErrorOf("tune mlp --device=host --config=tiny.yaml"), HasSubstr("has no accelerator"));
  EXPECT_THAT(ErrorOf("tune mlp --device=host --host-target=none"), HasSubstr("x86-64-v3"));
  EXPECT_THAT(ErrorOf("tune mlp --device=host --layer=none --db=t.tuning"), HasSubstr("is no layer"));
  EXPECT_THAT(Files(), ::testing::IsEmpty());  // no log that was made in vain
}

TEST_F(TuneCommand, SchedulesOfThisMachineAreForTheHostDevice) {
  const auto outcome = Good("tune small_cnn --device=host --float32 --trials=6 --db=h.tuning --json=h.json");
  EXPECT_THAT(outcome.out, HasSubstr("--device=host --float32 --tuned=h.tuning takes them"));
  const json tuned = json::parse(testing::ReadFile(folder_ / "h.json"));
  EXPECT_GT(tuned["untuned_ms"], 0);
  EXPECT_LE(tuned["ratio"], 1);
  const bool gains = std::ranges::any_of(tuned["workloads"], [](const json& each) { return each["taken"]; });
  const std::string run = "run small_cnn --device=host --float32 --tuned=h.tuning";
  if (gains) EXPECT_THAT(Good(run).out, HasSubstr("0 mismatches"));
  if (!gains) EXPECT_THAT(ErrorOf(run), HasSubstr("it has no schedules of"));
  EXPECT_THAT(ErrorOf("run small_cnn --config=tiny.yaml --tuned=h.tuning"), HasSubstr("it is empty"));
}

}  // namespace
}  // namespace cosim::cli
