// SPDX-License-Identifier: Apache-2.0
// cosim sweep --slurm on a real Slurm: its rows are those of one machine's sweep, whatever is killed on the
// way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <thread>

#include "compiler/explore/database.h"
#include "compiler/explore/slurm.h"
#include "tests/cli/command.h"
#include "tests/slurm/small_cluster.h"

namespace cosim::explore {
namespace {

namespace fs = std::filesystem;
using cli::testing::ReadFile;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// 24 points, two of which fail; a task of a third of them takes about a second.
constexpr const char* kPlan = R"(networks: small_cnn
configs: tiny.yaml
keys:
  memory.latency: [-3, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120]
  parameters.block_out: [8, 64]
)";

/// One cluster for all tests.
class SlurmSweep : public cli::testing::Command {
 protected:
  static void SetUpTestSuite() {
    if (!testing::SmallCluster::Missing().empty()) return;
    std::string pattern = (fs::temp_directory_path() / "cosim_slurm_XXXXXX").string();
    cluster_folder_ = mkdtemp(pattern.data());
    cluster_ = std::make_unique<testing::SmallCluster>(cluster_folder_);
    failure_ = cluster_->Start();
  }
  static void TearDownTestSuite() {
    cluster_.reset();
    if (!cluster_folder_.empty()) fs::remove_all(cluster_folder_);
  }
  void SetUp() override {
    const std::string missing = testing::SmallCluster::Missing();
    if (!missing.empty()) GTEST_SKIP() << missing;
    ASSERT_EQ(failure_, "");
    Write("plan.yaml", kPlan);
  }
  void TearDown() override {
    if (HasFailure() && cluster_) std::cerr << cluster_->Logs();
  }
  /// What one machine makes of the plan.
  const std::string& Whole() {
    static const std::string kWhole = Good("sweep plan.yaml --check --jobs=2 --csv=-").out;
    return kWhole;
  }

  int64_t RowsOf(const fs::path& file) const {
    std::string error;
    const auto database = Database::Open(folder_ / file, error);
    return database ? database->Count().value_or(0) : 0;
  }
  /// Until that many rows are there.
  void WaitForRows(const fs::path& file, int64_t rows) const {
    for (int tries = 0; tries < 2000 && RowsOf(file) < rows; ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    ASSERT_GE(RowsOf(file), rows);
  }
  std::string Array() const { return SubmittedId(folder_ / "s.sqlite.slurm/array").value_or(""); }

  static constexpr const char* kSweep = "sweep plan.yaml --check --slurm --slurm-tasks=3 --db=s.sqlite";
  static inline std::unique_ptr<testing::SmallCluster> cluster_;
  static inline fs::path cluster_folder_;
  static inline std::string failure_;
};

TEST_F(SlurmSweep, NothingIsLostWhereTheNodeAndTheCommandAreKilled) {
  // The command that waits is killed too.
  Shell(std::string("(" COSIM_BINARY " ") + kSweep + " & echo $! >pid; wait)  2>first.log & sleep 0.1");
  WaitForRows("s.sqlite.slurm/task-1.sqlite", 2);
  Shell("kill -KILL $(cat pid)");
  cluster_->KillNode();
  const int64_t before = RowsOf("s.sqlite.slurm/task-1.sqlite");
  EXPECT_LT(before, 8);
  const std::string array = Array();
  ASSERT_EQ(cluster_->StartNode(), "");
  cluster_->StartNow(array);
  const auto again = Good(std::string(kSweep) + " --csv=cluster.csv");
  EXPECT_THAT(again.err,
              AllOf(HasSubstr("array " + array + " of 3 tasks still runs"), Not(HasSubstr("submitted"))));
  EXPECT_THAT(again.out, HasSubstr("24 points: 22 done, 2 failed"));
  EXPECT_TRUE(ReadFile(folder_ / "cluster.csv") == Whole());
  EXPECT_FALSE(fs::exists(folder_ / "s.sqlite.slurm"));
}

TEST_F(SlurmSweep, ATaskThatEndsEarlyIsToldAndSubmittedAgain) {
  Shell(std::string("(" COSIM_BINARY " ") + kSweep + " >out.txt 2>first.log; echo $? >status) & sleep 0.1");
  WaitForRows("s.sqlite.slurm/task-2.sqlite", 1);
  Shell("scancel " + Array() + "_2");
  for (int tries = 0; tries < 600 && !fs::exists(folder_ / "status"); ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds{50});
  EXPECT_EQ(ReadFile(folder_ / "status"), "1\n");
  EXPECT_THAT(ReadFile(folder_ / "out.txt"), IsEmpty());
  const std::string said = ReadFile(folder_ / "first.log");
  EXPECT_THAT(said,
              AllOf(HasSubstr("task 2 of 3 is CANCELLED without "), HasSubstr("task-2.log ends in\n    | "),
                    HasSubstr("CANCELLED AT"), HasSubstr("1 of 3 tasks ended before their points")));
  const auto again =
      Good(std::string(kSweep) + " --slurm-options='--comment=\"two words\"' --csv=cluster.csv");
  EXPECT_THAT(again.err, HasSubstr(" submitted; logs in "));
  EXPECT_TRUE(ReadFile(folder_ / "cluster.csv") == Whole());
  // What is complete is not submitted again.
  const auto third = Good(std::string(kSweep) + " --csv=third.csv");
  EXPECT_THAT(third.err, IsEmpty());
  EXPECT_TRUE(ReadFile(folder_ / "third.csv") == Whole());
}

TEST_F(SlurmSweep, WhatSbatchRefusesLeavesNothingBehind) {
  EXPECT_THAT(ErrorOf(std::string(kSweep) + " --slurm-options=--partition=nowhere"),
              HasSubstr("invalid partition specified"));
  EXPECT_FALSE(fs::exists(folder_ / "s.sqlite.slurm"));
}

}  // namespace
}  // namespace cosim::explore
