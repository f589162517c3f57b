// SPDX-License-Identifier: Apache-2.0
// What belongs to which block, the wrapper around one, nextpnr's report, the cache and the evidence, with
// stand-ins for Yosys and nextpnr; and the real ones, where they have been fetched, on two blocks.
#include "sim/synth/place.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "cli/verbs.h"
#include "sim/synth/clock_evidence.h"
#include "sim/synth/place_blocks.h"
#include "sim/synth/place_scripts.h"
#include "tests/environment.h"
#include "tests/sim/synth/testing.h"

namespace cosim::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kPlaceReport[] = R"({"critical_paths": [
  {"from": "async", "to": "posedge dut.aclk", "path": []},
  {"from": "posedge dut.aclk", "to": "posedge dut.aclk", "path": [
    {"delay": 0.35, "type": "clk-to-q", "from": {"cell": "in_q[5]\\FDRE"}, "to": {"cell": "in_q[5]\\FDRE"}},
    {"delay": 1.0, "type": "routing", "net": "in_q[5]", "sources": ["top.sv:2.27-2.31"],
     "from": {"cell": "in_q[5]\\FDRE"}, "to": {"cell": "$lt$rtl/load_unit.sv:139$4.carry"}},
    {"delay": 0.5, "type": "logic", "from": {"cell": "x"}, "to": {"cell": "$lt$rtl/load_unit.sv:139$4.carry"}},
    {"delay": 0.75, "type": "routing", "net": "dut.i_load.rows_d[2]",
     "sources": ["/share/lut_map.v:30.21-30.22", "sv/accelerator.sv:88.24-88.30"],
     "from": {"cell": "x"}, "to": {"cell": "dut.i_load.rows_q[2]\\FDRE"}},
    {"delay": 0.1, "type": "setup", "from": {"cell": "x"}, "to": {"cell": "dut.i_load.rows_q[2]\\FDRE"}}]}],
 "fmax": {"dut.aclk": {"achieved": MHZ, "constraint": 115}},
 "utilization": {"SLICE_LUTX": {"available": 106400, "used": 40}, "SLICE_FFX": {"available": 106400, "used": 30},
   "DSP48E1_DSP48E1": {"available": 220, "used": 2}, "RAMB18E1_RAMB18E1": {"available": 280, "used": 1},
   "RAMB36E1_RAMB36E1": {"available": 140, "used": 3}}}
)";

std::string ReportAt(const std::string& mhz) {
  std::string text = kPlaceReport;
  return text.replace(text.find("MHZ"), 3, mhz);
}

const std::vector<synth::BlockPort> kBlockPorts = {{true, 1, "aclk"},
                                                   {true, 4, "i_locks.held_q"},
                                                   {false, 3, "i_load.rows_q"},
                                                   {true, 2, "i_fetch.len_q"},
                                                   {false, 9, "i_fetch.word"}};

TEST(PlaceReport, NamesRegistersOfTheDesignAndLinesOfTheRtl) {
  std::string error;
  const auto route = synth::ParsePlaceReport(ReportAt("131.5"), kBlockPorts, error);
  ASSERT_TRUE(route.has_value()) << error;
  EXPECT_EQ(route->mhz, 131.5);
  ASSERT_EQ(route->path.size(), 5u);
  EXPECT_EQ(route->path[0].name, "i_fetch.len_q[1]");  // what bit 5 of the wrapper's register stands for
  EXPECT_EQ(route->path[1].source, "load_unit.sv:139");
  EXPECT_EQ(route->path[3].name, "i_load.rows_d[2]");
  EXPECT_EQ(route->path[3].source, "accelerator.sv:88");
  EXPECT_EQ(route->path[4].name, "i_load.rows_q[2]");
  EXPECT_EQ(route->used.dsp, 2);
  EXPECT_EQ(route->used.ramb18, 7);
}

