// SPDX-License-Identifier: Apache-2.0
// cosim sweep as users type it: its rows against `cosim run` of each point, and against a sweep that was
// killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/command.h"

namespace cosim::cli {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class SweepTest : public testing::Command {
 protected:
  json Json(const std::string& arguments) { return json::parse(Good(arguments + " --json=-").out); }
  json File(const std::string& name) { return json::parse(testing::ReadFile(folder_ / name)); }

  struct Seen {
    int done = 0, changed = 0;  ///< points; those whose layers are not as the one's before
  };
  /// Holds each point that is done against `cosim run` of it, with these options.
  Seen ExpectEachAsRun(const json& sweep, const std::string& options) {
    Seen seen;
    std::string layers;
    for (const json& point : sweep["points"]) {
      if (point["status"] != "done") continue;
      ++seen.done;
      std::string sets;
      for (const json& setting : point["settings"]) sets += " --set " + setting.get<std::string>();
      const json run = Json("run " + point["network"].get<std::string>() + " " + options + sets);
      const json& result = point["result"];
      for (const char* key :
           {"cycles", "ms", "ideal_cycles", "macs", "macs_host", "instructions", "dram_bytes", "utilization",
            "end_to_end", "ledger", "fingerprint", "isa", "configuration"})
        EXPECT_EQ(result[key], run[key]) << key << sets;
      for (const char* key : {"hardware_fingerprint", "experiment_fingerprint", "set"})
        EXPECT_EQ(result["provenance"][key], run["provenance"][key]) << key << sets;
      EXPECT_EQ(result["layers"].size(), run["layers"].size());
      for (size_t i = 0; i < std::min(result["layers"].size(), run["layers"].size()); ++i)
        for (const char* key : {"name", "where", "schedule", "cycles", "dram_bytes", "reason"})
          EXPECT_EQ(result["layers"][i][key], run["layers"][i][key]) << key << sets;
      const std::string now = result["layers"].dump();
      seen.changed += now != layers;
      layers = now;
    }
    return seen;
  }
};

/// A plan whose points change schedules, fail and are excluded.
constexpr const char* kSweptPlan = R"(networks: [small_cnn, mlp]
configs: tiny.yaml
list:
  - {name: as it is}
  - {name: one port, memory.outstanding: 1}
  - {name: VTA, isa: vta}
keys:
  parameters.block_out: [4, 8, 64]
  memory.latency: [20, 90]
where: parameters.block_out * 2 <= 100
)";

TEST_F(SweepTest, EachRowIsWhatRunSaysOfThePoint) {
  Write("plan.yaml", kSweptPlan);
  const json sweep = Json("sweep plan.yaml");
  ASSERT_EQ(sweep["points"].size(), 36u);
  // With data, which the sweep leaves out.
  const Seen seen = ExpectEachAsRun(sweep, "--config=tiny.yaml");
  EXPECT_GE(seen.done, 16);
  EXPECT_GE(seen.changed, 16);
}

/// Points of one process, which share more or less of what was compiled, by what differs.
TEST_F(SweepTest, RowsAreWhatRunSaysWhereSizesLanesAndQueuesDiffer) {
  const json small = Json(
      "sweep small_cnn --config=tiny.yaml --jobs=1 --sample=random --points=10 --sample-seed=5"
      " --set parameters.acc_bytes=2048,4096,8192 --set parameters.inp_bytes=1024,2048,4096"
      " --set parameters.wgt_bytes=2048,8192 --set parameters.alu_lanes=1,2,4 --set parameters.tokens=2,4,16"
      " --set parameters.commands=2,8 --set parameters.uop_bytes=1024,2048 --set memory.latency=20,200");
  Seen seen = ExpectEachAsRun(small, "--config=tiny.yaml --timing-only");
  EXPECT_GE(seen.done, 6);
  EXPECT_GE(seen.changed, 5);
  const json large = Json(
      "sweep resnet18 --jobs=1 --sample=random --points=3 --sample-seed=2 --set parameters.block_out=16,32"
      " --set parameters.acc_bytes=65536,131072 --set parameters.wgt_bytes=131072,262144"
      " --set parameters.alu_lanes=8,16 --set parameters.tokens=8,64 --set memory.latency_ns=200,800");
  seen = ExpectEachAsRun(large, "--timing-only");
  EXPECT_EQ(seen.done, 3);
  EXPECT_EQ(seen.changed, 3);
}

