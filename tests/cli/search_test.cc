// SPDX-License-Identifier: Apache-2.0
// cosim search as users type it: what it prints and writes, and searches that were killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/cli/command.h"

namespace cosim::cli {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Designs that are done, that fail (7 bytes) and that are excluded (64 wide).
constexpr const char* kSearchedPlan = R"(networks: mlp
configs: tiny.yaml
keys:
  parameters.block_out: [4, 8, 64]
  parameters.acc_bytes: [7, 2048, 4096]
  memory.latency: [20, 90]
where: parameters.block_out * 2 <= 100
objectives: [frame_ms, area.dsp]
trials: 18
population: 6
)";

class SearchCommand : public testing::Command {
 protected:
  SearchCommand() { Write("plan.yaml", kSearchedPlan); }
  json Json(const std::string& arguments) { return json::parse(Good(arguments + " --json=-").out); }
};

TEST_F(SearchCommand, TheFrontIsPrintedAndIsTheOneThatParetoFinds) {
  const std::string table = Good("search plan.yaml --db=s.sqlite --csv=s.csv").out;
  EXPECT_THAT(table,
              HasSubstr("on the front of frame_ms, area.dsp\n   id  gen  block_out  acc_bytes  latency"));
  EXPECT_THAT(table, HasSubstr("18 designs in 5 generations: "));
  EXPECT_THAT(table, HasSubstr(" excluded, "));
  EXPECT_THAT(table, HasSubstr(" failed: --set parameters.acc_bytes=7: error[E0206]"));
  const json search = Json("search plan.yaml --db=s.sqlite");
  const json pareto = Json("pareto s.sqlite --objectives=frame_ms,area.dsp")["networks"]["mlp"];
  int front = 0;
  for (const json& point : pareto) {
    const json& design = search["designs"][point["id"].get<size_t>() - 1];
    EXPECT_EQ(design["on_front"], point["on_front"]);
    EXPECT_EQ(design["objectives"], point["objectives"]);
    front += design["on_front"] == true;
  }
  EXPECT_THAT(table, StartsWith(std::to_string(front) + " design"));
  const std::string csv = testing::ReadFile(folder_ / "s.csv");
  EXPECT_EQ(std::ranges::count(csv, '\r'), 19);
  EXPECT_THAT(csv, HasSubstr(",experiment_fingerprint,design,generation,parents,violation,on_front\r\n1,"));
  EXPECT_THAT(csv, HasSubstr(",0.21875,0\r\n"));
}

TEST_F(SearchCommand, ARowIsWhatASweepSaysOfThePoint) {
  const json search = Json("search plan.yaml");
  ASSERT_EQ(search["points"].size(), 18u);
  int compared = 0;
  for (const json& point : search["points"]) {
    if (point["status"] != "done" || ++compared > 2) continue;
    std::string sets;
    for (const json& setting : point["settings"]) sets += " --set " + setting.get<std::string>();
    const json sweep = Json("sweep mlp --config=tiny.yaml" + sets);
    EXPECT_EQ(point["result"], sweep["points"][0]["result"]) << sets;
  }
  EXPECT_GE(compared, 2);
}

TEST_F(SearchCommand, KilledAndStartedAgainItGivesTheTableOfAnUnbrokenOne) {
  const testing::Outcome unbroken = Good("search plan.yaml --csv=whole.csv --jobs=1");
  int killed = 0;
  for (const char* after : {"0.05", "0.2", "0.1", "0.3"}) {
    const testing::Outcome part = Shell(std::string("timeout -s KILL ") + after +
                                        " " COSIM_BINARY " search plan.yaml --db=s.sqlite --jobs=2");
    killed += part.status != 0;
  }
  EXPECT_GE(killed, 1);
  const testing::Outcome resumed = Good("search plan.yaml --db=s.sqlite --csv=resumed.csv");
  EXPECT_EQ(resumed.out, unbroken.out);
  EXPECT_EQ(testing::ReadFile(folder_ / "resumed.csv"), testing::ReadFile(folder_ / "whole.csv"));
}

TEST_F(SearchCommand, DatabasesOfOtherPlansAreRefusedBothWays) {
  Good("search plan.yaml --db=s.sqlite");
  EXPECT_THAT(ErrorOf("sweep mlp --config=tiny.yaml --db=s.sqlite"),
              HasSubstr("s.sqlite holds another sweep"));
  Write("other.yaml", testing::ReplaceAll(kSearchedPlan, "population: 6", "population: 7"));
  EXPECT_THAT(ErrorOf("search other.yaml --db=s.sqlite"), HasSubstr("s.sqlite holds another sweep"));
  Write("fewer.yaml", testing::ReplaceAll(kSearchedPlan, "trials: 18", "trials: 5"));
  EXPECT_THAT(ErrorOf("search fewer.yaml --db=s.sqlite"), HasSubstr("holds a search of up to 18 points"));
  Good("sweep mlp --config=tiny.yaml --db=w.sqlite");
  EXPECT_THAT(ErrorOf("search plan.yaml --db=w.sqlite"), HasSubstr("w.sqlite holds another sweep"));
  Good("sweep merge s.sqlite -o m.sqlite");
  EXPECT_EQ(Good("search plan.yaml --db=m.sqlite").out, Good("search plan.yaml --db=s.sqlite").out);
}

TEST_F(SearchCommand, MistakesAreSaidBeforeAnythingRuns) {
  EXPECT_THAT(ErrorOf("search nowhere.yaml"), HasSubstr("nowhere.yaml: error[E0001]"));
  EXPECT_THAT(ErrorOf("search plan.yaml --jobs=0"), HasSubstr("--jobs: from 1 to 256"));
  EXPECT_THAT(ErrorOf("search plan.yaml --csv=x --json=x"), HasSubstr("both write there"));
  EXPECT_THAT(ErrorOf("search plan.yaml --shard=1/2"), HasSubstr("--shard"));
  Write("bad.yaml", testing::ReplaceAll(kSearchedPlan, "networks: mlp", "networks: mpl"));
  EXPECT_THAT(ErrorOf("search bad.yaml"), HasSubstr("error[E1006]"));
  Write("bad.yaml", testing::ReplaceAll(kSearchedPlan, "objectives", "objectifs"));
  EXPECT_THAT(ErrorOf("search bad.yaml"), HasSubstr("bad.yaml:8:1: error[E0005]: unknown key 'objectifs'"));
  Write("bad.yaml", testing::ReplaceAll(kSearchedPlan, "area.dsp", "area.dps"));
  EXPECT_THAT(ErrorOf("search bad.yaml"),
              HasSubstr("no point has a number 'area.dps', which is an objective"));
}

}  // namespace
}  // namespace cosim::cli
