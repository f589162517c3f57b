// SPDX-License-Identifier: Apache-2.0
// How data reach a memory that somebody else owns. Whoever drives the bus implements it.
#pragma once

#include <cstdint>
#include <span>

namespace cosim::sim {

class MemoryPort {
 public:
  virtual ~MemoryPort() = default;
  /// Both return false, and may have moved a part, when any of the bytes is not there.
  [[nodiscard]] virtual bool Read(uint64_t address, std::span<uint8_t> bytes) = 0;
  [[nodiscard]] virtual bool Write(uint64_t address, std::span<const uint8_t> bytes) = 0;
};

}  // namespace cosim::sim
