// SPDX-License-Identifier: Apache-2.0
// The messages of messages.fbs as values. What comes from the other side is checked as a whole before any of
// it is looked at: nothing that it may hold makes a reader crash.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "runtime/frames.h"
#include "runtime/profile.h"

namespace cosim::driver::remote {

/// Of the messages, as Ready tells it. Both sides have to have the same.
inline constexpr uint32_t kWireVersion = 2;

using Bytes = std::vector<uint8_t>;
using Arrays = std::vector<Bytes>;

struct Open {
  std::string module_path, uio_name, memory;
  uint32_t timeout_ms = 0;
};
struct Run {
  Arrays inputs;  ///< plain arrays, as runtime::Network::inputs
};
/// Of one RunFrames.
inline constexpr uint32_t kMostFrames = 1'000;
struct RunFrames {
  std::vector<Arrays> inputs;  ///< of frames, in turn
  uint32_t count = 0;          ///< at most kMostFrames
};
using Request = std::variant<Open, Run, RunFrames>;

struct Ready {
  uint32_t version = kWireVersion;
  std::string architecture;  ///< runtime::HostArchitecture's name
};
struct Opened {};
struct Ran {
  runtime::Cycle cycles = 0;
  std::vector<runtime::LedgerRow> ledger;
  Arrays outputs;  ///< plain arrays, as runtime::Network::outputs
  /// Seconds there: of all, and of it on the accelerator, in host layers, copying to and from its memory.
  double total_s = 0, accelerator_s = 0, host_s = 0, copies_s = 0;
};
struct Refused {
  std::string message, hint;  ///< as Fail prints them; the hint may be empty
};
struct RanFrames {
  std::vector<Ran> frames;  ///< in their order; total_s is from a frame's own first copy to its last
  /// Seconds there: from the first frame's start to the last one's end; host layers and copies, summed over
  /// the frames; and what of that passed while the accelerator had another frame.
  double wall_s = 0, host_s = 0, overlapped_s = 0;
  runtime::Meanwhile meanwhile;  ///< by the accelerator's counters; without stretches if none were counted
};
using Reply = std::variant<Ready, Opened, Ran, Refused, RanFrames>;

Bytes Pack(const Request& request);
Bytes Pack(const Reply& reply);

/// Nothing when the bytes are no such message.
std::optional<Request> UnpackRequest(std::span<const uint8_t> bytes);
std::optional<Reply> UnpackReply(std::span<const uint8_t> bytes);

}  // namespace cosim::driver::remote
