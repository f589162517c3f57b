// SPDX-License-Identifier: Apache-2.0
// Every verb: help that ends in an example, the example itself, and texts that go through assembler and
// disassembler.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "compiler/accel/pipeline.h"
#include "tests/cli/command.h"

namespace cosim::cli::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

class Verbs : public Command {
 protected:
  static std::string At(const std::string& path) { return std::string(COSIM_SOURCE_DIR) + "/" + path; }
};

/// The example's command, which is the help's last line, with paths of the source tree made absolute.
std::string Example(const std::string& help) {
  const std::string mark = "\nexample:\n  cosim ";
  const size_t at = help.find(mark);
  if (at == std::string::npos) return "";
  std::string line = help.substr(at + mark.size());
  if (line.empty() || line.find('\n') != line.size() - 1) return "";
  line.pop_back();
  return ReplaceAll(line, " docs/", std::string(" ") + COSIM_SOURCE_DIR + "/docs/");
}

TEST_F(Verbs, HelpEndsInAnExampleThatWorks) {
  for (const std::string verb : {"run", "explain", "sweep", "compare", "compile", "disasm", "asm", "check",
                                 "isa", "export", "configs", "models"}) {
    const Outcome help = Run(verb + " --help");
    EXPECT_EQ(help.status, 0) << verb;
    EXPECT_THAT(help.out, ::testing::StartsWith("usage: cosim " + verb)) << verb;
    const std::string example = Example(help.out);
    ASSERT_NE(example, "") << verb << ": " << help.out;
    const Outcome outcome = Run(example);
    EXPECT_EQ(outcome.status, 0) << example << "\n" << outcome.err;
    EXPECT_NE(outcome.out, "") << example;
  }
}

TEST_F(Verbs, HelpOfTheCommandListsEveryVerb) {
  const Outcome help = Run("--help");
  EXPECT_EQ(help.status, 0);
  for (const std::string verb : {"run", "explain", "report", "compile", "disasm", "asm", "check", "isa",
                                 "synth", "export", "configs", "models"}) {
    EXPECT_THAT(help.out, HasSubstr("\n  " + verb + " ")) << verb;
  }
}

TEST_F(Verbs, ReferenceNamesEveryVerb) {
  const std::string reference = ReadFile(At("docs/reference/cli.md"));
  std::istringstream help(Run("--help").out);
  int verbs = 0;
  for (std::string line; std::getline(help, line);) {
    if (!line.starts_with("  ") || line.starts_with("  cosim")) continue;
    const std::string verb = line.substr(2, line.find(' ', 2) - 2);
    EXPECT_THAT(reference, ::testing::ContainsRegex("`" + verb + "[` ]")) << verb;
    ++verbs;
  }
  EXPECT_GT(verbs, 5);
}

TEST_F(Verbs, WhatIsListedIsJsonToo) {
  const auto json = [&](const std::string& arguments) {
    const Outcome printed = Good(arguments), both = Good(arguments + " --json=both.json");
    EXPECT_EQ(both.out, printed.out) << arguments;
    const std::string alone = Good(arguments + " --json=-").out;
    EXPECT_EQ(alone, ReadFile(folder_ / "both.json")) << arguments;
    return nlohmann::json::parse(alone);
  };
  EXPECT_EQ(json("version").at("version"), "0.1.0");
  const auto names = [](const nlohmann::json& list) {
    std::string text;
    for (const auto& each : list) text += each.at("name").get<std::string>() + " ";
    return text;
  };
  EXPECT_THAT(names(json("configs")), HasSubstr("pynq.yaml "));
  EXPECT_THAT(names(json("models")), HasSubstr("resnet18 "));
  EXPECT_THAT(names(json("isa list")), HasSubstr("vta "));
  const auto isa = json("isa doc --config=tiny.yaml");
  EXPECT_EQ(isa.at("parameters").at("block_out").at("value"), 4);
  EXPECT_EQ(isa.at("instructions").at("gemm").at("unit"), "gemm");
  const auto checked = json("check mlp --config=tiny.yaml");
  EXPECT_EQ(checked.at("ok"), true);
  EXPECT_GT(checked.at("instructions"), 10);
  const auto compiled = json("compile mlp --config=tiny.yaml -o a.cosim");
  EXPECT_EQ(compiled.at("bytes"), std::filesystem::file_size(folder_ / "a.cosim"));
  EXPECT_EQ(compiled.at("instructions"), checked.at("instructions"));
  // A module on standard output has nothing beside it.
  EXPECT_EQ(Good("compile mlp --config=tiny.yaml -o - --json=c.json").out, ReadFile(folder_ / "a.cosim"));
  EXPECT_EQ(Run("compile mlp --config=tiny.yaml -o - --json=-").status, 1);
}

TEST_F(Verbs, FindingsAreJsonToo) {
  WriteChanged("docs/examples/gemm.s", "no_wgt.s", "load_wgt dram=0x2000 rows=1 cols=1\n", "");
  const Outcome outcome = Run("check no_wgt.s --config=tiny.yaml --json=-");
  EXPECT_EQ(outcome.status, 1);
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json.at("ok"), false);
  EXPECT_THAT(json.at("findings").at(0), HasSubstr("uninitialized-read: instruction 3"));
}

