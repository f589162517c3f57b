// SPDX-License-Identifier: Apache-2.0
// A real sshd of this machine's, for this user, on the loopback address, with keys made for the test: what a
// board is to the cosim command. Everything stands below one folder.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace cosim::driver::testing {

class LoopbackSshd {
 public:
  /// Whether this machine has what it takes; else why not.
  static std::string Missing();

  /// `folder` is empty and stays the caller's.
  explicit LoopbackSshd(std::filesystem::path folder);
  ~LoopbackSshd();
  LoopbackSshd(const LoopbackSshd&) = delete;
  LoopbackSshd& operator=(const LoopbackSshd&) = delete;

  /// Empty once it answers; else what is wrong.
  std::string Start();

  /// $COSIM_SSH to reach it as "testboard".
  std::string Ssh() const { return "ssh -F " + (folder_ / "ssh_config").string(); }
  /// What files of sessions stand below, ~/.cache there.
  std::filesystem::path Cache() const { return folder_ / "cache"; }
  /// From now on the key that clients know is another one.
  void ForgetHostKey();
  /// Files that sessions write may have so many blocks of 512 bytes.
  void LimitFiles(int blocks);

 private:
  bool MakeKey(const std::string& name) const;
  void WriteKnownHost(const std::string& key) const;
  void Authorize(const std::string& options) const;

  const std::filesystem::path folder_;
  int port_ = 0;
  pid_t server_ = -1;
};

}  // namespace cosim::driver::testing
