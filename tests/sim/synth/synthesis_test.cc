// SPDX-License-Identifier: Apache-2.0
// What is refused and what is cached, with a stand-in for Yosys; and Yosys itself, once, on a small
// accelerator.
#include "sim/synth/synthesis.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "cli/synth_report.h"
#include "cli/verbs.h"
#include "sim/synth/area_model.h"
#include "tests/environment.h"
#include "tests/sim/synth/testing.h"

namespace cosim::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// A folder of its own with an empty cache; a `yosys` on the path that counts its runs and leaves a netlist.
class Synthesis : public ::testing::Test {
 protected:
  Synthesis() { fs::create_directories(folder_ / "bin"); }
  ~Synthesis() override {
    setenv("PATH", path_.c_str(), 1);
    fs::remove_all(folder_);
  }
  void StandIn(const std::string& netlist, int status = 0) {
    Write(folder_ / "netlist", netlist);
    Write(folder_ / "bin" / "yosys",
          "#!/bin/sh\nif [ \"$1\" = -V ]; then echo 'Yosys stand-in'; exit; fi\necho run >> " +
              (folder_ / "runs").string() + "\ncp " + (folder_ / "netlist").string() +
              " netlist.blif\nexit " + std::to_string(status) + "\n");
    fs::permissions(folder_ / "bin" / "yosys", fs::perms::owner_all);
    setenv("PATH", ((folder_ / "bin").string() + ":" + path_).c_str(), 1);
  }
  void NoYosys() { setenv("PATH", (folder_ / "bin").c_str(), 1); }
  int Runs() const {
    std::ifstream file(folder_ / "runs");
    return static_cast<int>(std::count(std::istreambuf_iterator<char>(file), {}, '\n'));
  }
  std::optional<synth::Synthesis> Run(const isa::Spec& spec) {
    diags_ = Diagnostics();
    said_.clear();
    return synth::Synthesize(spec, {[&](const std::string& what) { said_ = what; }}, diags_);
  }
  std::string Refusal(const isa::Spec& spec) {
    EXPECT_FALSE(Run(spec).has_value());
    return diags_.Render();
  }
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  Diagnostics diags_;
  std::string said_;

 private:
  static void Write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }
  const fs::path folder_ = fs::temp_directory_path() / ("cosim_synth_test." + std::to_string(getpid()));
  const Environment cache_{"XDG_CACHE_HOME", (folder_ / "cache").string()};
  const std::string path_ = std::getenv("PATH");
};

TEST_F(Synthesis, RunsYosysOnceForOneDesign) {
  StandIn(kSmallNetlist);
  const auto first = Run(SpecFor("tiny.yaml"));
  ASSERT_TRUE(first.has_value()) << diags_.Render();
  EXPECT_EQ(said_, "mapping tiny to 7-series with Yosys");
  const auto second = Run(SpecFor("tiny.yaml", {{"clock_mhz", "50"}}));
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(said_, "");
  EXPECT_EQ(Runs(), 1);
  EXPECT_EQ(second->analysis.total.lut, first->analysis.total.lut);
  EXPECT_TRUE(fs::exists(first->folder / "synth.ys"));
}

TEST_F(Synthesis, RunsYosysAgainForAnotherDesign) {
  StandIn(kSmallNetlist);
  Run(SpecFor("tiny.yaml"));
  Run(SpecFor("tiny.yaml", {{"hardware.macs_per_dsp", "1"}}));
  EXPECT_EQ(Runs(), 2);
}

TEST_F(Synthesis, KeepsNothingOfAFailedRun) {
  StandIn(kSmallNetlist, 1);
  EXPECT_THAT(Refusal(SpecFor("tiny.yaml")), HasSubstr("error[E0705]: Yosys rejects the RTL: see "));
  Run(SpecFor("tiny.yaml"));
  EXPECT_EQ(Runs(), 2);
}

TEST_F(Synthesis, NamesThePackageOfAMissingYosys) {
  NoYosys();
  const std::string refusal = Refusal(SpecFor("tiny.yaml"));
  EXPECT_THAT(refusal, HasSubstr("error[E0702]: synthesis needs 'yosys', which is not installed"));
  EXPECT_THAT(refusal, HasSubstr("install the package 'yosys': apt-get install yosys"));
}

TEST_F(Synthesis, RefusesWhatHasNoRtlBeforeYosysRuns) {
  StandIn(kSmallNetlist);
  EXPECT_THAT(Refusal(SpecFor("tiny.yaml", {{"memory.latency", "1"}})), HasSubstr("memory.latency is 1"));
  EXPECT_EQ(Runs(), 0);
}

TEST_F(Synthesis, RefusesABoardItDoesNotKnow) {
  StandIn(kSmallNetlist);
  isa::Spec spec = SpecFor("tiny.yaml");
  spec.board = "zcu102";
  const std::string refusal = Refusal(spec);
  EXPECT_THAT(refusal, HasSubstr("error[E0706]: 'board' is 'zcu102', whose device is not known"));
  EXPECT_THAT(refusal, HasSubstr("known boards: pynq, ultra96, none"));
}