TEST_F(SweepTest, AccuracyIsAFigureOfEachPointAndAnObjective) {
  const std::string sweep =
      "sweep small_cnn --config=tiny.yaml --set parameters.wgt_bits=4,8 --set memory.latency=20,40";
  EXPECT_THAT(Good(sweep + " --accuracy=3 --db=a.sqlite --json=a.json").out, HasSubstr("SQNR dB"));
  std::map<std::string, std::set<double>> by_bits;
  const json rows = File("a.json");
  for (const json& point : rows["points"]) {
    EXPECT_EQ(point["result"]["accuracy"]["inputs"], 3);
    by_bits[point["settings"][0]].insert(point["result"]["accuracy"]["sqnr_db"].get<double>());
  }
  ASSERT_EQ(by_bits.size(), 2u);
  const auto &nibbles = by_bits["parameters.wgt_bits=4"], &bytes = by_bits["parameters.wgt_bits=8"];
  ASSERT_EQ(nibbles.size(), 1u) << "latency changes no value";
  ASSERT_EQ(bytes.size(), 1u);
  EXPECT_GT(*bytes.begin(), *nibbles.begin() + 6);
  std::set<int> front;
  const json pareto = Json("pareto a.sqlite --objectives=cycles,max:accuracy.sqnr_db");
  for (const json& point : pareto["networks"]["small_cnn"])
    if (point["on_front"].get<bool>()) front.insert(point["id"].get<int>());
  EXPECT_EQ(front, (std::set{1, 3}));  // of each width the one with the shorter latency
  EXPECT_THAT(Good(sweep).out, Not(HasSubstr("SQNR")));
}

TEST_F(SweepTest, PointsThatFailOrAreExcludedAreRows) {
  Write("plan.yaml", kSweptPlan);
  const std::string table = Good("sweep plan.yaml").out;
  EXPECT_THAT(table, HasSubstr("excluded: not parameters.block_out * 2 <= 100"));
  const json bad =
      Json("sweep mlp --config=tiny.yaml --set memory.latency=20,-3 --set parameters.acc_bytes=7,2048");
  ASSERT_EQ(bad["points"].size(), 4u);
  int failed = 0;
  for (const json& point : bad["points"]) {
    if (point["status"] == "done") continue;
    ++failed;
    EXPECT_TRUE(point["result"].is_null());
    EXPECT_THAT(point["diagnostic"].get<std::string>(), HasSubstr("error[E0"));
  }
  EXPECT_EQ(failed, 3);
}

TEST_F(SweepTest, KilledAndStartedAgainItGivesTheTableOfAnUnbrokenOne) {
  const std::string points =
      "sweep small_cnn --config=tiny.yaml --set memory.latency=20..200:10 --set parameters.block_out=4,8 "
      "--jobs=2";
  const testing::Outcome unbroken = Good(points + " --csv=whole.csv");
  int killed = 0;
  for (const char* after : {"0.1", "0.3", "0.2", "0.5", "0.15", "0.4"}) {
    const testing::Outcome part =
        Shell(std::string("timeout -s KILL ") + after + " " COSIM_BINARY " " + points + " --db=s.sqlite");
    killed += part.status != 0;
  }
  EXPECT_GE(killed, 1);
  const testing::Outcome resumed = Good(points + " --db=s.sqlite --csv=resumed.csv");
  EXPECT_EQ(resumed.out, unbroken.out);
  EXPECT_EQ(testing::ReadFile(folder_ / "resumed.csv"), testing::ReadFile(folder_ / "whole.csv"));
  EXPECT_THAT(resumed.out, HasSubstr("38 points: 38 done"));
}

TEST_F(SweepTest, ADatabaseHoldsOneSweep) {
  Good("sweep mlp --config=tiny.yaml --set memory.latency=20,40 --db=s.sqlite");
  EXPECT_THAT(ErrorOf("sweep mlp --config=tiny.yaml --set memory.latency=20,50 --db=s.sqlite"),
              HasSubstr("s.sqlite holds another sweep"));
  Write("text.sqlite", "nothing of the kind, at a length that a database would have");
  EXPECT_THAT(ErrorOf("sweep mlp --config=tiny.yaml --db=text.sqlite"),
              HasSubstr("is no database of a sweep"));
}

