// SPDX-License-Identifier: Apache-2.0
// A short run of random TensorFlow Lite files; `scripts/fuzz-networks --files` makes long ones. Also: that a
// long one draws all operators, and what failed once.
#include <gmock/gmock.h>

#include "compiler/session/session.h"
#include "tests/network_fuzz/network_case.h"
#include "tests/network_fuzz/random_file.h"
#include "tests/sanitized.h"

namespace cosim::testing {
namespace {

TEST(FileFuzz, RandomFilesOnRandomHardwareAreTheGoldenModels) {
  constexpr int kCases = Cases(24);
  int equal = 0, on_accelerator = 0, on_cpu = 0;
  for (uint64_t seed = 1; seed <= kCases; ++seed) {
    const NetworkCase c = DrawFileCase(seed);
    const Outcome outcome = RunIsolated(c, 60);
    EXPECT_NE(outcome.kind, Outcome::Kind::kFailed) << outcome.reason << "\n--case='" << ToString(c) << "'";
    equal += outcome.kind == Outcome::Kind::kEqual;
    on_accelerator += outcome.on_accelerator;
    on_cpu += outcome.on_cpu;
  }
  EXPECT_GT(equal, kCases / 2);
  EXPECT_GT(on_accelerator, kCases);
  EXPECT_GT(on_cpu, kCases);
}

TEST(FileFuzz, ALongRunDrawsEveryOperator) {
  std::map<std::string, int64_t> drawn;
  for (uint64_t seed = 1; seed <= 600; ++seed)
    for (const auto& [op, uses] : OperatorsOf(DrawFileCase(seed))) drawn[op] += uses;
  for (const std::string& op : KnownOperators()) EXPECT_GE(drawn[op], 3) << op;
}

TEST(FileFuzz, OperationsOnScalarsAreTheGoldenModels) {
  Diagnostics diags;
  const auto spec = isa::LoadSpec("tiny", "cosim", {}, diags);
  ASSERT_TRUE(spec) << diags.Render();
  graph::Graph graph("scalars");
  graph::Table table;
  for (int32_t i = 0; i < 256; ++i) table.table.push_back((i * 77) % 256 - 128);
  const auto x = graph.AddInput("x", {graph::DType::kInt8, {}});
  const auto y = graph.Add("table", table, {x});
  const auto sum = graph.Add("sum", graph::QAdd{{3, 77, 6}, {-4, 90, 7}, 5}, {x, y});
  graph.SetOutputs({graph.Add("clip", graph::Clip{-90, 90}, {sum})});
  const auto network = session::CompileFor(*spec, graph, {});
  std::string refusal;
  for (uint64_t seed = 1; seed <= 5; ++seed)
    EXPECT_EQ(FaultOnDevices(*spec, network, graph, seed, false, refusal), "");
}

TEST(FileFuzz, ACaseSurvivesItsText) {
  const std::string text = ToString(DrawFileCase(5));
  const auto parsed = ParseCase(text);
  ASSERT_TRUE(parsed) << text;
  EXPECT_EQ(ToString(*parsed), text);
  EXPECT_FALSE(parsed->file.empty());
  EXPECT_FALSE(ParseCase("isa=cosim file=int4"));
}

}  // namespace
}  // namespace cosim::testing
