// SPDX-License-Identifier: Apache-2.0
// Edits of an ISA that once crashed, or sent work to the host for a reason that was none; and a short run of
// random ones, of which scripts/fuzz-isa makes long runs.
#include <gmock/gmock.h>

#include <array>

#include "compiler/session/session.h"
#include "tests/network_fuzz/isa_case.h"
#include "tests/network_fuzz/network_case.h"
#include "tests/network_unit/testing.h"
#include "tests/sanitized.h"

namespace cosim::testing {
namespace {

using network::GraphBuilder;
using ::testing::HasSubstr;

std::string ReadText(const std::string& path) {
  Diagnostics diags;
  return isa::ReadSource(std::string(COSIM_SOURCE_DIR) + "/" + path, diags)->text;
}

struct Edited {
  bool on_accelerator = false;
  std::string reason;  // of the last layer
  std::string fault;   // of a device
};

/// `graph` under isa/NAME.yaml after edits, each of which has to apply.
Edited RunOn(const graph::Graph& graph, const std::vector<std::string>& edits,
             const std::string& name = "cosim", const std::vector<isa::Override>& overrides = {}) {
  Diagnostics diags;
  auto tree = isa::ParseYaml({"isa.yaml", ReadText("isa/" + name + ".yaml")}, diags);
  for (const std::string& text : edits) EXPECT_TRUE(Apply(*ParseEdit(text), *tree)) << text;
  const auto spec = isa::Elaborate({"edited.yaml", Emit(*tree)}, {"tiny.yaml", ReadText("configs/tiny.yaml")},
                                   overrides, diags);
  if (!spec) return {false, diags.Render(), "refused"};
  const auto network = session::CompileFor(*spec, graph, {});
  EXPECT_EQ(session::VerifyPrograms(*spec, network), "");
  Edited result;
  for (const auto& layer : network.layers) {
    if (layer.op.starts_with("pack") || layer.op == "unpack") continue;
    result.on_accelerator = layer.on_accelerator;
    result.reason = layer.reason;
  }
  std::string refusal;
  result.fault = FaultOnDevices(*spec, network, graph, 7, false, refusal);
  return result;
}

graph::Graph Convolution(bool shift_only = false) {
  GraphBuilder b;
  b.graph.SetOutputs({b.Conv(b.Input({1, 9, 6, 6}), 10, {.pad = {1, 1, 1, 1}}, 3, 3, shift_only)});
  return b.graph;
}

void ExpectAccelerated(const Edited& edited) {
  EXPECT_TRUE(edited.on_accelerator) << edited.reason;
  EXPECT_EQ(edited.fault, "");
}

void ExpectHost(const Edited& edited, const std::string& reason) {
  EXPECT_FALSE(edited.on_accelerator);
  EXPECT_EQ(edited.reason, reason);
  EXPECT_EQ(edited.fault, "");
}

const char* const kWeightsByInput =
    "set:instructions/gemm/computes=acc[dst][b, o] += inp[src][b, k] * wgt[wgt][k, o]";

TEST(IsaEdits, WeightsMayStandByInput) {
  for (const char* isa : {"cosim", "vta"})
    ExpectAccelerated(RunOn(Convolution(true), {kWeightsByInput}, isa));
  const std::vector<std::string> oblong = {kWeightsByInput, "swap:memories/wgt/lanes/0"};
  for (const char* extent : {"8", "6"})
    ExpectAccelerated(RunOn(Convolution(), oblong, "cosim", {{"parameters.block_in", extent}}));
}

TEST(IsaEdits, MatricesOfActivationsMayStandByInput) {
  GraphBuilder b;
  const auto x = b.Input({1, 9, 2, 5});
  const auto product = b.Add(graph::MatMul{}, {x, b.Input({1, 9, 2, 5}, "y")});
  b.graph.SetOutputs(
      {b.Add(graph::Requantize{.multiplier = {1 << 30}, .shift = {40}, .zero_point = 0}, {product})});
  ExpectAccelerated(RunOn(b.graph, {}));
  ExpectAccelerated(RunOn(b.graph, {kWeightsByInput}));
  for (const char* extent : {"8", "6"})
    ExpectAccelerated(RunOn(b.graph, {kWeightsByInput, "swap:memories/wgt/lanes/0"}, "cosim",
                            {{"parameters.block_in", extent}}));
}

TEST(IsaEdits, ActivationsHaveTheirRowsFirst) {
  ExpectHost(
      RunOn(Convolution(),
            {"set:instructions/gemm/computes=acc[dst][b, o] += inp[src][k, b] * wgt[wgt][o, k]"}, "cosim",
            {{"parameters.batch", "4"}}),
      "instruction 'gemm': computes acc[dst][b, o] += inp[src][k, b] * wgt[wgt][o, k]: rows of activations "
      "have to come first, as in acc[b, o] += inp[b, k] * wgt[o, k]");
}

TEST(IsaEdits, MicroOpsWithoutAnIndexAreNamed) {
  ExpectHost(RunOn(Convolution(), {"drop:memories/gemm_uop/fields/wgt"}),
             "instruction 'gemm': micro-ops of 'gemm_uop' have no field 'wgt'");
  const Edited edited = RunOn(Convolution(), {"drop:memories/alu_uop/fields/aux"});
  EXPECT_FALSE(edited.on_accelerator);
  EXPECT_THAT(edited.reason, HasSubstr("micro-ops of 'alu_uop' have no field 'aux'"));
}

TEST(IsaEdits, AnotherStoreInstructionChangesNothing) {
  const std::vector<std::string> edits = {
      "copy:instructions/store_out=store_acc", "set:instructions/store_acc/memory=acc",
      "set:instructions/store_acc/fields/sram=uint(index_bits(acc.depth))",
      "add:instructions/store_acc/fields/lock_acc=uint(acc.banks)"};
  ExpectAccelerated(RunOn(Convolution(), edits));
  // Before the one that is meant, too, and through one mirror twice.
  std::vector<std::string> first = edits;
  for (int i = 0; i < 5; ++i) first.emplace_back("swap:instructions/store_acc");
  ExpectAccelerated(RunOn(Convolution(), first));
  ExpectAccelerated(RunOn(Convolution(true), {"copy:instructions/store_out=again"}, "vta"));
}

TEST(IsaEdits, FieldsOfParametersAreFoundByTheirUse) {
  ExpectAccelerated(RunOn(Convolution(), {"word:mult=factor"}));
  ExpectAccelerated(RunOn(Convolution(), {"word:bias=zbias", "word:par=zpar"}));
  ExpectAccelerated(RunOn(Convolution(), {"swap:memories/par/fields/mult", "clone:par=spare"}));
}

TEST(IsaEdits, ParametersThatDoNotFitAreNamed) {
  const Edited narrow = RunOn(Convolution(), {"set:memories/par/fields/mult=int(16)"});
  EXPECT_FALSE(narrow.on_accelerator);
  EXPECT_THAT(narrow.reason,
              ::testing::MatchesRegex("a multiplier of [0-9]+: field 'mult' of 'par' holds -32768 to 32767"));
  EXPECT_THAT(RunOn(Convolution(), {"set:memories/par/fields/shift=uint(4)"}).reason,
              ::testing::MatchesRegex("a shift of [0-9]+: field 'shift' of 'par' holds 0 to 15"));
  EXPECT_THAT(RunOn(Convolution(), {"set:memories/par/fields/bias=uint(acc_bits)"}).reason,
              ::testing::MatchesRegex("a bias of -[0-9]+: field 'bias' of 'par' holds 0 to 4294967295"));
}

TEST(IsaEdits, CopiesOfEverythingAreChosenFrom) {
  ExpectAccelerated(RunOn(Convolution(), {"clone:wgt=spare"}));
  ExpectAccelerated(RunOn(Convolution(), {"clone:out=spare"}));
  // Two gemm instructions, of which the first cannot start a sum.
  ExpectAccelerated(
      RunOn(Convolution(), {"copy:instructions/gemm=again", "drop:instructions/gemm/fields/overwrite"}));
  // A second load of activations pads; the first no longer does.
  ExpectAccelerated(RunOn(Convolution(),
                          {"copy:instructions/load_inp=again", "drop:instructions/load_inp/fields/pad_top"}));
}

TEST(IsaEdits, WithoutAnAluNoUnitRequantizes) {
  std::vector<std::string> edits = {"set:instructions/store_out/memory=acc",
                                    "set:instructions/store_out/fields/sram=uint(index_bits(acc.depth))",
                                    "add:instructions/store_out/fields/lock_acc=uint(acc.banks)"};
  for (const char* path :
       {"alu_ops", "instructions/alu", "instructions/sync_alu", "instructions/load_alu_uop",
        "instructions/load_par", "memories/alu_uop", "memories/par", "memories/out", "parameters/out_bytes",
        "parameters/par_depth", "queues/load_to_alu", "queues/gemm_to_alu", "queues/alu_to_load",
        "queues/alu_to_gemm", "queues/alu_to_store", "queues/store_to_alu", "queues/fill_to_alu",
        "queues/alu_to_fill", "units/alu"})
    edits.push_back(std::string("drop:") + path);
  const Edited edited = RunOn(Convolution(), edits);
  EXPECT_FALSE(edited.on_accelerator);
  EXPECT_THAT(edited.reason, HasSubstr("no unit can requantize"));
  EXPECT_EQ(edited.fault, "");
}

// One pass of the ALU reads what the one before wrote.
TEST(IsaEdits, AnAluWhoseInstructionsOverlapIsNamed) {
  const Edited edited = RunOn(Convolution(), {"set:units/alu/overlap=true"});
  EXPECT_FALSE(edited.on_accelerator);
  EXPECT_THAT(edited.reason,
              HasSubstr("unit 'alu' may start an instruction before the one before has retired"));
  EXPECT_EQ(edited.fault, "");
}

TEST(IsaEdits, MicroOpsTooNarrowForATileAreNamed) {
  const Edited edited = RunOn(Convolution(), {"set:memories/gemm_uop/fields/wgt=uint(1)"});
  EXPECT_FALSE(edited.on_accelerator);
  EXPECT_THAT(edited.reason, HasSubstr("field 'wgt' of 'gemm_uop' holds 0 to 1 and would need"));
  EXPECT_EQ(edited.fault, "");
}

TEST(IsaEdits, UnsignedMemoriesAreNamed) {
  ExpectHost(
      RunOn(Convolution(), {"set:memories/inp/type=uint(inp_bits)", "drop:alu_ops/requant_inp"}),
      "instruction 'store_out' stores no results: 'out' has lanes of int8, and 'inp', where they are read "
      "again, of uint8");
  ExpectHost(RunOn(Convolution(), {"set:memories/wgt/type=uint(wgt_bits)"}),
             "weights are signed, 'wgt' has lanes of uint8");
}

TEST(IsaFuzz, RandomEditsAreExactOrSayWhyNot) {
  constexpr int kCases = Cases(40);
  std::array<int, kIsaOutcomes> kinds{};
  int works = 0;
  for (uint64_t seed = 1; seed <= kCases; ++seed) {
    const IsaCase c = DrawIsaCase(seed);
    const IsaOutcome outcome = RunIsaCaseIsolated(c, 60);
    EXPECT_TRUE(outcome.Good()) << Name(outcome.kind) << ": " << outcome.text << "\n--case='" << ToString(c)
                                << "'";
    ++kinds[static_cast<size_t>(outcome.kind)];
    works += outcome.works;
  }
  EXPECT_GE(10 * works, 3 * kCases);
  EXPECT_GT(kinds[static_cast<size_t>(IsaOutcome::Kind::kRefused)], 0);
}

TEST(IsaCase, SurvivesItsText) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    const std::string text = ToString(DrawIsaCase(seed));
    const auto parsed = ParseIsaCase(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(ToString(*parsed), text);
  }
  EXPECT_FALSE(ParseIsaCase("isa=cosim"));
  EXPECT_FALSE(ParseIsaCase("isa=cosim edits=bend:memories"));
}

TEST(IsaCase, TreesSurviveTheirText) {
  for (const char* isa : {"cosim", "vta"}) {
    Diagnostics diags;
    const auto tree = isa::ParseYaml({"isa.yaml", ReadText(std::string("isa/") + isa + ".yaml")}, diags);
    const auto again = isa::ParseYaml({"again.yaml", Emit(*tree)}, diags);
    ASSERT_TRUE(again) << diags.Render();
    EXPECT_EQ(Emit(*again), Emit(*tree));
  }
}

TEST(IsaCase, ReasonsThatNoEditExplainsAreFound) {
  Diagnostics diags;
  const auto tree = isa::ParseYaml({"isa.yaml", ReadText("isa/cosim.yaml")}, diags);
  const std::vector<IsaEdit> queue = {*ParseEdit("drop:queues/alu_to_store")};
  EXPECT_EQ(Untrue("no chain of queues leads from unit 'alu' to unit 'store'", *tree, queue), "");
  EXPECT_EQ(Untrue("buffer 'wgt' holds 1 elements and the smallest tile needs 2, 1 more", *tree,
                   {*ParseEdit("set:memories/par/depth=1")}),
            "names nothing that is touched");
  const std::string padding = "window: in tiles that fit, some see padding alone, which no load makes";
  EXPECT_EQ(Untrue(padding, *tree, {*ParseEdit("set:memories/out/depth=2")}), "");
  EXPECT_EQ(Untrue(padding, *tree, queue), "of a part of the ISA that is as it was");
  EXPECT_EQ(Untrue("'acc' is too small", *tree, queue), "no reason that is known");
  EXPECT_EQ(Untrue("weights are signed, 'wgt' has lanes of uint8", *tree, queue),
            "of a part of the ISA that is as it was");
  EXPECT_EQ(Untrue("", *tree, queue), "no reason");
}

}  // namespace
}  // namespace cosim::testing
