// SPDX-License-Identifier: Apache-2.0
// What the generator refuses, and that it always prints the same. That what it prints is right, lockstep
// shows.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "isa/spec/loader.h"
#include "isa/spec/registers.h"
#include "isa/sv/generate.h"
#include "tests/hw/models.h"

namespace cosim::testing {
namespace {

using ::testing::HasSubstr;

constexpr char kHere[] = COSIM_SOURCE_DIR "/tests/hw/";

struct Pair {
  std::string isa, config;
};
const Pair kLoadGemm = {kHere + std::string("load_gemm.yaml"), kHere + std::string("narrow.yaml")};
const Pair kCosim = {COSIM_SOURCE_DIR "/isa/cosim.yaml", COSIM_SOURCE_DIR "/configs/tiny.yaml"};

/// The pair with one text of the ISA replaced, overrides of the configuration, and one text left out.
isa::Spec Load(const Pair& pair, const std::string& from, const std::string& to,
               const std::vector<isa::Override>& overrides, const std::string& without = "") {
  Diagnostics diags;
  std::optional<isa::SourceText> isa = isa::ReadSource(pair.isa, diags);
  const std::optional<isa::SourceText> config = isa::ReadSource(pair.config, diags);
  if (!from.empty()) {
    const size_t at = isa->text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    isa->text.replace(at, from.size(), to);
  }
  if (!without.empty()) isa->text.erase(isa->text.find(without), without.size());
  std::optional<isa::Spec> spec = isa::Elaborate(*isa, *config, overrides, diags);
  EXPECT_TRUE(spec.has_value()) << diags.Render();
  return std::move(*spec);
}

std::string Refusal(const isa::Spec& spec) {
  Diagnostics diags;
  isa::CheckSv(spec, diags);
  return diags.HasErrors() ? diags.Render() : "";
}

TEST(GenerateSv, IsTheSameEveryTime) {
  const isa::Spec& spec = SpecOf("odd");
  const std::vector<isa::SvFile> first = isa::GenerateSv(spec), second = isa::GenerateSv(spec);
  ASSERT_EQ(first.size(), second.size());
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].name, second[i].name);
    EXPECT_EQ(first[i].text, second[i].text);
  }
}

std::string TextOf(const isa::Spec& spec, std::string_view file) {
  for (const isa::SvFile& generated : isa::GenerateSv(spec)) {
    if (generated.name == file) return generated.text;
  }
  return "";
}

/// The registers of a text that take values without waiting for `enable`.
int Restless(const std::string& text, const std::string& enable) {
  constexpr std::string_view kRegister = "always_ff @(posedge ";
  int restless = 0;
  for (size_t at = text.find(kRegister); at != std::string::npos; at = text.find(kRegister, at + 1)) {
    const size_t behind = text.find_first_not_of(" \n", text.find(')', at) + 1);
    const bool begins = text.compare(behind, 5, "begin") == 0;
    const size_t first = begins ? text.find_first_not_of(" \n", behind + 5) : behind;
    restless += text.compare(first, enable.size(), enable) != 0 ? 1 : 0;
  }
  return restless;
}

TEST(GenerateSv, RegistersOfLanesWaitForTheEnableThatMayStopTheirClock) {
  for (const char* name : {"tiny_cosim", "parts", "grouped"}) {
    SCOPED_TRACE(name);
    for (const isa::SvFile& file : isa::GenerateSv(SpecOf(name))) {
      if (file.name.find("alu_lane_") != 0) continue;
      EXPECT_THAT(file.text, HasSubstr("always_ff")) << file.name;
      EXPECT_EQ(Restless(file.text, "if (enable_i)"), 0) << file.name;
    }
  }
  for (const char* file : {"rounding_shifter.sv", "pipelined_multiplier.sv", "enabled_delay.sv"}) {
    std::ifstream in(COSIM_SOURCE_DIR "/hw/rtl/" + std::string(file));
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    EXPECT_THAT(text, ::testing::ContainsRegex("always_ff|enabled_delay")) << file;
    EXPECT_EQ(Restless(text, "if (enable_i)"), 0) << file;
  }
  EXPECT_EQ(Restless("always_ff @(posedge clk_i) begin\n  a_q <= a_d;", "if (enable_i)"), 1);
}

