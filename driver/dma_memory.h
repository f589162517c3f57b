// SPDX-License-Identifier: Apache-2.0
// Memory that processor and accelerator share: physically one piece, at an address that the accelerator's bus
// has too. On a board that is a map of the UIO device or u-dma-buf; tests put an array behind it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace cosim::driver {

/// Addresses count bytes from the memory's beginning; ranges lie inside it. Several threads may use ranges
/// that are cache lines apart at once.
class DmaMemory {
 public:
  virtual ~DmaMemory() = default;
  /// Where it comes from, for people: "u-dma-buf udmabuf0".
  virtual std::string Name() const = 0;
  virtual uint64_t size() const = 0;
  /// Of its first byte, on the accelerator's bus.
  virtual uint64_t bus_address() const = 0;
  virtual void Write(uint64_t address, std::span<const uint8_t> bytes) = 0;
  virtual void Read(uint64_t address, std::span<uint8_t> bytes) = 0;
  /// Between the processor's last write of a range and the accelerator's first access to it: what a cache
  /// still holds goes to memory. Nothing to do where the processor's accesses are uncached or the port is
  /// coherent; likewise SyncForCpu.
  virtual void SyncForDevice(uint64_t address, uint64_t bytes) = 0;
  /// Between the accelerator's last write to a range and the processor's first read of it: what a cache holds
  /// of it is forgotten. The processor has nothing in there that is not synced for the device.
  virtual void SyncForCpu(uint64_t address, uint64_t bytes) = 0;
};

}  // namespace cosim::driver
