// SPDX-License-Identifier: Apache-2.0
#include "compiler/explore/plan.h"

#include <gmock/gmock.h>

#include <fstream>
#include <limits>
#include <sstream>

#include "compiler/explore/diagnostic_codes.h"
#include "isa/spec/loader.h"

namespace cosim::explore {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> DescriptionsOf(const std::string& text) {
  Diagnostics diags;
  const auto plan = ReadPlan({"plan.yaml", text}, diags);
  EXPECT_TRUE(plan) << diags.Render();
  std::vector<std::string> list;
  if (plan)
    for (const Point& point : PointsOf(*plan)) list.push_back(point.network + ": " + DescribePoint(point));
  return list;
}

/// What is said of a plan that is wrong.
std::string ErrorOf(const std::string& text) {
  Diagnostics diags;
  EXPECT_FALSE(ReadPlan({"plan.yaml", text}, diags)) << text;
  return diags.Render();
}

TEST(Plan, PointsAreListsByGridsByNetworks) {
  EXPECT_THAT(DescriptionsOf("networks: [mlp, small_cnn]\nset: {clock_mhz: 90}\n"
                             "list:\n  - {name: base}\n  - {a.b: 7}\nkeys: {k: [1, 2]}\n"),
              ElementsAre("mlp: base clock_mhz=90 k=1", "small_cnn: base clock_mhz=90 k=1",
                          "mlp: base clock_mhz=90 k=2", "small_cnn: base clock_mhz=90 k=2",
                          "mlp: clock_mhz=90 a.b=7 k=1", "small_cnn: clock_mhz=90 a.b=7 k=1",
                          "mlp: clock_mhz=90 a.b=7 k=2", "small_cnn: clock_mhz=90 a.b=7 k=2"));
}

TEST(Plan, AddedAndMultipliedStepsIncludeTheirEnds) {
  EXPECT_THAT(DescriptionsOf("networks: mlp\nkeys: {k: '1', l: 200..300:50}\n"),
              ElementsAre("mlp: k=1 l=200", "mlp: k=1 l=250", "mlp: k=1 l=300"));
  EXPECT_THAT(DescriptionsOf("networks: mlp\nkeys: {k: 8..70*2}\n"),
              ElementsAre("mlp: k=8", "mlp: k=16", "mlp: k=32", "mlp: k=64"));
  EXPECT_THAT(DescriptionsOf("networks: mlp\nkeys: {k: 0.1..0.3:0.1}\n"),
              ElementsAre("mlp: k=0.1", "mlp: k=0.2", "mlp: k=0.3"));
}

TEST(Plan, IdsCountFromOne) {
  Diagnostics diags;
  const auto plan = ReadPlan({"p", "networks: mlp\nkeys: {k: 'x'}\nvirtual_threads: [1, 2, 4]\n"}, diags);
  ASSERT_TRUE(plan) << diags.Render();
  const auto points = PointsOf(*plan);
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[0].id, 1);
  EXPECT_EQ(points[2].id, 3);
  EXPECT_EQ(points[2].virtual_threads, 4);
}

