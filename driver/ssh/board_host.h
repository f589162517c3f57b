// SPDX-License-Identifier: Apache-2.0
// A board that is reached by ssh: what processor it has, files of ours on it, programs started there. Uses
// this machine's ssh with its keys and its known hosts, and never asks for a password. $COSIM_SSH, words
// separated by blanks, stands for `ssh`: "ssh -F other_config". A machine that is a board itself does the
// same without ssh.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/process.h"
#include "isa/diagnostics.h"
#include "isa/spec/board_address.h"

namespace cosim::driver::ssh {

class BoardHost {
 public:
  /// Looks there. Nothing after reporting why it cannot (E0809).
  static std::optional<BoardHost> Reach(const isa::BoardAddress& address, Diagnostics& diags);

  /// "arm", "aarch64", "x86_64": runtime::HostArchitecture's names; else what `uname -m` says there.
  const std::string& architecture() const { return architecture_; }
  const isa::BoardAddress& address() const { return address_; }

  /// Puts a file of letters, digits, '.', '_', '-' into our folder there, ~/.cache/cosim-board, unless one
  /// with these bytes is there. Its path there; nothing, with nothing of it left there, after reporting
  /// (E0809, E0810). `executable`: it may be started.
  std::optional<std::string> Put(const std::string& name, std::span<const uint8_t> bytes, bool executable,
                                 Diagnostics& diags);

  /// Starts `command`, words for a shell there. Null after reporting.
  std::unique_ptr<Process> Start(const std::string& command, Diagnostics& diags) const;

  /// Why a connection ended, from what ssh printed, if it was ssh that failed.
  bool Explain(int status, const std::string& errors, Diagnostics& diags) const;

 private:
  explicit BoardHost(isa::BoardAddress address) : address_(std::move(address)) {}
  bool Look(Diagnostics& diags);

  isa::BoardAddress address_;
  std::string architecture_, folder_;
  std::map<std::string, std::string> files_;  // there, by name: SHA-256 in hexadecimal
};

}  // namespace cosim::driver::ssh
