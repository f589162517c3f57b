// SPDX-License-Identifier: Apache-2.0
// cosim sweep --slurm with scripts in place of sbatch and squeue, which say what a real Slurm says seldom.
// That the two understand each other is slurm_sweep_test's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/command.h"

namespace cosim::explore {
namespace {

namespace fs = std::filesystem;
using cli::testing::Outcome;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Runs the tasks 1 and 2 one after the other, or only writes to their logs where there is a file `broken`.
constexpr const char* kSbatch = R"sh(#!/bin/bash
for word; do case $word in --output=*) log=${word#*=} ;; esac; script=$word; done
echo "$*" >>submitted
echo 'sbatch: it may take until tomorrow' >&2
rm -f ended
setsid bash -c '
  for SLURM_ARRAY_TASK_ID in 1 2; do
    export SLURM_ARRAY_TASK_ID
    if [ -e broken ]; then echo "no disk is left"; else bash "$0"; fi >>"${1/\%a/$SLURM_ARRAY_TASK_ID}" 2>&1
  done
  touch ended' "$script" "$log" >/dev/null 2>&1 </dev/null &
echo '4711;a_cluster'
)sh";

/// Does not answer at first, and knows the array until it has ended.
constexpr const char* kSqueue = R"sh(#!/bin/bash
echo "$*" >>asked
if [ "$(wc -l <asked)" = 1 ]; then echo 'slurm_load_jobs error: no controller' >&2; exit 1; fi
if [ "$(wc -l <asked)" = 2 ] || [ ! -e ended ]; then printf '1|RUNNING|None\n2|PENDING|JobHeldUser\n'; fi
)sh";

class StandIn : public cli::testing::Command {
 protected:
  StandIn() {
    Write("sbatch", kSbatch);
    Write("squeue", kSqueue);
    Shell("chmod +x sbatch squeue");
  }
  Outcome Sweep(const std::string& options) {
    return Shell("PATH=$PWD:$PATH " COSIM_BINARY " " + std::string(kPoints) +
                 " --slurm --slurm-tasks=2 --db=s.sqlite " + options);
  }
  static constexpr const char* kPoints = "sweep mlp --config=tiny.yaml --set memory.latency=20,40,60";
};

TEST_F(StandIn, WhatHappensInTheQueueIsTold) {
  const Outcome swept = Sweep("--jobs=3 --slurm-options='--mem=4G --comment=\"a b\"'");
  EXPECT_EQ(swept.status, 0) << swept.err;
  EXPECT_EQ(swept.out, Good(kPoints).out);
  EXPECT_THAT(swept.err, AllOf(HasSubstr("array 4711 of 2 tasks for 3 points submitted"),
                               HasSubstr("slurm_load_jobs error: no controller"),
                               HasSubstr("task 2 is held (JobHeldUser): scontrol release 4711_2")));
  EXPECT_THAT(cli::testing::ReadFile(folder_ / "submitted"),
              AllOf(HasSubstr(" --cpus-per-task=3 --mem=4G --comment=a b "), HasSubstr(" --array=1-2 ")));
  EXPECT_FALSE(fs::exists(folder_ / "s.sqlite.slurm"));
}

TEST_F(StandIn, TasksThatTheQueueHasForgottenHaveFailedUnlessTheirRowsAreThere) {
  Write("broken", "");
  const Outcome broken = Sweep("");
  EXPECT_EQ(broken.status, 1);
  EXPECT_THAT(broken.out, IsEmpty());
  EXPECT_THAT(broken.err,
              AllOf(HasSubstr("task 1 of 2 is gone from the queue without 2 of its 2 points; "),
                    HasSubstr("task-2.log ends in\n    | no disk is left\n"),
                    HasSubstr("2 of 2 tasks ended before their points; 0 of 3 points are in s.sqlite")));
  fs::remove(folder_ / "broken");
  const Outcome again = Sweep("");
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(again.out, Good(kPoints).out);
}

TEST_F(StandIn, OnlyPointsThatAreMissingAreSubmitted) {
  // The second of two tasks has the second point only.
  Good(std::string(kPoints) + " --shard=1/2 --db=s.sqlite");
  const Outcome rest = Sweep("");
  EXPECT_EQ(rest.status, 0) << rest.err;
  EXPECT_THAT(rest.err, HasSubstr("array 4711 of 1 task for 1 point submitted"));
  EXPECT_THAT(cli::testing::ReadFile(folder_ / "submitted"), HasSubstr(" --array=2 "));
  EXPECT_EQ(rest.out, Good(kPoints).out);
}

TEST_F(StandIn, AFolderOfAnotherSweepIsLeftAlone) {
  Write("broken", "");
  Sweep("");
  fs::remove(folder_ / "s.sqlite");
  const Outcome other =
      Shell("PATH=$PWD:$PATH " COSIM_BINARY " sweep mlp --config=tiny.yaml --slurm --db=s.sqlite");
  EXPECT_EQ(other.status, 1);
  EXPECT_THAT(other.err, HasSubstr("s.sqlite.slurm is of another sweep, whose array may still run"));
  EXPECT_TRUE(fs::exists(folder_ / "s.sqlite.slurm/sweep.sh"));
}

}  // namespace
}  // namespace cosim::explore