TEST_F(SweepTest, ADamagedResultIsAnEmptyOne) {
  const std::string sweep = "sweep mlp --config=tiny.yaml --set memory.latency=20,40 --db=s.sqlite";
  Good(sweep);
  const std::string whole = testing::ReadFile(folder_ / "s.sqlite"),
                    damaged = testing::ReplaceAll(whole, "{\"schema\":", "[\"schema\":");
  ASSERT_NE(whole, damaged);
  Write("s.sqlite", damaged);
  EXPECT_THAT(ErrorOf("compare s.sqlite:1 s.sqlite:2"), HasSubstr("is no JSON of `cosim run`"));
  EXPECT_THAT(ErrorOf("pareto s.sqlite"), HasSubstr("no point has a number 'frame_ms'"));
  EXPECT_THAT(Good(sweep).out, HasSubstr("2 points: 2 done"));
}

TEST_F(SweepTest, ASecondStartRunsNothingAgain) {
  const std::string sweep = "sweep mlp --config=tiny.yaml --set memory.latency=20,40 --db=s.sqlite --json=";
  Good(sweep + "a.json");
  Good(sweep + "b.json");
  EXPECT_EQ(File("a.json"), File("b.json"));
}

TEST_F(SweepTest, ChecksWithDataWhenAskedTo) {
  const json sweep = Json("sweep mlp --config=tiny.yaml --set memory.latency=20,40 --check");
  for (const json& point : sweep["points"]) {
    EXPECT_EQ(point["status"], "done");
    EXPECT_FALSE(point["result"]["timing_only"]);
    EXPECT_EQ(point["result"]["outputs"]["mismatches"], 0);
  }
}

TEST_F(SweepTest, TheSameSeedSamplesTheSamePoints) {
  const std::string sweep =
      "sweep mlp --config=tiny.yaml --set memory.latency=10..400 --sample=latin --points=6 --sample-seed=";
  EXPECT_EQ(Json(sweep + "4")["points"], Json(sweep + "4 --jobs=1")["points"]);
  EXPECT_NE(Json(sweep + "4")["points"], Json(sweep + "5")["points"]);
}

TEST_F(SweepTest, CsvHasOneLineAPointAndQuotesWhatNeedsIt) {
  const std::string csv = Good("sweep mlp --config=tiny.yaml --set memory.latency=20,-3 --csv=-").out;
  EXPECT_EQ(std::ranges::count(csv, '\r'), 3);
  EXPECT_THAT(csv, HasSubstr("\"--set memory.latency=-3: error[E0010]: 'latency' of 'memory' is -3, but"));
  EXPECT_THAT(csv, Not(HasSubstr("null")));
}

TEST_F(SweepTest, MistakesAreSaidBeforeAnythingRuns) {
  EXPECT_THAT(ErrorOf("sweep resnet81 --set memory.latency=20,40"), HasSubstr("error[E1006]"));
  EXPECT_THAT(ErrorOf("sweep mlp --config=nowhere.yaml"), HasSubstr("error[E0001]"));
  EXPECT_THAT(ErrorOf("sweep mlp --set memory.latency"), HasSubstr("not of the form key=value,value"));
  EXPECT_THAT(ErrorOf("sweep mlp --set memory.latency=20..40"), HasSubstr("error[E1002]"));
  EXPECT_THAT(ErrorOf("sweep mlp --set memory.latency=20..40 --sample=latin"), HasSubstr("error[E1003]"));
  EXPECT_THAT(ErrorOf("sweep mlp --where 'clok > 3'"), HasSubstr("error[E1005]"));
  EXPECT_THAT(ErrorOf("sweep mlp --sample=latine"), HasSubstr("not one of grid, random, latin"));
  EXPECT_THAT(ErrorOf("sweep nowhere.yaml"), HasSubstr("nowhere.yaml: error[E0001]"));
  Write("plan.yaml", kSweptPlan);
  EXPECT_THAT(ErrorOf("sweep plan.yaml --config=tiny.yaml"),
              HasSubstr("--config: that is the plan's to say"));
}

/// A Slurm that there is: tests/slurm.
TEST_F(SweepTest, WhatAClusterNeedsIsSaidBeforeAnythingRuns) {
  EXPECT_THAT(ErrorOf("sweep mlp --slurm"), HasSubstr("--db=FILE, where the nodes see its folder"));
  const testing::Outcome none = Shell("PATH=/nowhere " COSIM_BINARY " sweep mlp --slurm --db=s.sqlite");
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.err, HasSubstr("--slurm: there is no sbatch in $PATH"));
  Write("sbatch", "#!/bin/sh\necho no more today >&2; exit 1\n");
  Write("squeue", "#!/bin/sh\nexit 1\n");
  const std::string slurm = "chmod +x s*; PATH=$PWD:$PATH " COSIM_BINARY " sweep mlp --slurm --db=s.sqlite ";
  const auto error = [&](const std::string& options) { return Shell(slurm + options).err; };
  EXPECT_THAT(error("--shard=1/2"), HasSubstr("nothing left for --shard"));
  EXPECT_THAT(error("--slurm-tasks=1001"), HasSubstr("--slurm-tasks: from 1 to 1000"));
  EXPECT_THAT(error("--slurm-options='a\\b'"), HasSubstr("--slurm-options=a\\b: "));
  EXPECT_EQ(Files().count("s.sqlite"), 0u);
  EXPECT_THAT(error(""), HasSubstr("error: no more today"));
  EXPECT_EQ(Files().count("s.sqlite.slurm"), 0u);
}

