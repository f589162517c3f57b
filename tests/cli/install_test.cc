// SPDX-License-Identifier: Apache-2.0
// What `cmake --install` makes, moved to another place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/command.h"

namespace cosim::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// The indented lines of a page, without what they are indented by.
std::string IndentedIn(const std::string& page) {
  std::istringstream lines(page);
  std::string text;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("    ")) text += line.substr(4) + "\n";
  return text;
}

class Installation : public testing::Command {
 protected:
  Installation() {
    const std::string made = (folder_ / "made").string();
    const testing::Outcome outcome = Shell("cmake --install '" COSIM_BUILD_DIR "' --prefix '" + made + "'");
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    fs::rename(made, folder_ / "moved");
  }
  /// The installed command, without anything of the environment that could lead it elsewhere.
  testing::Outcome Installed(const std::string& arguments) {
    return Shell("env -u COSIM_HOME moved/bin/cosim " + arguments);
  }
};

TEST_F(Installation, RunsWhereItIsMoved) {
  const testing::Outcome run = Installed("run mlp --config=tiny.yaml");
  EXPECT_EQ(run.status, 0) << run.err;
  // As the command that was built, but for where the files stand and what was measured here.
  const auto figures = [](const std::string& report) {
    return report.substr(report.find("total: "), report.find("\nisa ") - report.find("total: "));
  };
  EXPECT_EQ(figures(run.out), figures(Good("run mlp --config=tiny.yaml").out));
  EXPECT_THAT(run.out, HasSubstr("moved/share/cosim/isa/cosim.yaml"));
  EXPECT_EQ(Installed("run mlp --config=tiny.yaml --energy --timing-only").status, 0);
  EXPECT_THAT(Installed("help E0103").out, HasSubstr("right:"));
  EXPECT_EQ(Installed("isa new mine -o mine.yaml").status, 0);
  EXPECT_EQ(Installed("export --config=pynq.yaml -o board").status, 0);
}

TEST_F(Installation, ReadsItsOwnFiles) {
  const fs::path tiny = folder_ / "moved/share/cosim/configs/tiny.yaml";
  const std::string text = testing::ReadFile(tiny);
  std::ofstream(tiny) << testing::ReplaceAll(text, "A small accelerator for tests", "The one installed here");
  EXPECT_THAT(Installed("configs").out, HasSubstr("The one installed here"));
  // And says where they should be when they are gone.
  fs::rename(folder_ / "moved/share/cosim/configs", folder_ / "elsewhere");
  const testing::Outcome outcome = Installed("run mlp --config=tiny.yaml");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("share/cosim/configs/tiny.yaml"));
}

TEST_F(Installation, HasAManualAndCompletion) {
  const std::string manual = testing::ReadFile(folder_ / "moved/share/man/man1/cosim.1");
  for (const char* text : {".TH COSIM 1", ".SS cosim run", ".SS cosim sweep", "\\-\\-shard", "COSIM_HOME"})
    EXPECT_THAT(manual, HasSubstr(text));
  const std::string words =
      "PATH=$PWD/moved/bin:$PATH; . moved/share/bash-completion/completions/cosim; "
      "complete_words() { COMP_WORDS=(cosim \"$@\"); COMP_CWORD=$#; _cosim; echo \"${COMPREPLY[@]}\"; }; ";
  const auto completed = [&](const std::string& line) {
    return Shell("bash -c '" + words + "complete_words " + line + "'").out;
  };
  EXPECT_EQ(completed("swe"), "sweep\n");
  EXPECT_EQ(completed("sweep --sha"), "--shard\n");
  EXPECT_EQ(completed("run small_c"), "small_cnn\n");
  EXPECT_EQ(completed("report mov"), "moved\n");
}

