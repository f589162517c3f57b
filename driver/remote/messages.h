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

#include "runtime/profile.h"

namespace cosim::driver::remote {

/// Of the messages, as Ready tells it. Both sides have to have the same.
inline constexpr uint32_t kWireVersion = 1;

using Bytes = std::vector<uint8_t>;
using Arrays = std::vector<Bytes>;

struct Open {
  std::string module_path, uio_name, memory;
  uint32_t timeout_ms = 0;
};
struct Run {
  Arrays inputs;  ///< plain arrays, as runtime::Network::inputs
};
using Request = std::variant<Open, Run>;

struct Ready {
  uint32_t version = kWireVersion;
  std::string architecture;  ///< runtime::HostArchitecture's name
};
struct Opened {};
struct Ran {
  runtime::Cycle cycles = 0;
  std::vector<runtime::LedgerRow> ledger;
  Arrays outputs;                                     ///< plain arrays, as runtime::Network::outputs
  double total_s = 0, accelerator_s = 0, host_s = 0;  ///< seconds there
};
struct Refused {
  std::string message, hint;  ///< as Fail prints them; the hint may be empty
};
using Reply = std::variant<Ready, Opened, Ran, Refused>;

Bytes Pack(const Request& request);
Bytes Pack(const Reply& reply);

/// Nothing when the bytes are no such message.
std::optional<Request> UnpackRequest(std::span<const uint8_t> bytes);
std::optional<Reply> UnpackReply(std::span<const uint8_t> bytes);

}  // namespace cosim::driver::remote
