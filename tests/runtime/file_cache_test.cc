// SPDX-License-Identifier: Apache-2.0
// The cache of files and the programs that fill it.
#include "runtime/file_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

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

TEST_F(FileCacheTest, MakesDamagedEntriesAgain) {
  const auto damage = [&](const char* what, const auto& harm) {
    FileCache cache("test");
    const auto entry = cache.Get("key", [](const fs::path& folder) { return Write(folder, "one"); }, error_);
    ASSERT_TRUE(entry) << what << ": " << error_;
    harm(*entry);
    const auto again = cache.Get("key", [](const fs::path& folder) { return Write(folder, "two"); }, error_);
    ASSERT_TRUE(again) << what << ": " << error_;
    EXPECT_EQ(ReadAll(*again / "text"), "two") << what;
    EXPECT_EQ(std::distance(fs::directory_iterator(*again), {}), 1) << what;
    EXPECT_TRUE(cache.Get("key", [](const fs::path&) -> bool { abort(); }, error_)) << what;
    fs::remove_all(home_);
  };
  damage("cut off", [](const fs::path& entry) { fs::resize_file(entry / "text", 2); });
  damage("empty", [](const fs::path& entry) { fs::resize_file(entry / "text", 0); });
  damage("changed", [](const fs::path& entry) { std::ofstream(entry / "text") << "eno"; });
  damage("gone", [](const fs::path& entry) { fs::remove(entry / "text"); });
  damage("one more", [](const fs::path& entry) { std::ofstream(entry / "more") << "x"; });
  damage("a link", [](const fs::path& entry) { fs::create_symlink("/dev/null", entry / "link"); });
  damage("a link instead", [](const fs::path& entry) {
    fs::rename(entry, entry.string() + ".elsewhere");
    fs::create_directory_symlink(entry.string() + ".elsewhere", entry);
  });
  damage("written by others", [](const fs::path& entry) {
    fs::permissions(entry / "text", fs::perms::others_write, fs::perm_options::add);
  });
  damage("no digest", [](const fs::path& entry) { fs::remove(entry.string() + ".sha256"); });
  damage("another digest", [](const fs::path& entry) { std::ofstream(entry.string() + ".sha256") << "x"; });
}

TEST_F(FileCacheTest, DoesNotTakeWhatItHasNotMade) {
  FileCache cache("test");
  fs::create_directories(cache.folder() / "key");
  Write(cache.folder() / "key", "planted");
  const auto entry = cache.Get("key", [](const fs::path& folder) { return Write(folder, "made"); }, error_);
  ASSERT_TRUE(entry) << error_;
  EXPECT_EQ(ReadAll(*entry / "text"), "made");
}

TEST_F(FileCacheTest, IsThisUsersAloneWhateverTheUmask) {
  const mode_t before = umask(0);
  FileCache cache("test");
  const auto entry = cache.Get("key", [](const fs::path& folder) { return Write(folder, "one"); }, error_);
  umask(before);
  ASSERT_TRUE(entry) << error_;
  for (const fs::path& path :
       {home_ / "cosim", cache.folder(), *entry, *entry / "text", fs::path(entry->string() + ".sha256")})
    EXPECT_EQ(fs::status(path).permissions() & (fs::perms::group_all | fs::perms::others_all),
              fs::perms::none)
        << path;
  fs::permissions(home_ / "cosim", fs::perms(0755));  // as it was made once
  EXPECT_TRUE(cache.Get("key", [](const fs::path&) -> bool { abort(); }, error_));
  EXPECT_EQ(fs::status(home_ / "cosim").permissions(), fs::perms(0700));
}

TEST_F(FileCacheTest, RefusesFoldersThatOthersCanWriteTo) {
  const auto refused = [&](const std::string& why) {
    FileCache cache("test");
    EXPECT_FALSE(cache.Get("key", [](const fs::path&) -> bool { abort(); }, error_));
    EXPECT_THAT(error_, HasSubstr("cannot write the cache " + cache.folder().string() + ": " + why));
  };
  const auto open_to_all = [](const fs::path& folder) {
    fs::create_directories(folder);
    fs::permissions(folder, fs::perms::all);
  };
  open_to_all(home_ / "cosim" / "test");
  refused("others may write to " + (home_ / "cosim" / "test").string());
  open_to_all(home_ / "cosim");
  refused("others may write to " + (home_ / "cosim").string());
  fs::permissions(home_ / "cosim", fs::perms(0700));
  open_to_all(home_);
  refused("others may write to " + home_.string());
  // Through a link that stands in such a folder.
  fs::create_directories(home_ / "good" / "cache");
  fs::permissions(home_ / "good", fs::perms(0700));
  open_to_all(home_ / "bad");
  fs::create_directory_symlink(home_ / "good" / "cache", home_ / "bad" / "link");
  fs::permissions(home_, fs::perms(0700));
  setenv("XDG_CACHE_HOME", (home_ / "bad" / "link").c_str(), 1);
  refused("others may write to " + (home_ / "bad").string());
  fs::create_directory_symlink("good/../good/cache", home_ / "link");
  setenv("XDG_CACHE_HOME", (home_ / "link").c_str(), 1);
  EXPECT_TRUE(
      FileCache("test").Get("key", [](const fs::path& folder) { return Write(folder, "one"); }, error_));
}

TEST_F(FileCacheTest, RefusesFoldersOfOthers) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give folders away";
  fs::create_directories(home_ / "cosim");
  for (const fs::path& folder : {home_, home_ / "cosim"}) {
    ASSERT_EQ(chown(folder.c_str(), 54321, 54321), 0);
    FileCache cache("test");
    EXPECT_FALSE(cache.Get("key", [](const fs::path&) -> bool { abort(); }, error_));
    EXPECT_THAT(error_, HasSubstr(folder.string() + " belongs to another user"));
    ASSERT_EQ(chown(folder.c_str(), 0, 0), 0);
  }
}

TEST(FileCacheHome, IsTheUsersWithoutAnEnvironment) {
  const passwd* user = getpwuid(geteuid());
  if (user == nullptr || !fs::is_directory(user->pw_dir)) GTEST_SKIP() << "this user has no home";
  const char* home = std::getenv("HOME");
  const std::string before = home != nullptr ? home : "";
  unsetenv("XDG_CACHE_HOME");
  for (const char* nothing : {"", "relative"}) {
    setenv("HOME", nothing, 1);
    EXPECT_EQ(FileCache("test").folder(), fs::path(user->pw_dir) / ".cache" / "cosim" / "test");
  }
  unsetenv("HOME");
  EXPECT_EQ(FileCache("test").folder(), fs::path(user->pw_dir) / ".cache" / "cosim" / "test");
  if (home != nullptr) setenv("HOME", before.c_str(), 1);
}

TEST(FileCacheHome, IsOfTheProcessAloneWithoutAHome) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become a user without a home";
  EXPECT_EXIT(
      {
        unsetenv("HOME");
        unsetenv("XDG_CACHE_HOME");
        if (setuid(54321) != 0) exit(1);
        FileCache cache("test");
        std::string error;
        const auto entry = cache.Get("key", [](const fs::path&) { return true; }, error);
        if (!entry || FileCache("test").folder() != cache.folder()) exit(2);
        fs::path top = cache.folder();
        while (top.parent_path() != fs::temp_directory_path()) top = top.parent_path();
        std::fprintf(stderr, "made %s, ", top.c_str());
        exit(fs::status(top).permissions() == fs::perms(0700) ? 0 : 3);
      },
      ::testing::ExitedWithCode(0), "goes to /.*/cosim_[^ ]* and is gone at the end\nmade /.*/cosim_");
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
