// SPDX-License-Identifier: Apache-2.0
// cosim isa diff and cosim isa new.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/command.h"

namespace cosim::cli::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class Isas : public Command {
 protected:
  /// What `isa diff` says of isa/cosim.yaml and itself with one text replaced.
  std::string DifferenceOf(const std::string& from, const std::string& to) {
    WriteChanged("isa/cosim.yaml", "mine.yaml", from, to);
    return Good("isa diff cosim mine.yaml --config=tiny.yaml").out;
  }
};

TEST_F(Isas, AnIsaIsTheSameAsItself) {
  EXPECT_EQ(Good("isa diff vta vta.yaml").out, "vta and vta.yaml are the same\n");
  EXPECT_EQ(DifferenceOf("doc: Accumulators.", "doc: Sums."), "cosim and mine.yaml are the same\n");
}

TEST_F(Isas, AnOpMoreLeavesProgramsAsTheyAre) {
  EXPECT_EQ(DifferenceOf("alu_ops:\n",
                         "alu_ops:\n  absdiff: {code: 20, operands: {a: \"acc[dst]\", b: \"acc[src]\"}, "
                         "result: \"acc[dst]\", body: [\"d = max(a, b) - min(a, b)\", stage, "
                         "\"wrap(d, acc_bits)\"]}\n"),
            R"(cosim -> mine.yaml
alu_ops
  + absdiff  code 20, instruction alu, operands.a acc[dst], operands.b acc[src], result acc[dst], computes d = max(a, b) - min(a, b); wrap(d, acc_bits), stages 1, after lines 1
programs for cosim decode alike under mine.yaml: yes
)");
}

TEST_F(Isas, AWiderFieldMovesThoseAboveIt) {
  const std::string text = DifferenceOf("piece_first: uint(", "piece_first: uint(2 + ");
  EXPECT_THAT(text, HasSubstr("instructions\n  ~ gather_inp\n      fields.piece_first  uint3 at bits "));
  EXPECT_THAT(text, HasSubstr("\n      fields.piece_step   uint6 at bits "));
  EXPECT_THAT(text,
              EndsWith("programs for cosim decode alike under mine.yaml: no\n"
                       "  field 'piece_first' of instruction 'gather_inp' is uint5 instead of uint3\n"));
}

TEST_F(Isas, WhatAnOpComputesIsToldFromItsRegisters) {
  const std::string staged = DifferenceOf("[\"min(a, b)\"]", "[\"less = min(a, b)\", stage, less]");
  EXPECT_THAT(staged, HasSubstr("  ~ min\n"));
  EXPECT_THAT(staged, HasSubstr("      computes  min(a, b) -> less = min(a, b); less\n"
                                "      stages    0 -> 1, after lines 1\n"));
  EXPECT_THAT(staged, EndsWith("programs for cosim decode alike under mine.yaml: yes\n"));
  const std::string other = DifferenceOf("[\"min(a, b)\"]", "[\"max(a, b)\"]");
  EXPECT_THAT(other, EndsWith("decode alike under mine.yaml: no\n  ALU op 'min' computes something else\n"));
}

TEST_F(Isas, RemovedPartsAreNamed) {
  const std::string text = Good("isa diff cosim vta").out;
  EXPECT_THAT(text, HasSubstr("\n  - gather_inp  kind load, unit load, opcode 12, memory inp, "));
  EXPECT_THAT(text, HasSubstr("\n  + compute  commands 32, "));
  EXPECT_THAT(text, HasSubstr("\n  - load_to_gemm  from load, to gemm, capacity 16\n"));
  EXPECT_THAT(text, HasSubstr("\n  + compute_port  0\n"));
  EXPECT_THAT(
      text,
      HasSubstr("\nprograms for cosim decode alike under vta: no\n  words have 128 bits instead of 256\n"));
  EXPECT_THAT(text, HasSubstr("\n  there is no ALU op 'requant'\n"));
}

TEST_F(Isas, SmallerRoomIsACaution) {
  const std::string text =
      DifferenceOf("{from: store, to: alu, capacity: tokens}", "{from: store, to: alu, capacity: 2}");
  EXPECT_EQ(text, R"(cosim -> mine.yaml
queues
  ~ store_to_alu
      capacity  4 -> 2
programs for cosim decode alike under mine.yaml: yes
  but queue 'store_to_alu' holds 2 tokens instead of 4: programs may wait for ever
)");
}

