// SPDX-License-Identifier: Apache-2.0
// A real sshd of this machine's, for this user, on the loopback address, with keys made for the test: what a
// board is to the cosim command. Everything stands below one folder.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "tests/ssh/test_board.h"

namespace cosim::driver::testing {

class LoopbackSshd final : public TestBoard {
 public:
  /// Whether this machine has what it takes; else why not.
  static std::string Missing();

  /// `folder` is empty and stays the caller's.
  explicit LoopbackSshd(std::filesystem::path folder);
  ~LoopbackSshd() override;
  LoopbackSshd(const LoopbackSshd&) = delete;
  LoopbackSshd& operator=(const LoopbackSshd&) = delete;

  std::string Start() override;
  std::string Ssh() const override { return "ssh -F " + (folder_ / "ssh_config").string(); }
  std::filesystem::path Cache() const override { return folder_ / "cache"; }
  void LimitFiles(int blocks) override;
  /// From now on the key that clients know is another one.
  void ForgetHostKey();
  /// From now on a session whose command holds `word` loses its connection once `when`, a command of a shell
  /// on the board, succeeds. An empty `word`: none does.
  void EndSessions(const std::string& word, const std::string& when);

 private:
  bool MakeKey(const std::string& name) const;
  void WriteKnownHost(const std::string& key) const;
  void Authorize(const std::string& options) const;

  const std::filesystem::path folder_;
  int port_ = 0;
  pid_t server_ = -1;
};

}  // namespace cosim::driver::testing