/// A source tree with its build, moved: where it was built is another's business.
TEST_F(Installation, ReadsTheTreeItStandsInWhenThatIsMoved) {
  const fs::path tree = folder_ / "tree";
  fs::create_directories(tree / "build/release/cli");
  fs::copy_file(folder_ / "moved/bin/cosim", tree / "build/release/cli/cosim");
  for (const char* part : {"isa", "configs"})
    fs::copy(folder_ / "moved/share/cosim" / part, tree / part, fs::copy_options::recursive);
  Write("tree/configs/mine.yaml",
        testing::ReplaceAll(testing::ReadFile(tree / "configs/tiny.yaml"), "A small accelerator for tests",
                            "The one in this tree"));
  EXPECT_THAT(Shell("env -u COSIM_HOME tree/build/release/cli/cosim configs").out,
              HasSubstr("The one in this tree"));
  const testing::Outcome lost = Shell("COSIM_HOME=$PWD/gone tree/build/release/cli/cosim configs");
  EXPECT_EQ(lost.status, 1);
  EXPECT_THAT(lost.err, HasSubstr("gone has no configs/: COSIM_HOME=FOLDER names the source tree"));
}

/// What docs/how-to/embed.md says, which is where the commands and what they print stand.
TEST_F(Installation, IsAPackageThatProgramsAreBuiltWith) {
  const std::string page = testing::ReadFile(fs::path(COSIM_SOURCE_DIR) / "docs/how-to/embed.md");
  const size_t printed = page.find("\nprints\n");
  ASSERT_NE(printed, std::string::npos);
  const std::string commands = testing::ReplaceAll(IndentedIn(page.substr(0, printed)), "~/cosim", "moved");
  std::string expected = IndentedIn(page.substr(printed));
  Write("commands", "set -e\nPATH=$PWD/moved/bin:$PATH\n" + commands);
  const std::string quickly =
      "env -u COSIM_HOME CMAKE_GENERATOR=Ninja CMAKE_CXX_COMPILER_LAUNCHER=$(command -v ccache) "
      "LDFLAGS=$(command -v mold >/dev/null && echo -fuse-ld=mold) ";
  const testing::Outcome made = Shell(quickly + "bash commands");
  EXPECT_EQ(made.status, 0) << made.out << made.err;
  EXPECT_THAT(made.out, EndsWith(expected));
  // Another version is not taken for it, and a file that is none is told.
  fs::create_directory(folder_ / "again");
  Write("again/CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.25)\nproject(again CXX)\nfind_package(cosim 0.0.9 REQUIRED)\n");
  const testing::Outcome other = Shell("cmake -S again -B again/build -D CMAKE_PREFIX_PATH=$PWD/moved");
  EXPECT_NE(other.status, 0);
  EXPECT_THAT(other.err, HasSubstr("requested version \"0.0.9\""));
  EXPECT_THAT(Shell("build/embed commands").err, HasSubstr("embed: commands "));
}

/// What zsh's own functions would be given is printed instead.
TEST_F(Installation, CompletesForZsh) {
  if (Shell("command -v zsh").status != 0) GTEST_SKIP() << "there is no zsh: apt-get install zsh";
  std::ofstream(folder_ / "complete.zsh") << R"(
PATH=$PWD/moved/bin:$PATH
compdef() { :; }
compadd() { print -l -- $@ }
_files() { print files }
. moved/share/zsh/vendor-completions/_cosim
words=(cosim $@); CURRENT=$#words
_cosim
)";
  const auto offered = [&](const std::string& line) { return Shell("zsh -f complete.zsh " + line).out; };
  EXPECT_THAT(offered("swe"), HasSubstr("\nsweep\n"));
  EXPECT_THAT(offered("sweep --sha"), HasSubstr("\n--shard\n"));
  EXPECT_THAT(offered("run small_c"), AllOf(HasSubstr("\nsmall_cnn\n"), HasSubstr("files")));
  EXPECT_EQ(offered("asm mov"), "files\n");
}

TEST_F(Installation, CompletesForFish) {
  if (Shell("command -v fish").status != 0) GTEST_SKIP() << "there is no fish: apt-get install fish";
  const auto completed = [&](const std::string& line) {
    return Shell(
               "HOME=$PWD fish -c 'set -x PATH $PWD/moved/bin $PATH; source "
               "moved/share/fish/vendor_completions.d/cosim.fish; complete -C \"cosim " +
               line + "\"'")
        .out;
  };
  EXPECT_THAT(completed("swe"), StartsWith("sweep\t"));
  EXPECT_EQ(completed("sweep --sha"), "--shard\n");
  EXPECT_EQ(completed("run small_c"), "small_cnn\n");
  EXPECT_EQ(completed("report mov"), "moved/\n");
}

}  // namespace
}  // namespace cosim::cli