TEST_F(Isas, DifferencesAsJson) {
  WriteChanged("isa/cosim.yaml", "mine.yaml", "opcode: 12\n", "opcode: 14\n");
  const auto json = nlohmann::json::parse(Good("isa diff cosim mine.yaml --json=-").out);
  EXPECT_EQ(json["schema"], 1);
  EXPECT_FALSE(json["same"].get<bool>());
  EXPECT_FALSE(json["decodes_alike"].get<bool>());
  ASSERT_EQ(json["obstacles"].size(), 1u);
  EXPECT_EQ(json["obstacles"][0].get<std::string>(), "instruction 'gather_inp' has opcode 14 instead of 12");
  ASSERT_EQ(json["parts"].size(), 1u);
  EXPECT_EQ(json["parts"][0]["section"].get<std::string>(), "instructions");
  EXPECT_EQ(json["parts"][0]["change"].get<std::string>(), "changed");
  EXPECT_EQ(json["parts"][0]["values"][0]["after"].get<std::string>(), "14");
}

TEST_F(Isas, ANewIsaRunsNetworksAndUsesAllItHas) {
  Good("isa new fresh -o fresh.yaml");
  EXPECT_THAT(ReadFile(folder_ / "fresh.yaml"), HasSubstr("\nisa: fresh\n"));
  EXPECT_THAT(ReadFile(folder_ / "fresh.yaml"), Not(HasSubstr("my_isa")));
  const Outcome run = Good("run small_cnn --config=pynq.yaml --isa=fresh.yaml");
  EXPECT_THAT(run.out, HasSubstr("outputs: 10 values, 0 mismatches against golden\n"));
  EXPECT_THAT(run.out, HasSubstr("small_cnn on pynq (fresh), "));
  EXPECT_THAT(run.out + run.err, Not(HasSubstr("never uses")));
}

TEST_F(Isas, ANewIsaFitsEveryConfiguration) {
  Good("isa new fresh -o fresh.yaml");
  for (const std::string config : {"tiny", "pynq", "pynq-max", "ultra96"})
    EXPECT_THAT(Good("check mlp --isa=fresh.yaml --config=" + config + ".yaml").out,
                HasSubstr("no deadlock"));
  Good("export --isa=fresh.yaml -o board");  // which asks for RTL of all of it
}

TEST_F(Isas, ANewIsaMayBeACopy) {
  Good("isa new mine --from=vta -o mine.yaml");
  EXPECT_EQ(ReadFile(folder_ / "mine.yaml"),
            ReplaceAll(ReadFile(std::filesystem::path(COSIM_SOURCE_DIR) / "isa/vta.yaml"), "\nisa: vta\n",
                       "\nisa: mine\n"));
  EXPECT_EQ(Good("isa diff vta mine.yaml").out, "vta and mine.yaml are the same\n");
}

TEST_F(Isas, MistakesAreRefused) {
  Write("there.yaml", "mine");
  EXPECT_EQ(ErrorOf("isa new fresh -o there.yaml"),
            "cosim: error: there.yaml is there already\n  hint: name a new file\n");
  EXPECT_EQ(ReadFile(folder_ / "there.yaml"), "mine");
  EXPECT_THAT(ErrorOf("isa new 2fast"), HasSubstr("'2fast' cannot be the name of an ISA"));
  EXPECT_THAT(ErrorOf("isa new vta"), HasSubstr("there is an ISA 'vta' already"));
  EXPECT_THAT(ErrorOf("isa new mine --from=vtb"), HasSubstr("error[E0001]"));
  EXPECT_THAT(ErrorOf("isa new mine --from=./there.yaml"), HasSubstr("error[E0007]"));
  EXPECT_THAT(ErrorOf("isa diff vta"), HasSubstr("usage: cosim isa diff A B\n"));
  EXPECT_THAT(ErrorOf("isa doc vta"), HasSubstr("cosim isa doc vta: there is no such page"));
  EXPECT_THAT(ErrorOf("isa doc syntax vta"), HasSubstr("there are too many arguments"));
  EXPECT_THAT(ErrorOf("isa gen vta"), HasSubstr("there are too many arguments"));
  EXPECT_THAT(ErrorOf("isa diff vta cosin"), HasSubstr("did you mean 'cosim"));
  EXPECT_THAT(ErrorOf("isa diff vta cosim --isa=vta"), HasSubstr("takes its two ISAs as arguments"));
  EXPECT_THAT(ErrorOf("isa doc syntax --json=a.json"),
              HasSubstr("--json is for `isa diff`, `isa doc` and `isa list`"));
  EXPECT_THAT(ErrorOf("isa list --from=vta"), HasSubstr("--from is for `isa new`"));
}

}  // namespace
}  // namespace cosim::cli::testing