TEST(Plan, MistakesAreReportedWithTheirPlaces) {
  EXPECT_THAT(ErrorOf("networks: mlp\nkeis: {}\n"), HasSubstr("plan.yaml:2:1: error[E0005]"));
  EXPECT_THAT(ErrorOf("keys: {k: [1]}\n"), HasSubstr("the plan lacks the key 'networks'"));
  EXPECT_THAT(ErrorOf("networks: mlp\nkeys:\n  k: 5..2\n"),
              HasSubstr("plan.yaml:3:6: error[E1001]: the range '5..2' of 'k' ends before it begins"));
  EXPECT_THAT(ErrorOf("networks: mlp\nkeys:\n  k: []\n"), HasSubstr("error[E1001]: 'k' has an empty value"));
  EXPECT_THAT(ErrorOf("networks: mlp\nkeys:\n  k: 1..x\n"), HasSubstr("error[E1001]: '1..x' is no range"));
  EXPECT_THAT(ErrorOf("networks: mlp\nkeys:\n  k: 1..9*1\n"), HasSubstr("a factor is above 1"));
  EXPECT_THAT(ErrorOf("networks: mlp\nkeys:\n  k: 1..9:0\n"), HasSubstr("a step is a number above 0"));
  EXPECT_THAT(ErrorOf("networks: mlp\nkeys:\n  k: {a: 1}\n"), HasSubstr("plan.yaml:3:6: error[E1001]"));
  EXPECT_THAT(ErrorOf("networks: mlp\nkeys:\n  k: 1..9\n"), HasSubstr("plan.yaml:3:6: error[E1002]"));
  EXPECT_THAT(ErrorOf("networks: mlp\nisa: vta\nkeys: {isa: [cosim, vta]}\n"),
              HasSubstr("'isa' is 'vta' for all points, and a key of some"));
  EXPECT_THAT(ErrorOf("networks: mlp\nsample: lattin\nkeys: {k: 1..9}\n"),
              HasSubstr("did you mean 'latin'?"));
  EXPECT_THAT(ErrorOf("networks: mlp\nsample: latin\nkeys: {k: 1..9}\n"), HasSubstr("error[E1003]"));
  EXPECT_THAT(ErrorOf("networks: mlp\npoints: 5\nkeys: {k: [1]}\n"),
              HasSubstr("a grid takes all its points"));
  EXPECT_THAT(ErrorOf("networks: mlp\nlist: [{k: [1, 2]}]\n"),
              HasSubstr("keys with several values go under"));
  EXPECT_THAT(ErrorOf("networks: mlp\nvirtual_threads: 9\n"), HasSubstr("plan.yaml:2:18: error[E0010]"));
}

TEST(Plan, AccuracyIsOfNetworksWhoseFloatFormIsKnown) {
  Diagnostics diags;
  const auto plan = ReadPlan({"plan.yaml", "networks: [mlp, small_cnn]\naccuracy: 3\n"}, diags);
  ASSERT_TRUE(plan) << diags.Render();
  for (const Point& point : PointsOf(*plan)) EXPECT_EQ(point.accuracy, 3);
  EXPECT_THAT(ErrorOf("networks: [mlp, dir/a.onnx]\naccuracy: 3\n"),
              HasSubstr("plan.yaml:2:11: error[E1009]: nothing says what dir/a.onnx loses"));
  EXPECT_THAT(ErrorOf("networks: mlp\naccuracy: 0\n"), HasSubstr("'accuracy'"));
}

TEST(Plan, MorePointsThanASweepTakesAreRefused) {
  EXPECT_THAT(ErrorOf("networks: mlp\nkeys: {a: 1..2000:1, b: 1..2000:1}\n"),
              HasSubstr("the plan has more than 1000000 points"));
}

TEST(Plan, ConditionsAreCheckedWhenThePlanIsRead) {
  EXPECT_THAT(ErrorOf("networks: mlp\nwhere:\n  - macs_per_cycle <= \n"), HasSubstr("plan.yaml:3:"));
  EXPECT_THAT(ErrorOf("networks: mlp\nwhere: macs_per_cycl <= 3\n"),
              HasSubstr("plan.yaml:2:8: error[E1005]: points have no 'macs_per_cycl'"));
  EXPECT_THAT(ErrorOf("networks: mlp\nwhere: clock_mhz\n"), HasSubstr("expected a comparison"));
  EXPECT_THAT(ErrorOf("networks: mlp\nwhere: fits(bord)\n"), HasSubstr("fits() takes 'board'"));
}

