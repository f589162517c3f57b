// SPDX-License-Identifier: Apache-2.0
// What a board is to the cosim command: a machine that some ssh reaches as "testboard".
#pragma once

#include <filesystem>
#include <string>

namespace cosim::driver::testing {

class TestBoard {
 public:
  virtual ~TestBoard() = default;
  /// Empty once it answers; else what is wrong.
  virtual std::string Start() = 0;
  /// $COSIM_SSH to reach it.
  virtual std::string Ssh() const = 0;
  /// What files of sessions stand below, ~/.cache there.
  virtual std::filesystem::path Cache() const = 0;
  /// Files that sessions write may have so many blocks of 512 bytes.
  virtual void LimitFiles(int blocks) = 0;
};

}  // namespace cosim::driver::testing
