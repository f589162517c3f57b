// SPDX-License-Identifier: Apache-2.0
// Where the command writes: a full disk is said, devices and links stay what they are, and what is
// interrupted leaves the file as it was.
#include <gmock/gmock.h>

#include "tests/cli/command.h"

namespace cosim::cli::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class OutputFile : public Command {
 protected:
  const std::string binary_ = COSIM_BINARY;
};

TEST_F(OutputFile, AFullStandardOutputIsAnError) {
  for (const std::string command :
       {"configs", "disasm small_cnn --config=tiny.yaml", "run mlp --config=tiny.yaml"}) {
    const Outcome outcome = Shell("{ " + binary_ + " " + command + " >/dev/full; }");
    EXPECT_EQ(outcome.status, 1) << command;
    EXPECT_EQ(outcome.err, "cosim: error: cannot write to standard output: No space left on device\n")
        << command;
  }
}

TEST_F(OutputFile, AFullDiskIsAnErrorAndADeviceStaysOne) {
  // Links, so that no mistake can take the place of the machine's devices.
  std::filesystem::create_symlink("/dev/full", folder_ / "full");
  std::filesystem::create_symlink("/dev/null", folder_ / "null");
  const Outcome full = Run("compile mlp --config=tiny.yaml -o full");
  EXPECT_EQ(full.status, 1);
  EXPECT_EQ(full.err, "cosim: error: cannot write full: No space left on device\n");
  EXPECT_EQ(full.out, "");
  EXPECT_EQ(Run("compile mlp --config=tiny.yaml -o null").status, 0);
  EXPECT_EQ(Files(), (std::set<std::string>{"full", "null"}));
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "null"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST_F(OutputFile, PipesAreWrittenTo) {
  const Outcome outcome =
      Shell("(mkfifo pipe; wc -c <pipe & " + binary_ + " disasm mlp --config=tiny.yaml -o pipe && wait)");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_GT(std::stoi(outcome.out), 1000);
  EXPECT_TRUE(std::filesystem::is_fifo(folder_ / "pipe"));
}

TEST_F(OutputFile, ALinkStaysAndItsFileIsWritten) {
  Write("file.s", "old");
  std::filesystem::create_symlink("file.s", folder_ / "link.s");
  EXPECT_EQ(Run("disasm mlp --config=tiny.yaml -o link.s").status, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link.s"));
  EXPECT_THAT(ReadFile(folder_ / "file.s"), StartsWith(".isa cosim"));
  EXPECT_EQ(Files(), (std::set<std::string>{"file.s", "link.s"}));
}

TEST_F(OutputFile, AnInterruptLeavesTheOldFileAndNoOther) {
  Write("report.json", "old");
  const Outcome outcome =
      Shell("timeout --signal=INT 0.3 " + binary_ + " run vgg16 --timing-only --json=report.json >/dev/null");
  EXPECT_EQ(outcome.status, 124);
  EXPECT_EQ(ReadFile(folder_ / "report.json"), "old");
  EXPECT_EQ(Files(), (std::set<std::string>{"report.json"}));
}

TEST_F(OutputFile, AFolderWithoutPermissionIsAnError) {
  EXPECT_THAT(Run("compile mlp -o /proc/m.cosim").err,
              StartsWith("cosim: error: cannot write /proc/m.cosim: "));
  EXPECT_THAT(Run("compile mlp -o .").err, HasSubstr("cannot write .: it is a folder"));
}

}  // namespace
}  // namespace cosim::cli::testing