TEST(GenerateSv, NamesTheInterfaceOfEachMemoryPort) {
  const std::string one = TextOf(SpecOf("tiny_cosim"), "cosim_top.sv");
  EXPECT_THAT(one, HasSubstr("\n  // Memory port 0: fetch, load, store.\n  output logic m_axi_arvalid,\n"));
  EXPECT_THAT(one, HasSubstr("\n    .m_axi_araddr ({m_axi_araddr}),\n"));
  EXPECT_THAT(one, ::testing::Not(HasSubstr("m_axi_1_")));
  const std::string three = TextOf(SpecOf("ports"), "cosim_top.sv");
  EXPECT_THAT(three, HasSubstr("\n  // Memory port 0: fetch, load.\n  output logic m_axi_arvalid,\n"));
  EXPECT_THAT(three, HasSubstr("\n  // Memory port 1: fill.\n  output logic m_axi_1_arvalid,\n"));
  EXPECT_THAT(three, HasSubstr("\n  // Memory port 2: store.\n  output logic m_axi_2_arvalid,\n"));
  EXPECT_THAT(three, HasSubstr("\n    .m_axi_araddr ({m_axi_2_araddr, m_axi_1_araddr, m_axi_araddr}),\n"));
}

TEST(GenerateSv, LosesATurnOnlyToRequestersOfTheSamePort) {
  const std::string text = TextOf(SpecOf("ports"), "accelerator.sv");
  for (const char* lost : {"(req_valid[1] & ~req_ready[1] & (req_ready[0 +: 2] != '0))",
                           "(req_valid[2] & ~req_ready[2] & (req_ready[2 +: 1] != '0))"})
    EXPECT_NE(text.find(lost), std::string::npos) << lost;
}

TEST(CheckSv, AcceptsTheModelsUnderTest) {
  for (const std::string& model : AllModels()) EXPECT_EQ(Refusal(SpecOf(model)), "");
}

TEST(CheckSv, RefusesAGemmLatencyBelowThePipelinesDepth) {
  const isa::Spec spec = Load(kLoadGemm, "9 + log2ceil(block_in) + gemm_slack", "10 + gemm_slack", {});
  EXPECT_THAT(Refusal(spec), HasSubstr("unit 'gemm' has a latency of 10"));
  EXPECT_THAT(Refusal(spec), HasSubstr("at least 11, the depth of its pipeline"));
}

TEST(CheckSv, RefusesAPairOfProductsThatADspCannotHold) {
  const isa::Spec spec =
      Load(kCosim, "", "", {{"parameters.wgt_bits", "16"}, {"hardware.macs_per_dsp", "2"}});
  EXPECT_THAT(Refusal(spec), HasSubstr("--set hardware.macs_per_dsp=2"));
  EXPECT_THAT(Refusal(spec), HasSubstr("hardware.macs_per_dsp is 2, with 8 bits by 16"));
}

TEST(CheckSv, RefusesATableThatIsReadBesides) {
  const isa::Spec spec =
      Load(kCosim, R"~(operands: {}, result: "acc[dst]", body: ["wrap(imm, acc_bits)"])~",
           R"~(operands: {t: "tab[aux]"}, result: "acc[dst]", body: ["wrap(t + imm, acc_bits)"])~", {});
  EXPECT_THAT(Refusal(spec), HasSubstr("'tab' is looked up, and read or written besides"));
  EXPECT_THAT(Refusal(spec), HasSubstr("a memory for look-ups alone, which loads fill"));
}

TEST(GenerateSv, HasACopyOfATableForEachLane) {
  const std::string text = TextOf(SpecOf("tiny_cosim"), "alu_alu.sv");
  EXPECT_THAT(text, HasSubstr(".Depth(cosim_pkg::MemTabDepth), .Copies(4)"));
  EXPECT_THAT(TextOf(SpecOf("tiny_cosim"), "accelerator.sv"), ::testing::Not(HasSubstr("i_mem_tab")));
}

TEST(CheckSv, RefusesMoreInputsInLutsThanATileHas) {
  const isa::Spec spec = Load(kCosim, "", "", {{"parameters.block_in", "8"}, {"hardware.lut_inputs", "9"}});
  EXPECT_THAT(Refusal(spec), HasSubstr("hardware.lut_inputs is 9, with tiles of 8 inputs"));
}

