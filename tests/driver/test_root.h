// SPDX-License-Identifier: Apache-2.0
// A folder that stands for the root of a board's file system, removed at the end.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>

namespace cosim::driver::testing {

class TestRoot {
 public:
  TestRoot() {
    std::string name = ::testing::TempDir() + "cosim_root_XXXXXX";
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    path_ = name;
  }
  ~TestRoot() { std::filesystem::remove_all(path_); }
  TestRoot(const TestRoot&) = delete;
  TestRoot& operator=(const TestRoot&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void Write(const std::string& file, const std::string& bytes) const {
    std::filesystem::create_directories((path_ / file).parent_path());
    std::ofstream(path_ / file, std::ios::binary) << bytes;
  }
  std::string Read(const std::string& file) const {
    std::ifstream stream(path_ / file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }

 private:
  std::filesystem::path path_;
};

/// Permissions do not bind root. As long as this lives, a test that root runs is run by another user, to whom
/// the folders belong.
class AsOtherUser {
 public:
  AsOtherUser(std::initializer_list<const TestRoot*> folders) : is_root_(geteuid() == 0) {
    if (!is_root_) return;
    for (const TestRoot* folder : folders) {
      EXPECT_EQ(lchown(folder->path().c_str(), kNobody, kNobody), 0);
      for (const auto& entry : std::filesystem::recursive_directory_iterator(folder->path()))
        EXPECT_EQ(lchown(entry.path().c_str(), kNobody, kNobody), 0);
    }
    EXPECT_EQ(seteuid(kNobody), 0);
  }
  ~AsOtherUser() {
    if (is_root_) {
      EXPECT_EQ(seteuid(0), 0);
    }
  }
  AsOtherUser(const AsOtherUser&) = delete;
  AsOtherUser& operator=(const AsOtherUser&) = delete;

 private:
  static constexpr uid_t kNobody = 65534;
  bool is_root_;
};

}  // namespace cosim::driver::testing