/// Points that differ, fail and are excluded: 18 of them.
class SweepShards : public SweepTest {
 protected:
  static std::string Points() {
    return "sweep mlp --config=tiny.yaml --set memory.latency=20..100:10 --set parameters.acc_bytes=7,2048 "
           "--where 'memory.latency != 50'";
  }
  void RunParts() {
    for (const char* part : {"1", "2", "3"})
      Good(Points() + " --shard=" + part + "/3 --db=" + part + ".sqlite --jobs=1");
  }
};

TEST_F(SweepShards, MergedTheyAreTheWholeSweep) {
  RunParts();
  Good(Points() + " --db=whole.sqlite --csv=whole.csv --json=whole.json");
  const std::string merged = Good("sweep merge 3.sqlite 1.sqlite 2.sqlite -o all.sqlite").out;
  EXPECT_EQ(merged, "all.sqlite: 18 of 18 points\n");
  // Nothing is left to run, and nothing is run: the rows are those of the parts.
  Good(Points() + " --db=all.sqlite --csv=all.csv --json=all.json");
  EXPECT_EQ(testing::ReadFile(folder_ / "all.csv"), testing::ReadFile(folder_ / "whole.csv"));
  EXPECT_EQ(File("all.json"), File("whole.json"));
  const json points = File("all.json")["points"];
  for (const char* status : {"done", "failed", "excluded"})
    EXPECT_TRUE(std::ranges::any_of(points, [&](const json& point) { return point["status"] == status; }))
        << status;
}

TEST_F(SweepShards, EachRunsItsOwnPointsOnly) {
  const json part = Json(Points() + " --shard=2/4");
  std::vector<int> ids;
  for (const json& point : part["points"]) ids.push_back(point["id"]);
  EXPECT_EQ(ids, (std::vector<int>{2, 6, 10, 14, 18}));
}

TEST_F(SweepShards, PointsInSeveralFilesStandOnce) {
  RunParts();
  const testing::Outcome merged = Good("sweep merge 1.sqlite 2.sqlite 1.sqlite -o 1.sqlite");
  EXPECT_EQ(merged.out, "1.sqlite: 12 of 18 points; 6 in several files\n");
  EXPECT_EQ(Json(Points() + " --db=1.sqlite")["points"].size(), 18u);
}

TEST_F(SweepShards, OtherSweepsAndOtherResultsAreRefused) {
  RunParts();
  Good("sweep mlp --config=tiny.yaml --set memory.latency=20,40 --db=other.sqlite");
  EXPECT_THAT(ErrorOf("sweep merge 1.sqlite other.sqlite -o all.sqlite"),
              HasSubstr("1.sqlite and other.sqlite hold different sweeps"));
  EXPECT_THAT(ErrorOf("sweep merge 1.sqlite nowhere.sqlite -o all.sqlite"),
              HasSubstr("there is no such file"));
  EXPECT_THAT(ErrorOf("sweep merge 1.sqlite 2.sqlite"), HasSubstr("-o ALL.sqlite"));
  EXPECT_THAT(ErrorOf("sweep mlp --shard=3/2"), HasSubstr("--shard=3/2: not of the form I/N"));
  const std::string text = testing::ReadFile(folder_ / "2.sqlite");
  Write("forged.sqlite", testing::ReplaceAll(text, "\"network\":\"mlp\"", "\"network\":\"mlq\""));
  EXPECT_THAT(ErrorOf("sweep merge 2.sqlite forged.sqlite -o all.sqlite"),
              HasSubstr("is done in 2.sqlite and done in forged.sqlite, with another result"));
  EXPECT_EQ(Files().count("all.sqlite"), 0u);
  for (const std::string& file : Files()) EXPECT_THAT(file, Not(HasSubstr("tmp")));
}

}  // namespace
}  // namespace cosim::cli