/// Whether two products of the array share a multiplier.
bool Pairs(const std::vector<isa::Override>& overrides) {
  return TextOf(Load(kCosim, "", "", overrides), "accelerator.sv").find(".MacsPerDsp(2)") !=
         std::string::npos;
}

TEST(GenerateSv, PairsProductsThatFitUnlessToldOtherwise) {
  EXPECT_TRUE(Pairs({}));
  EXPECT_TRUE(Pairs({{"hardware.macs_per_dsp", "2"}}));
  EXPECT_FALSE(Pairs({{"hardware.macs_per_dsp", "1"}}));
  EXPECT_FALSE(Pairs({{"parameters.wgt_bits", "16"}}));
}

TEST(GenerateSv, WritesBytesOfTheMemoryThatPiecesAreGatheredInto) {
  const isa::Spec cosim = SpecOf("tiny_cosim"), vta = SpecOf("tiny_vta");
  const std::string text = TextOf(cosim, "accelerator.sv");
  const size_t inp = text.find(".Width(cosim_pkg::MemInpBits)");
  EXPECT_EQ(text.find(".SliceBits(8)", inp), text.find(".SliceBits(", inp));
  EXPECT_EQ(text.find(".SliceBits(8)"), text.rfind(".SliceBits(8)"));
  EXPECT_THAT(text, HasSubstr(".PieceBytes ("));
  EXPECT_THAT(TextOf(vta, "accelerator.sv"), ::testing::Not(HasSubstr(".PieceBytes (")));
}

TEST(CheckSv, RefusesPiecesInAMemoryThatIsWrittenLaneByLane) {
  const auto refusal = [](const char* acc_bits) {
    isa::Spec spec = Load(kCosim, "", "", {{"parameters.alu_lanes", "2"}, {"parameters.acc_bits", acc_bits}});
    EXPECT_EQ(Refusal(spec), "");
    spec.formats[spec.FormatIndex("gather_inp")].memory = spec.MemoryIndex("acc");
    return Refusal(spec);
  };
  EXPECT_THAT(refusal("30"),
              HasSubstr("'gather_inp' gathers pieces into 'acc', which 'alu' writes lane by lane"));
  EXPECT_EQ(refusal("32"), "") << "lanes of whole bytes";
}

TEST(CheckSv, RefusesPiecesInAMemoryThatHasAMirror) {
  isa::Spec spec = SpecOf("tiny_cosim");
  spec.memories[spec.MemoryIndex("out")].mirrors = spec.MemoryIndex("inp");
  EXPECT_THAT(Refusal(spec), HasSubstr("'gather_inp' gathers pieces into 'inp', which 'out' mirrors"));
}

TEST(CheckSv, RefusesAMemoryFasterThanTheAddressRegister) {
  EXPECT_THAT(Refusal(Load(kLoadGemm, "", "", {{"memory.latency", "1"}})), HasSubstr("memory.latency is 1"));
}

TEST(CheckSv, RefusesAProductOfAnotherShape) {
  const isa::Spec spec = Load(kLoadGemm, "wgt[wgt][o, k]", "wgt[wgt][k, o]", {});
  EXPECT_THAT(Refusal(spec), HasSubstr("a product of two matrices"));
}

TEST(CheckSv, RefusesAnAluLatencyBelowThePipelinesDepth) {
  const isa::Spec spec = Load(kCosim, "latency: 6 + alu_stages", "latency: 5 + alu_stages", {});
  EXPECT_THAT(Refusal(spec), HasSubstr("unit 'alu' has a latency of 17"));
}

TEST(CheckSv, RefusesAluInstructionsThatOverlap) {
  const isa::Spec spec = Load(kCosim, "overlap: false, latency: 6", "overlap: true, latency: 6", {});
  EXPECT_THAT(Refusal(spec), HasSubstr("unit 'alu' overlaps alu instructions"));
}

TEST(CheckSv, RefusesAnOpThatReadsAMemoryThreeTimes) {
  const std::string two =
      R"yaml({a: "acc[dst]", b: "acc[src]"}, result: "acc[dst]", body: ["max(a, b)"])yaml";
  const std::string three =
      R"yaml({a: "acc[dst]", b: "acc[src]", c: "acc[dst]"}, result: "acc[dst]", body: ["max(a, max(b, c))"])yaml";
  const isa::Spec spec = Load(kCosim, two, three, {});
  EXPECT_THAT(Refusal(spec), HasSubstr("'max' reads 'acc' more than twice a step"));
}