TEST(PlaceReport, RefusesWhatIsNoReport) {
  std::string error;
  EXPECT_FALSE(synth::ParsePlaceReport("{", kBlockPorts, error));
  EXPECT_THAT(error, HasSubstr("not a report of nextpnr"));
  EXPECT_FALSE(synth::ParsePlaceReport(R"({"fmax": {}})", kBlockPorts, error));
  EXPECT_EQ(error, "the report has 0 clocks, not one");
  EXPECT_FALSE(synth::ParsePlaceReport(
      R"({"fmax": {"c": {"achieved": 1}}, "critical_paths": [], "utilization": {}})", kBlockPorts, error));
  EXPECT_EQ(error, "the report has no path between registers");
}

TEST(PlaceBlocks, OwnTheRegistersOfTheirParts) {
  const isa::Spec spec = SpecFor("tiny.yaml");
  const auto block = [&](const std::string& name) { return synth::PlaceBlockOf(name, spec); };
  EXPECT_EQ(block("i_accelerator.i_load_commands.head_q"), "load_front");
  EXPECT_EQ(block("i_accelerator.i_load_decode.load_rows_o"), "load_front");
  EXPECT_EQ(block("i_accelerator.i_queue_gemm_to_load.tokens_q"), "load_front");
  EXPECT_EQ(block("i_accelerator.i_load_load.i_splitter.left_q"), "load_front");
  EXPECT_EQ(block("i_accelerator.i_load_load.i_writer.wptr_q"), "load_engine");
  EXPECT_EQ(block("i_accelerator.i_gemm_gemm.gen_tile.i_array.gen_sums.x_q"), "gemm_slice");
  EXPECT_EQ(block("i_accelerator.i_alu_lanes.gen_lane[0].i_lane.x_q"), "alu_lane");
  EXPECT_EQ(block("i_accelerator.i_alu_lanes.op_q"), "alu_engine");
  EXPECT_EQ(block("i_accelerator.i_mem_wgt.gen_bank[0].gen_copy[0].i_ram.mem"), "memory_wgt");
  EXPECT_EQ(block("i_accelerator.i_mem_inp.gen_bank[0].gen_copy[2].i_ram.mem"), "memory_inp");
  EXPECT_EQ(block("i_accelerator.i_read_port_1.addr_q"), "read_port");
  EXPECT_EQ(block("m_axi_araddr"), "read_port");
  EXPECT_EQ(block("m_axi_awaddr"), "write_port");
  EXPECT_EQ(block("i_ledger.run_q"), "registers");
  EXPECT_EQ(block("i_accelerator.stray_q"), "");
  EXPECT_EQ(block("i_accelerator.i_new_part.x_q"), "");
  EXPECT_EQ(block("i_accelerator.i_mem_stray.x_q"), "");
}

TEST(PlaceBlocks, TellTheEnginesOfAUnitApart) {
  Diagnostics diags;
  const auto spec =
      isa::LoadSpec(COSIM_SOURCE_DIR "/configs/tiny.yaml", COSIM_SOURCE_DIR "/isa/vta.yaml", {}, diags);
  ASSERT_TRUE(spec.has_value()) << diags.Render();
  EXPECT_THAT(
      synth::PlaceBlocks(*spec),
      ElementsAre("load_front", "load_engine", "compute_front", "compute_load_engine", "compute_gemm_engine",
                  "compute_gemm_slice", "compute_alu_engine", "compute_alu_lane", "store_front",
                  "store_engine", "fetch", "locks", "registers", "read_port", "write_port", "memory_inp",
                  "memory_wgt", "memory_acc", "memory_out", "memory_uop"));
  EXPECT_EQ(synth::PlaceBlockOf("i_accelerator.i_compute_alu.i_nest.x_q", *spec), "compute_front");
  EXPECT_EQ(synth::PlaceBlockOf("i_accelerator.i_compute_lanes.gen_lane[1].x_q", *spec), "compute_alu_lane");
}

