// SPDX-License-Identifier: Apache-2.0
// A Slurm of this user's own on this machine, of one node: its controller, its node's daemon and what
// authenticates them. Everything stands below one folder, listens on the loopback address, and ends with the
// object.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace cosim::explore::testing {

class SmallCluster {
 public:
  /// Whether this machine has what it takes; else why not.
  static std::string Missing();

  /// `folder` is empty and stays the caller's.
  explicit SmallCluster(std::filesystem::path folder);
  ~SmallCluster();
  SmallCluster(const SmallCluster&) = delete;
  SmallCluster& operator=(const SmallCluster&) = delete;

  /// Empty once the node is idle; else what the daemons said.
  std::string Start();
  /// The node falls: its daemon is killed, and all that runs there.
  void KillNode();
  /// It is back, the controller knows that it was gone, and what ran there is in the queue again. Empty, or
  /// as Start.
  std::string StartNode();
  /// What was put into the queue again, and would wait until no node can take it for what it was before.
  void StartNow(const std::string& array);
  /// What the daemons said.
  std::string Logs() const;
  /// $SLURM_CONF of who uses it.
  std::string Configuration() const { return folder_ / "slurm.conf"; }

 private:
  void WriteConfiguration() const;
  bool WaitFor(const std::string& state) const;
  std::string Ask(const std::string& command) const;

  std::filesystem::path folder_;
  pid_t munged_ = -1, controller_ = -1, node_ = -1;
};

}  // namespace cosim::explore::testing
