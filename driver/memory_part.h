// SPDX-License-Identifier: Apache-2.0
// A part of a memory that several share, as a memory of its own.
#pragma once

#include <string>

#include "driver/dma_memory.h"

namespace cosim::driver {

class MemoryPart final : public DmaMemory {
 public:
  /// [begin, begin + size) of `whole`, which must outlive it.
  MemoryPart(DmaMemory& whole, uint64_t begin, uint64_t size) : whole_(whole), begin_(begin), size_(size) {}

  std::string Name() const override { return "a part of " + whole_.Name(); }
  uint64_t size() const override { return size_; }
  uint64_t bus_address() const override { return whole_.bus_address() + begin_; }
  void Write(uint64_t address, std::span<const uint8_t> bytes) override {
    whole_.Write(begin_ + address, bytes);
  }
  void Read(uint64_t address, std::span<uint8_t> bytes) override { whole_.Read(begin_ + address, bytes); }
  void SyncForDevice(uint64_t address, uint64_t bytes) override {
    whole_.SyncForDevice(begin_ + address, bytes);
  }
  void SyncForCpu(uint64_t address, uint64_t bytes) override { whole_.SyncForCpu(begin_ + address, bytes); }

 private:
  DmaMemory& whole_;
  uint64_t begin_, size_;
};

}  // namespace cosim::driver