TEST(PlaceBlocks, TakeOneLaneForAllAndNameWhatNoneHas) {
  const isa::Spec spec = SpecFor("tiny.yaml");
  const auto partition = synth::PartitionObjects(
      {"i_accelerator.i_alu_lanes.gen_lane[10].i_lane.a_q",
       "i_accelerator.i_alu_lanes.gen_lane[2].i_lane.a_q", "i_accelerator.i_alu_lanes.gen_lane[3].i_lane.a_q",
       "i_accelerator.i_mem_acc.gen_bank[0].gen_copy[0].i_ram.mem",
       "i_accelerator.i_mem_acc.gen_bank[1].gen_copy[0].i_ram.mem", "i_accelerator.stray_q"},
      spec);
  EXPECT_THAT(partition.uncovered, ElementsAre("i_accelerator.stray_q"));
  EXPECT_EQ(partition.alike, 2);
  for (const auto& block : partition.blocks) {
    if (block.name == "alu_lane") {
      EXPECT_THAT(block.objects, ElementsAre("i_accelerator.i_alu_lanes.gen_lane[2].i_lane.a_q"));
    } else if (block.name == "memory_acc") {
      EXPECT_EQ(block.objects.size(), 2u);
    }
  }
}

TEST(PlaceWrapper, FeedsInputsAndCollectsWhatIsKept) {
  const auto ports = synth::ParsePorts("module block\ninput [0:0] aclk\ninput [3:0] a.b\noutput [1:0] c\n");
  ASSERT_EQ(ports.size(), 3u);
  const std::string text = synth::WrapperText(ports, {"c"});
  EXPECT_THAT(text, HasSubstr(".\\aclk (clk),\n    .\\a.b (in_q[3:0]),\n    .\\c (out[1:0])\n"));
  EXPECT_THAT(text, HasSubstr("tree0_q[0] <= ^out_q[1:0];"));
  EXPECT_THAT(synth::WrapperText(kBlockPorts, {"i_load.rows_q"}), ::testing::Not(HasSubstr("i_fetch.word")));
  // Nothing kept leaves it: its registers show in what does.
  EXPECT_THAT(synth::WrapperText(kBlockPorts, {"i_locks.count_q"}), HasSubstr("i_fetch.word"));
  // 1,297 outputs are 37 groups of 36, which are two, which are one.
  EXPECT_THAT(synth::WrapperText({{true, 1, "a"}, {false, 1297, "y"}}, {"y"}),
              HasSubstr("assign so = tree2_q[0];"));
}

/// A folder of its own with an empty cache and, if asked for, stand-ins for the tools. The one for nextpnr
/// reports 120 MHz for seed 1 and 110 for the others, and counts its runs.
class PlaceTest : public ::testing::Test {
 protected:
  PlaceTest() {
    fs::create_directories(Tools());
    fs::permissions(folder_, fs::perms::owner_all);
  }
  ~PlaceTest() override { fs::remove_all(folder_); }
  void StandIn(int status = 0) {
    Write(folder_ / "fast", ReportAt("120"));
    Write(folder_ / "slow", ReportAt("110"));
    Write(Tools() / "versions", "nextpnr stand-in, yosys stand-in\n");
    Program("yosys", R"(case $3 in
elaborate.ys) echo flat > flat.il
  echo cosim_accelerator/i_accelerator.i_locks.held_q > objects.txt
  echo cosim_accelerator/i_accelerator.stray_q >> objects.txt ;;
cut.ys) cp objects.txt keep.txt
  printf 'input [5:0] a\noutput [3:0] i_accelerator.i_locks.held_q\n' > ports.txt ;;
map.ys) echo '{}' > block.json ;;
esac
)");
    Program("nextpnr",
            "echo run >> " + (folder_ / "runs").string() +
                "\nreport=\nseed=\nwhile [ $# -gt 0 ]; do case $1 in --report) report=$2 ;; --seed) "
                "seed=$2 ;; esac; shift; done\n"
                "[ $seed = 1 ] && from=fast || from=slow\ncp " +
                folder_.string() + "/$from $report\nexit " + std::to_string(status) + "\n");
  }
  int Runs() const {
    std::ifstream file(folder_ / "runs");
    return static_cast<int>(std::count(std::istreambuf_iterator<char>(file), {}, '\n'));
  }
  /// Instead of the one that reports.
  void RouterWithoutEnd() { Program("nextpnr", "while :; do :; done\n"); }
  std::optional<synth::Placement> Run(const isa::Spec& spec, const std::string& block,
                                      const std::vector<int>& seeds = {1, 2}) {
    diags_ = Diagnostics();
    return synth::Place(spec, {.block = block, .seeds = seeds, .route_seconds = 1}, diags_);
  }
  std::string Refusal(const isa::Spec& spec, const std::string& block) {
    EXPECT_FALSE(Run(spec, block).has_value());
    return diags_.Render();
  }
  Diagnostics diags_;

 private:
  fs::path Tools() const { return folder_ / "cache" / "cosim" / "place"; }
  static void Write(const fs::path& path, const std::string& text) {
    std::ofstream(path) << text;
    fs::permissions(path, fs::perms::owner_all);
  }
  void Program(const std::string& name, const std::string& text) {
    Write(Tools() / name, "#!/bin/sh\n" + text);
  }
  const fs::path folder_ = fs::temp_directory_path() / ("cosim_place_test." + std::to_string(getpid()));
  const Environment cache_{"XDG_CACHE_HOME", (folder_ / "cache").string()};
};

