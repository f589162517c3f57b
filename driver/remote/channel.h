// SPDX-License-Identifier: Apache-2.0
// Messages over two file descriptors, of which each may be a pipe: before each message its length and a mark,
// so that whatever else a login prints is noticed.
//
//    0  'c' 'o' 's' 1    the mark
//    4  u32              bytes that follow, little-endian, at most kMostBytes
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cosim::driver::remote {

/// Of a message: inputs and outputs of the largest networks are a few megabytes.
inline constexpr uint32_t kMostBytes = 256U << 20;

class Channel {
 public:
  /// The descriptors stay the caller's.
  Channel(int in, int out) : in_(in), out_(out) {}

  enum class Status {
    kDone,
    kClosed,   ///< the other side ended, between two messages or within one
    kLate,     ///< nothing came for so long
    kGarbled,  ///< what came is no message; `read` begins with its first bytes
  };
  /// Writes all of it, as long as the other side takes it in time.
  Status Send(std::span<const uint8_t> message, std::chrono::milliseconds patience);
  /// Writes bytes that are no message.
  Status SendRaw(std::span<const uint8_t> bytes, std::chrono::milliseconds patience);
  /// The next message into `read`. `patience`: for each part of it that comes.
  Status Receive(std::vector<uint8_t>& read, std::chrono::milliseconds patience);

 private:
  Status ReadInto(std::span<uint8_t> bytes, size_t& done, std::chrono::milliseconds patience) const;
  Status WriteAll(std::span<const uint8_t> bytes, std::chrono::milliseconds patience) const;

  int in_, out_;
};

}  // namespace cosim::driver::remote
