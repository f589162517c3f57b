// SPDX-License-Identifier: Apache-2.0
// A script in the place of ssh: what is meant for a board, a shell of this machine runs, in a cache of its
// own. It has no connection that could fail and no keys; loopback_sshd.h has.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "tests/ssh/test_board.h"

namespace cosim::driver::testing {

class ShellBoard final : public TestBoard {
 public:
  /// `folder` is empty and stays the caller's.
  explicit ShellBoard(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::string Start() override;
  std::string Ssh() const override { return (folder_ / "ssh").string(); }
  std::filesystem::path Cache() const override { return folder_ / "cache"; }
  void LimitFiles(int blocks) override;

 private:
  /// `first`: what the shell does before the command.
  bool WriteScript(const std::string& first) const;

  const std::filesystem::path folder_;
};

}  // namespace cosim::driver::testing
