// SPDX-License-Identifier: Apache-2.0
// The cache of files and the programs that fill it.
#include "runtime/file_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "runtime/host_program.h"

namespace cosim::runtime {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// A cache home of its own for each test.
class FileCacheTest : public ::testing::Test {
 protected:
  FileCacheTest()
      : home_(fs::path(::testing::TempDir()) / "cosim_file_cache_test" / std::to_string(getpid())) {
    fs::remove_all(home_);
    setenv("XDG_CACHE_HOME", home_.c_str(), 1);
  }
  ~FileCacheTest() override {
    fs::remove_all(home_);
    unsetenv("XDG_CACHE_HOME");
  }

  static bool Write(const fs::path& folder, const std::string& text) {
    std::ofstream(folder / "text") << text;
    return true;
  }
  static std::string ReadAll(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }

  fs::path home_;
  std::string error_;
};

TEST_F(FileCacheTest, MakesAnEntryOnce) {
  FileCache cache("test");
  const auto first = cache.Get("key", [](const fs::path& folder) { return Write(folder, "one"); }, error_);
  ASSERT_TRUE(first) << error_;
  EXPECT_EQ(first->parent_path(), home_ / "cosim" / "test");
  const auto again = cache.Get("key", [](const fs::path&) -> bool { abort(); }, error_);
  ASSERT_TRUE(again);
  EXPECT_EQ(ReadAll(*again / "text"), "one");
}

TEST_F(FileCacheTest, AFailureLeavesNoEntryButWhatItMade) {
  FileCache cache("test");
  EXPECT_FALSE(cache.Get(
      "key",
      [](const fs::path& folder) {
        Write(folder, "half");
        return false;
      },
      error_));
  EXPECT_FALSE(fs::exists(cache.folder() / "key"));
  EXPECT_EQ(ReadAll(cache.folder() / "key.failed" / "text"), "half");
  const auto entry = cache.Get("key", [](const fs::path& folder) { return Write(folder, "whole"); }, error_);
  ASSERT_TRUE(entry);
  EXPECT_EQ(ReadAll(*entry / "text"), "whole");
  EXPECT_FALSE(fs::exists(cache.folder() / "key.failed"));
}

TEST_F(FileCacheTest, RemovesWhatAKilledProcessLeft) {
  FileCache cache("test");
  fs::create_directories(cache.folder() / "dead.making" / "objects");
  ASSERT_TRUE(cache.Get("key", [](const fs::path& folder) { return Write(folder, "one"); }, error_));
  EXPECT_FALSE(fs::exists(cache.folder() / "dead.making"));
}

TEST_F(FileCacheTest, ConcurrentRequestsMakeOneEntryAndOthersStay) {
  std::atomic<int> made = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&made, i] {
      FileCache cache("test");
      std::string error;
      const auto entry = cache.Get(
          i % 2 == 0 ? "even" : "odd",
          [&](const fs::path& folder) {
            ++made;
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            return Write(folder, "whole");
          },
          error);
      ASSERT_TRUE(entry) << error;
      EXPECT_EQ(ReadAll(*entry / "text"), "whole");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 2);
}

TEST_F(FileCacheTest, SaysWhenTheCacheCannotBeWritten) {
  fs::create_directories(home_.parent_path());
  std::ofstream(home_) << "a file";
  FileCache cache("test");
  EXPECT_FALSE(cache.Get("key", [](const fs::path&) { return true; }, error_));
  EXPECT_THAT(error_, HasSubstr("cannot write the cache " + cache.folder().string()));
}

TEST(CacheKeyTest, DependsOnWherePiecesEnd) {
  EXPECT_EQ(CacheKey().Add("ab").Add("c").Text(), CacheKey().Add("ab").Add("c").Text());
  EXPECT_NE(CacheKey().Add("ab").Add("c").Text(), CacheKey().Add("a").Add("bc").Text());
  EXPECT_NE(CacheKey().Add("").Text(), CacheKey().Text());
}

TEST_F(FileCacheTest, RunsProgramsAndKeepsTheirOutput) {
  fs::create_directories(home_);
  const fs::path log = home_ / "log";
  EXPECT_EQ(RunProgram({"sh", "-c", "echo out; echo err >&2; exit 3"}, log), 3);
  EXPECT_EQ(ReadAll(log), "out\nerr\n");
  EXPECT_EQ(RunProgram({"sh", "-c", "kill -9 $$"}, log), 128 + 9);
  EXPECT_EQ(RunProgram({"cosim-has-no-such-program"}, log), 127);
}

TEST(HostProgramTest, FindsProgramsOnThePath) {
  EXPECT_TRUE(FindProgram("sh"));
  EXPECT_FALSE(FindProgram("cosim-has-no-such-program"));
}

}  // namespace
}  // namespace cosim::runtime
