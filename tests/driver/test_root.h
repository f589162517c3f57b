// SPDX-License-Identifier: Apache-2.0
// A folder that stands for the root of a board's file system, removed at the end.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>

#include "isa/spec/registers.h"

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

/// A UIO device of the accelerator with that fingerprint, as the kernel shows it, below `folder` of the root.
inline void WriteDevice(const TestRoot& root, const std::string& folder, const std::string& address,
                        uint64_t fingerprint) {
  std::string page(isa::registers::kSize, '\0');
  const auto put = [&](uint32_t offset, uint64_t value) {
    for (size_t i = 0; i < 8; ++i) page[offset + i] = static_cast<char>(value >> (8 * i));
  };
  put(isa::registers::kVersion, isa::registers::kVersionValue);
  put(isa::registers::kFingerprint, fingerprint);
  root.Write(folder + "dev/uio4", page);
  root.Write(folder + "sys/class/uio/uio4/maps/map0/addr", address);
  root.Write(folder + "sys/class/uio/uio4/maps/map0/size", "0x1000");
  root.Write(folder + "sys/class/uio/uio4/name", "cosim");
}

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
