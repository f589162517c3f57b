// SPDX-License-Identifier: Apache-2.0
// cosim compare and cosim pareto: against the JSON of the runs themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/cli/command.h"

namespace cosim::cli {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class CompareTest : public testing::Command {
 protected:
  json Json(const std::string& arguments) { return json::parse(Good(arguments + " --json=-").out); }
  json Comparison(const std::string& arguments) { return Json("compare " + arguments)["comparisons"][0]; }
};

std::map<std::string, json> ByName(const json& list) {
  std::map<std::string, json> map;
  for (const json& each : list) map[each["name"]] = each;
  return map;
}

TEST_F(CompareTest, SaysOfEachLayerWhatTheRunsSay) {
  Good("run small_cnn --config=tiny.yaml --json=a.json");
  Good("run small_cnn --config=tiny.yaml --set parameters.block_out=8 --set clock_mhz=80 --json=b.json");
  const json a = json::parse(testing::ReadFile(folder_ / "a.json")),
             b = json::parse(testing::ReadFile(folder_ / "b.json"));
  const json found = Comparison("a.json b.json");
  auto layers = ByName(found["layers"]);
  for (const auto& [run, side] : {std::pair{&a, "before"}, {&b, "after"}})
    for (const json& layer : (*run)["layers"]) {
      const json& facts = layers[layer["name"]][side];
      for (const char* key : {"where", "cycles", "dram_bytes", "schedule", "reason"})
        EXPECT_EQ(facts[key], layer[key]) << layer["name"] << " " << key;
    }
  double last = 1e9;
  for (const json& layer : found["layers"]) {
    EXPECT_LE(layer["more_ms"], last);
    last = layer["more_ms"];
  }
  auto hardware = ByName(found["hardware"]);
  EXPECT_EQ(hardware["parameters.block_out"]["before"], "4");
  EXPECT_EQ(hardware["parameters.block_out"]["after"], "8");
  EXPECT_EQ(hardware["clock_mhz"]["after"], "80.0");
  EXPECT_EQ(hardware.count("parameters.block_in"), 0u);
  auto totals = ByName(found["totals"]);
  EXPECT_EQ(totals["cycles"]["before"], a["cycles"].dump());
  EXPECT_EQ(totals["cycles"]["after"], b["cycles"].dump());
  auto units = ByName(found["units"]);
  EXPECT_EQ(units["gemm busy"]["before"], a["ledger"]["gemm"]["busy"]);
  EXPECT_EQ(units["gemm busy"]["after"], b["ledger"]["gemm"]["busy"]);
}

TEST_F(CompareTest, EqualRunsDifferInNothing) {
  Good("run mlp --config=tiny.yaml --json=a.json");
  const std::string text = Good("compare a.json a.json").out;
  EXPECT_THAT(text, HasSubstr("configuration and ISA: the same\ntotals: the same\nlayers: the same\n"));
}

TEST_F(CompareTest, ConfigurationsAndPointsOfASweepAreRunsToo) {
  Good("run mlp --config=tiny.yaml --json=a.json");
  Good("sweep mlp --config=tiny.yaml --set memory.latency=90,-3 --set isa.alu_ops.max_inp=off --db=s.sqlite");
  EXPECT_THAT(Good("compare a.json tiny.yaml --model=mlp").out, HasSubstr("layers: the same"));
  auto hardware = ByName(Comparison("a.json s.sqlite:1")["hardware"]);
  EXPECT_EQ(hardware["memory.latency"]["after"], "90");
  EXPECT_EQ(hardware["alu_ops.max_inp"]["before"], "there");
  EXPECT_TRUE(hardware["alu_ops.max_inp"]["after"].is_null());
  EXPECT_THAT(ErrorOf("compare a.json s.sqlite:2"), HasSubstr("point 2 of s.sqlite has no result: failed"));
  EXPECT_THAT(ErrorOf("compare a.json s.sqlite:9"), HasSubstr("there is no point 9"));
  EXPECT_THAT(ErrorOf("compare a.json s.sqlite:x"), HasSubstr("'x' is no point's number"));
  EXPECT_THAT(ErrorOf("compare a.json s.sqlite"), HasSubstr("which of its points?"));
}

TEST_F(CompareTest, MistakesAreErrors) {
  Good("run mlp --config=tiny.yaml --json=a.json");
  Good("run small_cnn --config=tiny.yaml --json=b.json");
  Write("text.json", "no JSON");
  Write("other.json", "{\"schema\": 3, \"network\": \"mlp\"}");
  Write("old.json", "{\"schema\": 2}");
  EXPECT_THAT(ErrorOf("compare a.json"), HasSubstr("one run alone differs in nothing"));
  EXPECT_THAT(ErrorOf("compare a.json b.json"), HasSubstr("they are of mlp and small_cnn"));
  EXPECT_THAT(ErrorOf("compare a.json text.json"), HasSubstr("text.json is no JSON of `cosim run`"));
  EXPECT_THAT(ErrorOf("compare a.json other.json"), HasSubstr("that is no JSON of `cosim run`"));
  EXPECT_THAT(ErrorOf("compare a.json old.json"), HasSubstr("its schema is 2"));
  EXPECT_THAT(ErrorOf("compare a.json none.json"), HasSubstr("none.json cannot be read"));
  EXPECT_THAT(ErrorOf("compare a.json tiny.yaml"), HasSubstr("--model=resnet18"));
}

TEST_F(CompareTest, AFrontHasWhatNothingBeats) {
  Good(
      "sweep mlp --config=tiny.yaml --set memory.latency=20,60,200 --set clock_mhz=50,100 --db=sweep.sqlite");
  const json front = Json("pareto sweep.sqlite --objectives=cycles,ms")["networks"]["mlp"];
  ASSERT_EQ(front.size(), 6u);
  for (const json& point : front) {
    const auto& of = point["objectives"];
    int better = 0;
    for (const json& other : front) {
      const auto& o = other["objectives"];
      better += o["cycles"] <= of["cycles"] && o["ms"] <= of["ms"] && o != of;
    }
    EXPECT_EQ(point["on_front"].get<bool>(), better == 0) << point;
    EXPECT_EQ(point["dominated_by"].is_null(), better == 0) << point;
  }
  EXPECT_THAT(Good("pareto sweep.sqlite --objectives=max:utilization,area.dsp").out,
              HasSubstr("on the front of"));
  Good("pareto sweep.sqlite --objectives=frame_ms,area.dsp");  // the example of its help
  EXPECT_THAT(ErrorOf("pareto sweep.sqlite --objectives=cycle"), HasSubstr("no point has a number 'cycle'"));
  EXPECT_THAT(ErrorOf("pareto sweep.sqlite --objectives=cycles,"), HasSubstr("a name is missing"));
  EXPECT_THAT(ErrorOf("pareto none.sqlite"), HasSubstr("there is no such file"));
}

}  // namespace
}  // namespace cosim::cli
