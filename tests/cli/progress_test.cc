// SPDX-License-Identifier: Apache-2.0
// What a terminal shows of work that takes more than two seconds, and that nobody else sees it.
#include "cli/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/command.h"

namespace cosim::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using Progress = testing::Command;

TEST(ProgressText, SaysThePartAndWhatIsLeft) {
  EXPECT_EQ(LeftText(0.25, 10), "25 %, about 0:30 left");
  EXPECT_EQ(LeftText(0.999, 1), "99 %, about 0:00 left");
  EXPECT_EQ(LeftText(0.1, 60), "10 %, about 9:00 left");
  EXPECT_EQ(LeftText(0, 60), "0 %, about 0:00 left");
  EXPECT_EQ(LeftText(30, 10, 60), "75 %, about 0:20 left");
  EXPECT_EQ(LeftText(0, 0, 60), "100 %, about 0:00 left");
}

/// A Yosys that works for three seconds, to no avail.
constexpr const char* kSlowYosys = R"(#!/bin/sh
[ "$1" = -V ] && { echo "Yosys 0.0"; exit 0; }
sleep 3
exit 1
)";

TEST_F(Progress, IsNotOfWhatTakesNoTime) {
  if (Shell("script -qec true /dev/null").status != 0) GTEST_SKIP() << "no script(1), or no pseudo-terminals";
  const std::string run = std::string(COSIM_BINARY) + " run mlp --config=tiny.yaml --timing-only";
  const std::string shown = Shell("script -qec '" + run + "' /dev/null").out;
  EXPECT_THAT(shown, HasSubstr("timing only"));
  EXPECT_THAT(shown, Not(HasSubstr("\033")));
}

TEST_F(Progress, IsOnTerminalsAloneAndNotWhereQuietIsWanted) {
  if (Shell("script -qec true /dev/null").status != 0) GTEST_SKIP() << "no script(1), or no pseudo-terminals";
  Write("yosys", kSlowYosys);
  Write("run",
        std::string("chmod +x yosys; export PATH=$PWD:$PATH\n") +
            "of() { XDG_CACHE_HOME=$PWD/$1 script -qec \"$2\" /dev/null </dev/null >$1.txt; }\n" + "synth='" +
            COSIM_BINARY + " synth --config=tiny.yaml'\n" +
            "of shown \"$synth\" & of quiet \"$synth --quiet\" & of piped \"$synth 2>piped.err\" & wait\n");
  Shell("bash run");
  const auto text = [&](const char* name) { return testing::ReadFile(folder_ / name); };
  EXPECT_THAT(text("shown.txt"), HasSubstr("\r\033[Kmapping tiny to 7-series with Yosys, 0:02 …"));
  EXPECT_THAT(text("shown.txt"), HasSubstr("\r\033[Ktiny: error[E0705]"));  // the line is gone by then
  for (const char* name : {"quiet.txt", "piped.err"}) {
    EXPECT_THAT(text(name), HasSubstr("error[E0705]")) << name;
    EXPECT_THAT(text(name), Not(HasSubstr("mapping"))) << name;
    EXPECT_THAT(text(name), Not(HasSubstr("\033"))) << name;
  }
}

}  // namespace
}  // namespace cosim::cli
