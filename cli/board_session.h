// SPDX-License-Identifier: Apache-2.0
// A session with cosim-board on a board: program and module are copied there, and the module runs as often as
// wanted.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/session/board_run.h"
#include "driver/remote/client.h"
#include "driver/ssh/board_host.h"
#include "isa/diagnostics.h"

namespace cosim::cli {

/// What is to run there.
struct BoardProgram {
  std::string name;  ///< the network's: its file there is named after it
  std::span<const uint8_t> module;
};

class BoardSession {
 public:
  /// `memory`: as --board-memory. The host has to outlive the session.
  BoardSession(driver::ssh::BoardHost& host, std::string memory) : host_(host), memory_(std::move(memory)) {}

  /// Copies cosim-board, `board_program`, and the module, and starts the one. Reports.
  bool Open(std::span<const uint8_t> board_program, const BoardProgram& program, Diagnostics& diags);

  /// One run. `simulated_ms` says how long to wait: twenty times that, and ten seconds at least. Reports.
  std::optional<session::BoardMeasurement> Run(const std::vector<std::vector<uint8_t>>& inputs,
                                               double simulated_ms, Diagnostics& diags);

  /// `count` frames in flight on those inputs in turn; each is as long as a run. Reports.
  std::optional<session::BoardFrames> RunFrames(const std::vector<std::vector<std::vector<uint8_t>>>& inputs,
                                                int count, double simulated_ms, Diagnostics& diags);

 private:
  bool OpenModule(std::chrono::milliseconds patience, Diagnostics& diags);
  bool Explained(bool good, Diagnostics& diags);

  driver::ssh::BoardHost& host_;
  const std::string memory_;
  std::optional<std::string> module_;
  std::unique_ptr<driver::Process> process_;
  std::optional<driver::remote::Channel> channel_;
  std::optional<driver::remote::Client> client_;
  bool open_ = false;
};

}  // namespace cosim::cli
