// SPDX-License-Identifier: Apache-2.0
// The workstation's side of a session with `cosim-board serve`.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "driver/remote/channel.h"
#include "driver/remote/messages.h"
#include "isa/diagnostics.h"

namespace cosim::driver::remote {

class Client {
 public:
  /// `board`: how diagnostics name the other side. The channel has to outlive the client.
  Client(Channel& channel, std::string board) : channel_(channel), board_(std::move(board)) {}

  /// To be asked first: whether a server of this version is there (E0811), or anything at all (E0809).
  bool Greet(Diagnostics& diags);
  /// E0812 when the board refuses: module, accelerator and memory do not fit each other.
  bool OpenModule(const Open& open, Diagnostics& diags);
  /// One run. E0812 when the accelerator stops, E0809 when the connection does. `patience`: for its end.
  std::optional<Ran> RunModule(const Run& run, std::chrono::milliseconds patience, Diagnostics& diags);

  /// Likewise several frames, `patience` for the end of them all.
  std::optional<RanFrames> RunFramesOfModule(const RunFrames& run, std::chrono::milliseconds patience,
                                             Diagnostics& diags);

 private:
  template <typename Asked>
  std::optional<Asked> AskFor(const Request& request, std::chrono::milliseconds patience, Diagnostics& diags);
  std::optional<Reply> Ask(const Request& request, std::chrono::milliseconds patience, Diagnostics& diags);
  std::optional<Reply> Listen(std::chrono::milliseconds patience, Diagnostics& diags);

  Channel& channel_;
  const std::string board_;
};

}  // namespace cosim::driver::remote
