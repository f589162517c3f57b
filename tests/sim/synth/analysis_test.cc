// SPDX-License-Identifier: Apache-2.0
// Counting and paths, on a netlist counted by hand.
#include "sim/synth/analysis.h"

#include <gmock/gmock.h>

#include "tests/sim/synth/testing.h"

namespace cosim::testing {
namespace {

synth::Analysis AnalysisOf(const std::string& text) {
  std::string error;
  const auto netlist = synth::ParseNetlist(text, error);
  EXPECT_TRUE(netlist.has_value()) << error;
  return synth::Analyze(*netlist, SpecFor("tiny.yaml"));
}

const synth::Part& PartOf(const synth::Analysis& analysis, const std::string& name) {
  for (const synth::Part& part : analysis.parts)
    if (part.name == name) return part;
  ADD_FAILURE() << "no part " << name;
  return analysis.parts.front();
}

std::string ParseError(const std::string& text) {
  std::string error;
  EXPECT_FALSE(synth::ParseNetlist(text, error).has_value());
  return error;
}

TEST(Netlist, SaysWhereItStopsMakingSense) {
  EXPECT_EQ(ParseError(".model top\n.inputs a\n.latch a b re clk 0\n.end\n"),
            "line 3 of the netlist: '.latch' is not understood");
  EXPECT_EQ(ParseError(""), "the netlist is empty");
  EXPECT_EQ(ParseError(".model top\n.subckt LUT1 I0\n.end\n"),
            "line 2 of the netlist: '.subckt' is not understood");
}

TEST(Analysis, CountsWhatEachPartTakes) {
  const synth::Analysis analysis = AnalysisOf(kSmallNetlist);
  std::vector<std::string> names;
  for (const synth::Part& part : analysis.parts) names.push_back(part.name);
  EXPECT_THAT(names, ::testing::ElementsAre("gemm", "memory wgt", "fetch", "glue"));
  EXPECT_EQ(PartOf(analysis, "gemm").resources.lut, 4);  // three and the inverter
  EXPECT_EQ(PartOf(analysis, "gemm").resources.ff, 2);
  EXPECT_EQ(PartOf(analysis, "gemm").resources.dsp, 1);
  EXPECT_EQ(PartOf(analysis, "memory wgt").resources.ramb18, 3);
  EXPECT_EQ(PartOf(analysis, "fetch").resources.lut, 4);
  EXPECT_EQ(PartOf(analysis, "glue").resources.lut, 1);
  EXPECT_EQ(analysis.total.lut, 9);
  EXPECT_EQ(analysis.total.ff, 3);
}

TEST(Analysis, FollowsPathsThroughModulesButNotRegisters) {
  const synth::Analysis analysis = AnalysisOf(kSmallNetlist);
  // A LUT, the carry chain once, a LUT; the inverter and the chain's second cell are free.
  EXPECT_EQ(PartOf(analysis, "gemm").longest.levels, 3);
  EXPECT_EQ(PartOf(analysis, "gemm").longest.from, "i_accelerator.i_gemm_commands.head_q");
  EXPECT_EQ(PartOf(analysis, "gemm").longest.to, "i_accelerator.i_gemm_gemm.y");
  EXPECT_EQ(PartOf(analysis, "memory wgt").longest.levels, 0);
  // The LUT between the parts, and reading the LUT memory.
  EXPECT_EQ(PartOf(analysis, "fetch").longest.levels, 2);
  EXPECT_EQ(analysis.longest.levels, 3);
}

TEST(Analysis, GoesThroughAMultiplierWithoutRegisters) {
  EXPECT_EQ(AnalysisOf(kSmallNetlist).unregistered_dsps, 0);
  const synth::Analysis analysis = AnalysisOf(NetlistWith(".param MREG 1", ".param MREG 0"));
  EXPECT_EQ(analysis.unregistered_dsps, 1);
}

}  // namespace
}  // namespace cosim::testing
