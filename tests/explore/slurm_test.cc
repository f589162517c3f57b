// SPDX-License-Identifier: Apache-2.0
// What goes to Slurm and what comes from it, as text. A real one is tests/slurm's.
#include "compiler/explore/slurm.h"

#include <gmock/gmock.h>

#include <fstream>

#include "compiler/explore/sweep.h"
#include "compiler/explore/task_script.h"

namespace cosim::explore {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(Slurm, RangesAreThoseOfTheNumbers) {
  EXPECT_EQ(Ranges({}), "");
  EXPECT_EQ(Ranges({7}), "7");
  EXPECT_EQ(Ranges({1, 2, 3, 5, 7, 8}), "1-3,5,7-8");
}

TEST(Slurm, TasksAreReadAndOtherLinesLeftOut) {
  const Tasks tasks = TasksIn(
      "squeue: a warning\n1|RUNNING|None\n2|PENDING|BeginTime \nN/A|RUNNING|None\n3|TIMEOUT|TimeLimit\n"
      "4|PENDING|launch failed requeued held\n5|PENDING|JobHeldUser\n6|COMPLETING|None\n");
  ASSERT_EQ(tasks.size(), 6u);
  for (const int64_t task : {1, 2, 4, 5, 6}) EXPECT_FALSE(tasks.at(task).Ended()) << task;
  EXPECT_TRUE(tasks.at(3).Ended());
  EXPECT_EQ(tasks.at(2).reason, "BeginTime");
  for (const int64_t task : {1, 2, 3, 6}) EXPECT_FALSE(tasks.at(task).is_held) << task;
  for (const int64_t task : {4, 5}) EXPECT_TRUE(tasks.at(task).is_held) << task;
}

TEST(Slurm, AnArraysIdIsFoundAmongWhatSbatchSays) {
  const std::string file = ::testing::TempDir() + "slurm_test_answer";
  std::ofstream(file) << "sbatch: you have 3 hours left\n4711;cluster\n";
  EXPECT_EQ(SubmittedId(file), "4711");
  std::ofstream(file) << "sbatch: error: 12 is no partition\n";
  EXPECT_EQ(SubmittedId(file), std::nullopt);
  std::remove(file.c_str());
}

TEST(Slurm, WhatASweepFollowsFromStandsBehindTheUsersOptions) {
  const auto command = SbatchCommand("/f/sweep.sh", "/f/task-%a.log", {1, 2}, {"--array=9", "--time=1"});
  const std::vector<std::string> end(command.end() - 5, command.end());
  EXPECT_THAT(end, ::testing::ElementsAre("--parsable", "--open-mode=append", "--output=/f/task-%a.log",
                                          "--array=1-2", "/f/sweep.sh"));
  EXPECT_EQ(command[3], "--array=9");
}

TEST(TaskScript, WordsStayWordsOfTheShell) {
  const TaskScript script{{"sbatch", "--comment=a\nb"}, {"cosim", "sweep", "it's; $x", ""}, 3, "/a folder"};
  const std::string text = ScriptText(script);
  EXPECT_THAT(text, HasSubstr("\nexec cosim sweep 'it'\\''s; $x' '' --shard=\"$SLURM_ARRAY_TASK_ID/3\" "));
  EXPECT_THAT(text, HasSubstr("# Submitted by: sbatch '--comment=a\n#b'\nexec "));
  EXPECT_THAT(text, EndsWith("--db='/a folder'/task-\"$SLURM_ARRAY_TASK_ID\".sqlite >/dev/null\n"));
}

TEST(Shard, KnowsHowManyPointsItHas) {
  for (int64_t count : {1, 3, 5})
    for (int64_t of : {0, 1, 4, 15})
      for (int64_t index = 1; index <= count; ++index) {
        const Shard shard{index, count};
        int64_t points = 0;
        for (int64_t id = 1; id <= of; ++id) points += shard.Has(id);
        EXPECT_EQ(shard.Points(of), points) << index << "/" << count << " of " << of;
      }
}

}  // namespace
}  // namespace cosim::explore