constexpr char kRows[] =
    "axes: {r: tap_rows, t: taps}\n    computes: acc[dst][b, o] += inp[src + t + src_row * r][b, o] * "
    "wgt[wgt][o, taps * r + t]";
constexpr char kPairs[] =
    "axes: {t: taps, g: 2}\n    computes: acc[dst][b, o] += inp[src + t][b, 2 * floor_div(o, 2) + g] * "
    "wgt[wgt][o, 2 * t + g]";

/// cosim.yaml on tiles of 8 by 8, what its instruction along rows computes replaced.
isa::Spec LoadRows(const std::string& computes, const std::string& macs_per_dsp = "2") {
  const std::vector<isa::Override> overrides = {{"parameters.block_in", "8"},
                                                {"parameters.block_out", "8"},
                                                {"parameters.taps", "2"},
                                                {"hardware.macs_per_dsp", macs_per_dsp}};
  const bool lies_apart = computes.find("src_row") != std::string::npos;
  return Load(kCosim, kRows, computes, overrides,
              lies_apart ? "" : "      src_row: uint(index_bits(inp.depth))   # elements from row to row\n");
}

TEST(CheckSv, TakesRowsOfSingleChannelsAndOfPairsWhereProductsShareADsp) {
  constexpr char kFours[] =
      "axes: {t: taps, g: 4}\n    computes: acc[dst][b, o] += inp[src + t][b, 4 * floor_div(o, 4) + g] * "
      "wgt[wgt][o, 4 * t + g]";
  for (const char* form : {kRows, kPairs, kFours})
    for (const char* macs : {"1", "2"}) EXPECT_EQ(Refusal(LoadRows(form, macs)), "") << form;
}

TEST(CheckSv, TakesOneTapMoreThanThereArePlacesForPairsOfChannels) {
  const auto refusal = [](int taps, int rows) {
    isa::Spec spec = LoadRows(kRows);
    isa::Intrinsic& intrinsic = *spec.formats[spec.FormatIndex("gemm_rows")].intrinsic;
    isa::Operand& source = intrinsic.sources[0];
    intrinsic.axes[source.row_axis].extent = source.parts = taps;
    intrinsic.axes[source.line_axis].extent = source.lines = rows;
    for (isa::LaneTerm& term : intrinsic.sources[1].lanes[1])
      if (term.axis == source.line_axis) term.scale = source.parts;
    return Refusal(spec);
  };
  EXPECT_EQ(refusal(2, 2), "");
  EXPECT_EQ(refusal(1, 5), "");
  EXPECT_THAT(refusal(3, 2), HasSubstr("6 taps of 2 channels, of elements of 8"));
  EXPECT_THAT(refusal(3, 2), HasSubstr("at most 5 taps in all"));
}

TEST(CheckSv, RefusesRowsOfAnotherForm) {
  EXPECT_THAT(
      Refusal(LoadRows("axes: {t: taps, g: 2}\n    computes: acc[dst][b, o] += inp[src + t][b, g + g] * "
                       "wgt[wgt][o, 2 * t + g]")),
      HasSubstr("or along rows, dst[b, o] += x[+ t + P * r][b, G * floor_div(o, G) + g] * y[o, (T * r + t) * "
                "G + g]"));
}

TEST(CheckSv, RefusesRowsThatTheArrayBesideThemDoesNotReach) {
  const isa::Spec whole = LoadRows(kPairs);
  const auto edited = [&](const std::function<void(isa::Spec&, isa::InstructionFormat&)>& edit) {
    isa::Spec spec = whole;
    edit(spec, spec.formats[spec.FormatIndex("gemm_rows")]);
    return Refusal(spec);
  };
  EXPECT_THAT(edited([](isa::Spec& spec, isa::InstructionFormat&) {
                std::erase_if(spec.formats, [](const auto& format) { return format.name == "gemm"; });
              }),
              HasSubstr("'gemm_rows' multiplies along rows, and its unit has no product of matrices"));
  EXPECT_THAT(
      edited([](isa::Spec&, isa::InstructionFormat& rows) { rows.intrinsic->sources[0].index = "wgt"; }),
      HasSubstr("'gemm_rows' multiplies along rows of other operands than 'gemm'"));
  EXPECT_THAT(edited([](isa::Spec&, isa::InstructionFormat& rows) { rows.intrinsic->axes[2].extent = 5; }),
              HasSubstr("5 taps of 2 channels, of elements of 8"));
}