TEST_F(Synthesis, PrintsATableAgainstTheBudget) {
  StandIn(kSmallNetlist);
  const isa::Spec spec = SpecFor("pynq.yaml");
  const auto synthesis = Run(spec);
  ASSERT_TRUE(synthesis.has_value()) << diags_.Render();
  EXPECT_EQ(cli::SynthTable({.synthesis = synthesis, .clock = {.clock_mhz = 100}}, spec),
            R"(part                     LUT        FF       DSP    RAMB36   levels
gemm                       4         2         1         0        3
memory wgt                 0         0         0       1.5        0
fetch                      4         1         0         0        2
glue                       1         0         0         0        0
total                      9         3         1       1.5        3
XC7Z020               53,200   106,400       220       140
of that                0.0 %     0.0 %     0.5 %     1.1 %

pynq on pynq (cosim): fits XC7Z020
longest path: 3 levels, i_accelerator.i_gemm_commands.head_q to i_accelerator.i_gemm_gemm.y
1 of 1 DSPs do not use all their registers:
  i_accelerator.i_gemm_gemm.i_engine.unread without AREG BREG PREG
Yosys stand-in; mapped, not placed and routed: levels are LUTs and carry chains between registers, no clock is promised
clock: 100 MHz, unproven
)");
}

TEST_F(Synthesis, SaysWhatDoesNotFitAndByHowMuch) {
  StandIn(kSmallNetlist);
  const isa::Spec spec = SpecFor("pynq.yaml");
  auto synthesis = Run(spec);
  ASSERT_TRUE(synthesis.has_value());
  synthesis->analysis.total.dsp = 322;
  synthesis->analysis.total.ramb18 = 281;
  EXPECT_FALSE(synthesis->Fits());
  EXPECT_THAT(cli::SynthTable({.synthesis = synthesis}, spec),
              HasSubstr("does not fit XC7Z020: 102 DSP too many, 0.5 RAMB36 too many\n"));
  EXPECT_THAT(cli::SynthJson({.synthesis = synthesis}, spec), HasSubstr("\"DSP\": 102.0"));
}

TEST_F(Synthesis, IsAVerbWhoseHelpEndsInAnExampleThatWorks) {
  StandIn(kSmallNetlist);
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(cli::Main({"synth", "--help"}), 0);
  EXPECT_THAT(::testing::internal::GetCapturedStdout(),
              ::testing::EndsWith("\nexample:\n  cosim synth --config=tiny.yaml\n"));
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(cli::Main({"synth", "--config=tiny.yaml", "-o", Path("out")}), 0);
  EXPECT_THAT(::testing::internal::GetCapturedStdout(), HasSubstr("total                      9"));
  EXPECT_TRUE(fs::exists(Path("out") + "/sv/accelerator.sv"));
  EXPECT_TRUE(fs::exists(Path("out") + "/rtl/multiplier_quad.sv"));
}

TEST_F(Synthesis, IsOfOneMindWithYosys) {
  Diagnostics diags;
  const auto spec =
      isa::LoadSpec(COSIM_SOURCE_DIR "/tests/hw/narrow.yaml", COSIM_SOURCE_DIR "/tests/hw/load_gemm.yaml",
                    {{"hardware.macs_per_dsp", "2"}, {"parameters.load_port", "1"}}, diags);
  ASSERT_TRUE(spec.has_value()) << diags.Render();
  const auto synthesis = Run(*spec);
  ASSERT_TRUE(synthesis.has_value()) << diags_.Render();
  std::map<std::string, synth::Resources> parts;
  for (const synth::Part& part : synthesis->analysis.parts) parts[part.name] = part.resources;
  EXPECT_EQ(parts["gemm"].dsp, 8);       // 4 by 4 multiply-accumulates, two a DSP
  EXPECT_GT(parts["read_port"].ff, 40);  // an address and a length wait there
  EXPECT_GT(parts["read_port_1"].ff, 40);
  EXPECT_GT(synthesis->analysis.total.lut, 500);
  EXPECT_GT(synthesis->analysis.total.ff, 500);
  EXPECT_GE(synthesis->analysis.longest.levels, 3);
  // And the area model, though it was fitted to designs of other ISAs.
  const synth::Resources estimate = synth::EstimateArea(*spec);
  EXPECT_EQ(estimate.dsp, synthesis->analysis.total.dsp);
  EXPECT_EQ(estimate.ramb18, synthesis->analysis.total.ramb18);
  EXPECT_NEAR(estimate.lut, synthesis->analysis.total.lut, 0.12 * synthesis->analysis.total.lut);
  EXPECT_NEAR(estimate.ff, synthesis->analysis.total.ff, 0.12 * synthesis->analysis.total.ff);
}

}  // namespace
}  // namespace cosim::testing