TEST_F(PlaceTest, TakesTheLowestOfTheSeedsAndRoutesOnce) {
  StandIn();
  const isa::Spec spec = SpecFor("tiny.yaml");
  const auto placement = Run(spec, "locks");
  ASSERT_TRUE(placement.has_value()) << diags_.Render();
  EXPECT_EQ(placement->tool, "nextpnr stand-in, yosys stand-in");
  ASSERT_EQ(placement->blocks.size(), 1u);
  EXPECT_EQ(placement->blocks[0].Slowest().seed, 2);
  EXPECT_EQ(placement->BlocksMhz(), 110);
  EXPECT_THAT(placement->uncovered, ElementsAre("i_accelerator.stray_q"));
  EXPECT_EQ(Runs(), 2);
  ASSERT_TRUE(Run(SpecFor("tiny.yaml", {{"clock_mhz", "50"}}), "locks").has_value());
  EXPECT_EQ(Runs(), 2);
  ASSERT_TRUE(Run(SpecFor("tiny.yaml", {{"parameters.tokens", "8"}}), "locks").has_value());
  EXPECT_EQ(Runs(), 4);
}

TEST_F(PlaceTest, IsTheEvidenceForAClockAfterwards) {
  StandIn();
  const isa::Spec spec = SpecFor("tiny.yaml");
  EXPECT_EQ(EvidenceText(synth::EvidenceOf(synth::CachedPlacement(spec), spec)), "unproven");
  ASSERT_TRUE(Run(spec, "locks", {1}).has_value()) << diags_.Render();
  EXPECT_EQ(EvidenceText(synth::EvidenceOf(synth::CachedPlacement(spec), spec)), "unproven");
  ASSERT_TRUE(Run(spec, "locks").has_value()) << diags_.Render();
  const auto evidence = synth::EvidenceOf(synth::CachedPlacement(spec), spec);
  EXPECT_EQ(EvidenceText(evidence),
            "routed at 110.0 MHz (1 of 22 blocks); for XC7Z020-1 by nextpnr, not by Vivado, DSP untimed");
  EXPECT_EQ(EvidenceWarning(evidence), "");
  const isa::Spec fast = SpecFor("tiny.yaml", {{"clock_mhz", "112"}});
  EXPECT_EQ(EvidenceWarning(synth::EvidenceOf(synth::CachedPlacement(fast), fast)),
            "locks is routed at 110.0 MHz, below the configuration's clock of 112 MHz");
  const isa::Spec other = SpecFor("tiny.yaml", {{"parameters.tokens", "8"}});
  EXPECT_EQ(EvidenceText(synth::EvidenceOf(synth::CachedPlacement(other), other)), "unproven");
}

TEST_F(PlaceTest, SaysWhatIsWrong) {
  const isa::Spec spec = SpecFor("tiny.yaml");
  EXPECT_THAT(Refusal(spec, "locks"), HasSubstr("error[E0708]: placing and routing needs nextpnr"));
  EXPECT_THAT(diags_.Render(), HasSubstr("scripts/place-tools fetches it"));
  StandIn(1);
  EXPECT_THAT(Refusal(spec, "lock"), HasSubstr("error[E0709]: there is no block 'lock'"));
  EXPECT_THAT(diags_.Render(), HasSubstr("memory_alu_uop, or design"));
  EXPECT_THAT(Refusal(SpecFor("tiny.yaml", {{"memory.latency", "1"}}), "locks"), HasSubstr("E0701"));
  EXPECT_EQ(Runs(), 0);
  EXPECT_THAT(Refusal(spec, "locks"), HasSubstr("error[E0710]: routing locks with seed 1 fails"));
  EXPECT_EQ(EvidenceText(synth::EvidenceOf(synth::CachedPlacement(spec), spec)), "unproven");
}