TEST(GenerateSv, HasACopyOfTheMemoryForEachRowReadAtOnce) {
  const std::string text = TextOf(SpecOf("window"), "accelerator.sv");
  EXPECT_THAT(text, HasSubstr(".Copies(2), .ReaderCopy({32'd0, 32'd1, 32'd0})\n  ) i_mem_inp ("));
  EXPECT_THAT(TextOf(SpecOf("grouped"), "accelerator.sv"), ::testing::Not(HasSubstr(".ReaderCopy")));
}

TEST(CheckSv, RefusesAResponseFasterThanTheDataReachTheBus) {
  EXPECT_THAT(Refusal(Load(kCosim, "", "", {{"memory.write_latency", "2"}})),
              HasSubstr("memory.write_latency is 2"));
}

TEST(CheckSv, RefusesAddressesWiderThanTheBus) {
  EXPECT_THAT(Refusal(Load(kLoadGemm, "dram: uint(32)", "dram: uint(40)", {})),
              HasSubstr("field 'dram' of 'load_inp' has 40 bits"));
}

TEST(CheckSv, RefusesProductsOfUnsignedNumbers) {
  EXPECT_THAT(Refusal(Load(kLoadGemm, "type: int(inp_bits)", "type: uint(inp_bits)", {})),
              HasSubstr("'gemm' multiplies elements of 'inp'"));
}

TEST(CheckSv, RefusesAUnitOfSyncsAlone) {
  isa::Spec spec = SpecOf("narrow");
  std::erase_if(spec.formats,
                [](const isa::InstructionFormat& format) { return format.kind == isa::Kind::kGemm; });
  EXPECT_THAT(Refusal(spec), HasSubstr("unit 'gemm' executes nothing but syncs"));
}

TEST(CheckSv, RefusesALedgerThatTheRegistersHaveNoRoomFor) {
  isa::Spec spec = SpecOf("tiny_cosim");
  while (isa::registers::LedgerBytes(spec) <= isa::registers::kSize - isa::registers::kLedger) {
    EXPECT_EQ(Refusal(spec), "");
    isa::Queue queue = spec.queues[0];
    queue.name = fmt::format("more{}", spec.queues.size());
    spec.queues.push_back(queue);
  }
  EXPECT_THAT(Refusal(spec), HasSubstr("the ledger of 4 units and 60 queues takes 4096 bytes of registers"));
  EXPECT_THAT(Refusal(spec), HasSubstr("the RTL needs at most 2048"));
}

TEST(CheckSv, RefusesNamesThatTwoThingsWouldHave) {
  isa::Spec spec = SpecOf("tiny_cosim");
  spec.units[1].name = spec.units[0].name + "_load";
  EXPECT_THAT(Refusal(spec), HasSubstr("the unit 'load_load' would give two things one name"));
  spec = SpecOf("tiny_cosim");
  spec.queues[1].name = "Load_to_gemm";
  spec.queues[0].name = "load_toGemm";
  EXPECT_THAT(Refusal(spec), HasSubstr("the queue 'Load_to_gemm' would give"));
  spec = SpecOf("tiny_cosim");
  spec.memories[spec.MemoryIndex("acc")].name = "index0";
  EXPECT_THAT(Refusal(spec), HasSubstr("the memory 'index0' would give"));
  spec = SpecOf("tiny_cosim");
  spec.memories[spec.MemoryIndex("acc")].name = "group";
  EXPECT_THAT(Refusal(spec), HasSubstr("the memory 'group' would give"));
}

TEST(Elaborate, RefusesAPortTooNarrowByItsKey) {
  Diagnostics diags;
  EXPECT_FALSE(isa::LoadSpec(kCosim.config, kCosim.isa, {{"memory.port_bits", "8"}}, diags));
  EXPECT_THAT(diags.Render(), HasSubstr("'port_bits' of 'memory' is 8"));
}

}  // namespace
}  // namespace cosim::testing