TEST_F(Verbs, DisassembledProgramAssemblesToTheSameText) {
  ASSERT_EQ(Run("disasm small_cnn --config=tiny.yaml --contents -o a.s").status, 0);
  const Outcome again = Run("asm a.s --config=tiny.yaml --text -o b.s");
  ASSERT_EQ(again.status, 0) << again.err;
  const auto without_comments = [](const std::string& text) {
    std::istringstream lines(text);
    std::string kept;
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("#") && !line.empty()) kept += line + "\n";
    }
    return kept;
  };
  EXPECT_EQ(without_comments(ReadFile(folder_ / "b.s")), without_comments(ReadFile(folder_ / "a.s")));
}

TEST_F(Verbs, AssemblerWritesTheInstructionWords) {
  ASSERT_EQ(Run("asm " + At("docs/examples/gemm.s") + " --config=tiny.yaml -o a.bin").status, 0);
  EXPECT_EQ(ReadFile(folder_ / "a.bin").size(), 7u * 32);
}

TEST_F(Verbs, CheckFindsTheRaceOfAMissingToken) {
  WriteChanged("docs/examples/gemm.s", "race.s", " push(gemm_to_alu)", "");
  const Outcome deadlock = Run("check race.s --config=tiny.yaml");
  EXPECT_EQ(deadlock.status, 1);
  EXPECT_THAT(deadlock.out, HasSubstr("gemm_to_alu"));
  Write("race.s", ReplaceAll(ReadFile(folder_ / "race.s"), ", gemm_to_alu)", ")"));
  const Outcome race = Run("check race.s --config=tiny.yaml");
  EXPECT_EQ(race.status, 1);
  EXPECT_THAT(race.out, HasSubstr("read-after-write: "));
  EXPECT_THAT(race.out, HasSubstr("race.s:24"));
}

TEST_F(Verbs, CheckNamesTheLoadThatIsMissing) {
  WriteChanged("docs/examples/gemm.s", "no_wgt.s", "load_wgt dram=0x2000 rows=1 cols=1\n", "");
  const Outcome outcome = Run("check no_wgt.s --config=tiny.yaml");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out,
              HasSubstr("uninitialized-read: instruction 3 'gemm' (no_wgt.s:22) of unit 'gemm' reads "
                        "wgt[0], which nothing before it has written; 'wgt' is written by load_wgt"));
}

TEST_F(Verbs, CheckAcceptsEveryNetwork) {
  for (const std::string isa : {"cosim", "vta"}) {
    const Outcome outcome = Run("check small_cnn --config=tiny.yaml --isa=" + isa);
    EXPECT_EQ(outcome.status, 0) << outcome.out;
    EXPECT_THAT(outcome.out,
                EndsWith("no deadlock, no race, all accesses in bounds, all that is read was written\n"));
  }
}

TEST_F(Verbs, PrintAfterShowsTheLayerAfterEachPass) {
  for (const accel::Pass& pass : accel::Pipeline()) {
    const std::string name(pass.name);
    const Outcome outcome = Run("disasm mlp --config=tiny.yaml --print-after=" + name);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr(" after " + name + "\n"));
  }
  EXPECT_THAT(Run("disasm mlp --config=tiny.yaml --print-after=storages").err,
              HasSubstr("not one of lower, tensorize, "));
}

TEST_F(Verbs, CheckedInReferencesAreWhatIsaShowPrints) {
  for (const std::string isa : {"cosim", "vta"}) {
    const std::string command = "isa doc --config=pynq.yaml --isa=" + isa;
    EXPECT_EQ(Run(command).out, ReadFile(At("docs/reference/isa-" + isa + ".md")))
        << "rewrite it: cosim " << command << " -o docs/reference/isa-" << isa << ".md";
  }
}

TEST_F(Verbs, CheckedInSyntaxPagesAreWhatIsaSyntaxPrints) {
  for (const std::string isa : {"cosim", "vta"}) {
    const std::string command = "isa doc syntax --config=pynq.yaml --isa=" + isa;
    EXPECT_EQ(Run(command).out, ReadFile(At("docs/reference/asm-" + isa + ".md")))
        << "rewrite it: cosim " << command << " -o docs/reference/asm-" << isa << ".md";
  }
}

TEST_F(Verbs, TheCheckedInRegistersAreWhatIsaRegistersPrints) {
  EXPECT_EQ(Run("isa doc registers").out, ReadFile(At("docs/reference/registers.md")))
      << "rewrite it: cosim isa doc registers -o docs/reference/registers.md";
}

TEST_F(Verbs, ListsNameWhatThereIs) {
  const Outcome configs = Run("configs"), models = Run("models");
  for (const std::string name : {"pynq.yaml", "pynq-max.yaml", "ultra96.yaml", "tiny.yaml"})
    EXPECT_THAT(configs.out, HasSubstr(name));
  for (const std::string name : {"mlp", "small_cnn", "resnet18"}) EXPECT_THAT(models.out, HasSubstr(name));
}

}  // namespace
}  // namespace cosim::cli::testing
