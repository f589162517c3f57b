// SPDX-License-Identifier: Apache-2.0
#include "compiler/tune/tuning_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace cosim::tune {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TuningLogTest : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  TuningLog Log() {
    auto log = TuningLog::Make(path_, error_);
    EXPECT_TRUE(log) << error_;
    return std::move(*log);
  }

  const std::string path_ =
      (std::filesystem::temp_directory_path() /
       ("tuning_log_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) +
        ".tuning"))
          .string();
  std::string error_;
};

TEST_F(TuningLogTest, RemembersTrialsAndThoseThatMadeNoProgram) {
  {
    TuningLog log = Log();
    EXPECT_TRUE(log.Add({{"c", "small", 100}, {"c", "large", std::nullopt}}, error_)) << error_;
  }
  const TuningLog log = Log();
  EXPECT_EQ(log.Trial("c", "small"), std::optional<runtime::Cycle>(100));
  ASSERT_TRUE(log.Trial("c", "large"));
  EXPECT_EQ(*log.Trial("c", "large"), std::nullopt);
  EXPECT_FALSE(log.Trial("c", "other"));
  EXPECT_FALSE(log.Trial("d", "small"));
}

TEST_F(TuningLogTest, KeepsTheSchedulesOfANetworkByHardware) {
  TuningLog log = Log();
  const LoggedNetwork first{
      "pynq", "cosim", 100, 90, {{"a", "conv", {.co = 2}}, {"a", "conv by turns with b", {.y = 3}}}};
  const LoggedNetwork second{"pynq", "cosim", 100, 80, {{"a", "conv", {.co = 4}}}};
  EXPECT_TRUE(log.Put({"h", "net"}, first, error_)) << error_;
  EXPECT_TRUE(log.Put({"h", "net"}, second, error_)) << error_;
  EXPECT_TRUE(log.Put({"other", "net"}, first, error_)) << error_;
  const auto got = log.Get({"h", "net"});
  ASSERT_TRUE(got);
  EXPECT_EQ(got->tuned, 80);
  ASSERT_EQ(got->schedules.size(), 1U);
  EXPECT_EQ(got->schedules[0].tile, (kernels::Tile{.co = 4}));
  EXPECT_EQ(log.Get({"other", "net"})->schedules.size(), 2U);
  EXPECT_FALSE(log.Get({"h", "another"}));
  EXPECT_THAT(log.Contents(), ElementsAre("net on pynq (cosim)"));
}

TEST_F(TuningLogTest, KnowsWhatWasFoundForSuchLayersElsewhere) {
  TuningLog log = Log();
  const kernels::Tile two{.co = 2}, three{.y = 3}, four{.co = 4};
  const LoggedNetwork first{
      "pynq",
      "cosim",
      100,
      90,
      {{"a", "conv", two}, {"a", "conv by turns with b", three}, {"b", "dw by turns with a", four}}},
      second{"other", "cosim", 100, 90, {{"c", "conv", four}, {"d", "pool", three}}};
  EXPECT_TRUE(log.Put({"h", "net"}, first, error_)) << error_;
  EXPECT_TRUE(log.Put({"g", "net"}, second, error_)) << error_;
  EXPECT_THAT(log.Elsewhere({"h", "another"}, "conv"), ElementsAre(two, four));
  EXPECT_THAT(log.Elsewhere({"h", "net"}, "conv"), ElementsAre(four));
  EXPECT_THAT(log.Elsewhere({"h", "net"}, "dense"), ElementsAre());
  const TuningLog::LayerKey a{"a", "conv by turns with b"}, b{"b", "dw by turns with a"};
  EXPECT_THAT(log.Elsewhere({"f", "net"}, a, b), ElementsAre(std::pair(three, four)));
  EXPECT_THAT(log.Elsewhere({"h", "net"}, a, b), ElementsAre());
  EXPECT_THAT(log.Elsewhere({"f", "net"}, b, {"b", "dw"}), ElementsAre());
}

TEST_F(TuningLogTest, OtherFilesAreRefused) {
  std::ofstream(path_)
      << "no database at all, but longer than the header of one would be, by far and more than that";
  EXPECT_FALSE(TuningLog::Make(path_, error_));
  EXPECT_THAT(error_, HasSubstr(path_));
  EXPECT_FALSE(TuningLog::Open(path_, error_));
  EXPECT_FALSE(TuningLog::Open(path_ + ".missing", error_));
  EXPECT_THAT(error_, HasSubstr("no such file"));
}

}  // namespace
}  // namespace cosim::tune
