// SPDX-License-Identifier: Apache-2.0
// Bytes of the host as a memory behind a port, from address 0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "sim/dram/memory_port.h"

namespace cosim::sim {

class FlatMemory final : public MemoryPort {
 public:
  /// The bytes must outlive the memory.
  explicit FlatMemory(std::span<uint8_t> bytes) : bytes_(bytes) {}

  bool Read(uint64_t address, std::span<uint8_t> bytes) override {
    if (!Holds(address, bytes.size())) return false;
    std::ranges::copy(bytes_.subspan(address, bytes.size()), bytes.begin());
    return true;
  }

  bool Write(uint64_t address, std::span<const uint8_t> bytes) override {
    if (!Holds(address, bytes.size())) return false;
    std::ranges::copy(bytes, bytes_.begin() + static_cast<int64_t>(address));
    return true;
  }

 private:
  bool Holds(uint64_t address, uint64_t count) const {
    return address <= bytes_.size() && count <= bytes_.size() - address;
  }

  std::span<uint8_t> bytes_;
};

}  // namespace cosim::sim
