// SPDX-License-Identifier: Apache-2.0
// Standard input, output and error as a script may leave them: full, closed, or with nobody at the other end.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/command.h"

namespace cosim::cli::testing {
namespace {

using ::testing::HasSubstr;

class StandardFiles : public Command {
 protected:
  /// `arguments` with redirections of their own.
  Outcome Redirected(const std::string& arguments) {
    return Shell("{ " + std::string(COSIM_BINARY) + " " + arguments + "; }");
  }
};

TEST_F(StandardFiles, WhatIsPrintedIntoAFullDiskIsAnErrorOfEveryVerb) {
  for (const std::string command :
       {"--help", "help", "help run", "run --help", "version", "--version", "isa list", "isa doc", "models",
        "explain mlp --config=tiny.yaml", "asm --help", "check mlp --config=tiny.yaml"}) {
    const Outcome outcome = Redirected(command + " >/dev/full");
    EXPECT_EQ(outcome.status, 1) << command;
    EXPECT_EQ(outcome.err, "cosim: error: cannot write to standard output: No space left on device\n")
        << command;
  }
}

TEST_F(StandardFiles, AClosedStandardOutputIsAnError) {
  const Outcome outcome = Redirected("models >&-");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err, "cosim: error: cannot write to standard output: Bad file descriptor\n");
}

TEST_F(StandardFiles, MistakesStayMistakesWhereNobodyCanBeTold) {
  for (const std::string where : {"2>/dev/full", "2>&-"})
    for (const std::string command : {"", "nonsense", "run nonsense", "run mlp --config=nonsense",
                                      "asm nonsense.s", "run mlp --nonsense", "check mlp --set x=1"})
      EXPECT_EQ(Redirected(command + " " + where).status, 1) << command << " " << where;
}

TEST_F(StandardFiles, WorkGoesOnWithoutThem) {
  ASSERT_EQ(Run("disasm mlp --config=tiny.yaml -o with.s").status, 0);
  EXPECT_EQ(Redirected("disasm mlp --config=tiny.yaml -o full.s 2>/dev/full").status, 0);
  EXPECT_EQ(Redirected("disasm mlp --config=tiny.yaml -o without.s <&- >&- 2>&-").status, 0);
  EXPECT_EQ(ReadFile(folder_ / "full.s"), ReadFile(folder_ / "with.s"));
  EXPECT_EQ(ReadFile(folder_ / "without.s"), ReadFile(folder_ / "with.s"));
}

// What is opened first gets the number of what is closed, and then what is printed.
TEST_F(StandardFiles, NothingIsPrintedIntoOtherFiles) {
  ASSERT_EQ(Run("run mlp --config=tiny.yaml --timing-only --json=with.json").status, 0);
  EXPECT_EQ(Redirected("run mlp --config=tiny.yaml --timing-only --json=a.json >&- 2>&-").status, 1);
  EXPECT_EQ(Redirected("run nonsense --json=b.json >&- 2>&-").status, 1);
  EXPECT_THAT(ReadFile(folder_ / "a.json"), ::testing::StartsWith("{"));
  EXPECT_EQ(Files(), (std::set<std::string>{"a.json", "with.json"}));
}

TEST_F(StandardFiles, AReaderWhoIsGoneEndsItQuietly) {
  const std::string binary = COSIM_BINARY;
  for (const std::string command : {"isa doc", "--help", "models"}) {
    const Outcome outcome =
        Shell("{ trap '' PIPE; { sleep 0.3; " + binary + " " + command + "; echo $? >status; } | true; }");
    EXPECT_EQ(outcome.err, "") << command;
    EXPECT_EQ(ReadFile(folder_ / "status"), "1\n") << command;
  }
}

TEST_F(StandardFiles, JsonOnStandardOutputStandsAlone) {
  for (const std::string command :
       {"run mlp --config=tiny.yaml --timing-only", "explain mlp --config=tiny.yaml",
        "explain mlp --config=tiny.yaml --partition", "explain mlp --config=tiny.yaml --layers"}) {
    const std::string out = Good(command + " --json=-").out;
    EXPECT_TRUE(nlohmann::json::accept(out)) << command << "\n" << out;
  }
}

TEST_F(StandardFiles, HelpIsAVerbToo) {
  EXPECT_EQ(Good("help run").out, Good("run --help").out);
  EXPECT_EQ(Good("help").out, Good("--help").out);
  EXPECT_EQ(Good("help help").out, Good("--help").out);
  EXPECT_THAT(ErrorOf("help rum"), HasSubstr("unknown verb 'rum'\n  hint: did you mean 'run'?"));
  EXPECT_THAT(ErrorOf("help run synth"), HasSubstr("usage: cosim help [VERB|CODE]"));
}

TEST_F(StandardFiles, TheVersionNamesTheCommit) {
  const std::string version = Good("version").out;
  EXPECT_THAT(version,
              ::testing::MatchesRegex(
                  "cosim [0-9]+\\.[0-9]+\\.[0-9]+ \\(commit (unknown|[0-9a-f]{12,40}(-dirty)?)\\)\n"));
  EXPECT_EQ(Good("--version").out, version);
}

TEST_F(StandardFiles, IsasAreListedWithThoseInFolders) {
  const std::string list = Good("isa list").out;
  for (const char* name : {"cosim", "vta", "test/split_loads", "test/two_gemm"}) {
    EXPECT_THAT(list, ::testing::ContainsRegex("(^|\n)" + std::string(name) + " +[A-Z][^\n]+\\.\n"));
    EXPECT_EQ(Run("isa doc --isa=" + std::string(name)).status, 0) << name;
  }
}

}  // namespace
}  // namespace cosim::cli::testing