TEST_F(PlaceTest, StopsARouterThatFindsNoEnd) {
  StandIn();
  const isa::Spec spec = SpecFor("tiny.yaml");
  ASSERT_TRUE(Run(spec, "locks", {1}).has_value()) << diags_.Render();
  RouterWithoutEnd();
  EXPECT_THAT(Refusal(spec, "locks"), HasSubstr("routing locks with seed 2 is stopped after 1 s of CPU"));
  EXPECT_THAT(diags_.Render(), HasSubstr("another seed may have an end"));
  EXPECT_TRUE(Run(spec, "locks", {1}).has_value()) << "what was routed before stays";
}

TEST_F(PlaceTest, IsAnOptionOfSynth) {
  StandIn();
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(cli::Main({"synth", "--config=tiny.yaml", "--place", "--block=locks"}), 0);
  const std::string text = ::testing::internal::GetCapturedStdout();
  EXPECT_THAT(text, HasSubstr("locks                    110.0  120.0 110.0"));
  EXPECT_THAT(text, HasSubstr("in no block: i_accelerator.stray_q\n"));
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(cli::Main({"synth", "--config=tiny.yaml", "--set", "clock_mhz=200", "--place", "--block=locks",
                       "--json=-"}),
            0);
  EXPECT_THAT(::testing::internal::GetCapturedStdout(),
              HasSubstr(R"("evidence": "routed at 110.0 MHz (1 of 22)"));
  EXPECT_EQ(cli::Main({"synth", "--config=tiny.yaml", "--block=locks"}), 1);
  EXPECT_EQ(cli::Main({"synth", "--config=tiny.yaml", "--place", "--seeds=9"}), 1);
  EXPECT_EQ(cli::Main({"synth", "--config=tiny.yaml", "--place", "--block=locks", "-o", "unused"}), 1);
}

TEST(ClockEvidence, SaysWhatIsRouted) {
  synth::ClockEvidence evidence{
      .clock_mhz = 100, .blocks = 3, .routed = 3, .blocks_mhz = 131.04, .slowest = "locks"};
  EXPECT_THAT(EvidenceText(evidence), HasSubstr("routed at 131.0 MHz (blocks); for "));
  evidence.design_mhz = 93.5;
  evidence.design_seeds = 1;
  EXPECT_THAT(EvidenceText(evidence),
              HasSubstr("routed at 131.0 MHz (blocks), whole design routed at 93.5 MHz (one seed); for "));
  EXPECT_EQ(EvidenceWarning(evidence),
            "the whole design is routed at 93.5 MHz, below the configuration's clock of 100 MHz");
}

/// Real tools, on real blocks of pynq.yaml, with one seed; floors are 15 % over its clock.
class PlaceFloor : public ::testing::TestWithParam<std::pair<const char*, double>> {};

TEST_P(PlaceFloor, Holds) {
  if (!synth::FindPlaceTools()) GTEST_SKIP() << "no nextpnr for Xilinx 7: scripts/place-tools fetches it";
  const auto [block, floor] = GetParam();
  Diagnostics diags;
  const auto placement = synth::Place(SpecFor("pynq.yaml"), {.block = block, .seeds = {1}}, diags);
  ASSERT_TRUE(placement.has_value()) << diags.Render();
  EXPECT_THAT(placement->uncovered, ElementsAre());
  EXPECT_GE(placement->BlocksMhz(), floor) << placement->blocks[0].Slowest().path.back().name;
}

INSTANTIATE_TEST_SUITE_P(Pynq, PlaceFloor,
                         ::testing::Values(std::pair("alu_lane", 115.0), std::pair("load_front", 115.0)),
                         [](const auto& info) { return std::string(info.param.first); });

}  // namespace
}  // namespace cosim::testing