TEST(Plan, ConditionsHoldByArithmetic) {
  Diagnostics diags;
  const auto spec = isa::LoadSpec("tiny.yaml", "", {{"clock_mhz", "66.5"}, {"memory.latency", "20"}}, diags);
  ASSERT_TRUE(spec) << diags.Render();
  const auto holds = [&](const std::string& text) {
    Diagnostics found;
    const auto plan = ReadPlan({"p", "networks: mlp\nwhere: '" + text + "'\n"}, found);
    EXPECT_TRUE(plan) << found.Render();
    return plan && Holds(plan->constraints[0], *spec, found).value();
  };
  EXPECT_TRUE(holds("clock_mhz > 66.4 & clock_mhz < 66.6"));
  EXPECT_FALSE(holds("clock_mhz > 66.4 & clock_mhz < 66.5"));
  EXPECT_TRUE(holds("parameters.block_in * parameters.block_out == macs_per_cycle / parameters.batch"));
  EXPECT_TRUE(holds("(1 + 2) * 3 - 4 / 2 == 7"));
  EXPECT_TRUE(holds("memory.latency == 20"));
  EXPECT_TRUE(holds("-1 < 0"));
  EXPECT_TRUE(holds("hardware.lut_inputs == 0"));
  EXPECT_TRUE(holds("area.dsp >= 1"));
  EXPECT_FALSE(holds("area.dsp < 1"));
}

TEST(Plan, ABrokenConditionSaysByHowMuch) {
  Diagnostics diags;
  const auto spec = isa::LoadSpec("tiny.yaml", "", {{"clock_mhz", "80"}, {"memory.latency", "20"}}, diags);
  const auto wide = isa::LoadSpec("pynq.yaml", "", {{"parameters.block_out", "64"}}, diags);
  const auto other_port = isa::LoadSpec("pynq.yaml", "", {{"memory.port_bits", "128"}}, diags);
  ASSERT_TRUE(spec && wide && other_port) << diags.Render();
  const auto violation = [&](const std::string& text, const isa::Spec& of) {
    Diagnostics found;
    const auto plan = ReadPlan({"p", "networks: mlp\nwhere: '" + text + "'\n"}, found);
    return Violation(plan->constraints[0], of, found).value();
  };
  EXPECT_EQ(violation("clock_mhz <= 80", *spec), 0);
  EXPECT_DOUBLE_EQ(violation("clock_mhz >= 100", *spec), 0.2);
  EXPECT_DOUBLE_EQ(violation("clock_mhz < 60", *spec), 0.25);
  EXPECT_DOUBLE_EQ(violation("clock_mhz >= 100 & memory.latency == 40", *spec), 0.7);
  EXPECT_GT(violation("clock_mhz < 80", *spec), 0);
  EXPECT_LT(violation("clock_mhz < 80", *spec), 1e-6);
  EXPECT_GT(violation("clock_mhz != 80", *spec), 0);
  // 1,024 products, two a DSP, and 64 DSPs of the alu's lanes, where there are 220; and block RAM.
  EXPECT_DOUBLE_EQ(violation("fits(board)", *wide), (576.0 / 220 - 1) + (529.0 / 280 - 1));
  EXPECT_EQ(violation("fits(board)", *other_port), std::numeric_limits<double>::infinity());
}

TEST(Plan, ConditionOverAParameterThatTheIsaLacksIsReported) {
  Diagnostics diags;
  const auto spec = isa::LoadSpec("tiny.yaml", "", {}, diags);
  const auto plan = ReadPlan({"p", "networks: mlp\nwhere: parameters.blok_in > 1\n"}, diags);
  ASSERT_TRUE(spec && plan) << diags.Render();
  EXPECT_FALSE(Holds(plan->constraints[0], *spec, diags));
  EXPECT_THAT(diags.Render(), HasSubstr("did you mean 'block_in'?"));
}

TEST(Plan, CodesAreInTheReference) {
  std::ifstream file(COSIM_SOURCE_DIR "/docs/reference/diagnostics.md");
  std::ostringstream text;
  text << file.rdbuf();
#define COSIM_EXPECT_LISTED(name, code, meaning) \
  EXPECT_THAT(text.str(), HasSubstr("| " code " | " meaning " |\n"));
  COSIM_EXPLORE_DIAGNOSTICS(COSIM_EXPECT_LISTED)
#undef COSIM_EXPECT_LISTED
}

}  // namespace
}  // namespace cosim::explore
