// SPDX-License-Identifier: Apache-2.0
// Devices of Linux' UIO: found by their name, registers and memory mapped, interrupts counted by reading.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/accelerator_registers.h"
#include "driver/dma_memory.h"
#include "driver/kernel_files.h"
#include "isa/diagnostics.h"

namespace cosim::driver {

struct UioMap {
  uint64_t address = 0, bytes = 0;  ///< physical
  uint64_t offset = 0;              ///< of the address in its first page
};

struct UioNode {
  std::string device;                 ///< "uio0"
  std::filesystem::path device_file;  ///< below the root
  std::vector<UioMap> maps;           ///< in their order: map0, map1, …
};

/// The node whose device tree names it `name` (linux,uio-name, or the name of the node), whatever its number.
/// Reports E0806 with the names there are when there is none, or several.
std::optional<UioNode> FindUio(const std::filesystem::path& root, const std::string& name,
                               Diagnostics& diags);

/// The protocol of a UIO file descriptor: writing 1 lets an interrupt through, reading takes what was
/// counted.
class UioInterrupt {
 public:
  explicit UioInterrupt(int descriptor) : descriptor_(descriptor) {}
  void Arm();
  bool Wait(std::chrono::milliseconds timeout);

 private:
  int descriptor_;
};

class UioRegisters final : public AcceleratorRegisters {
 public:
  /// Null after reporting when the node cannot be opened (E0804, E0806), or its first map is no register
  /// block.
  static std::unique_ptr<UioRegisters> Open(const UioNode& node, Diagnostics& diags);

  uint32_t Read(uint32_t offset) override;
  void Write(uint32_t offset, uint32_t value) override;
  void ArmInterrupt() override { interrupt_.Arm(); }
  bool WaitForInterrupt(std::chrono::milliseconds timeout) override { return interrupt_.Wait(timeout); }

 private:
  UioRegisters(OpenFile file, Mapping mapping)
      : file_(std::move(file)), mapping_(std::move(mapping)), interrupt_(file_.get()) {}

  OpenFile file_;
  Mapping mapping_;
  UioInterrupt interrupt_;
};

/// The second map of a node: memory that the device tree reserves. The kernel maps it uncached.
class UioMemory final : public DmaMemory {
 public:
  /// Null after reporting (E0804, E0807).
  static std::unique_ptr<UioMemory> Open(const UioNode& node, Diagnostics& diags);

  std::string Name() const override { return "map1 of " + device_; }
  uint64_t size() const override { return mapping_.bytes(); }
  uint64_t bus_address() const override { return bus_address_; }
  void Write(uint64_t address, std::span<const uint8_t> bytes) override;
  void Read(uint64_t address, std::span<uint8_t> bytes) override;
  void SyncForDevice(uint64_t, uint64_t) override {}
  void SyncForCpu(uint64_t, uint64_t) override {}

 private:
  UioMemory(std::string device, uint64_t bus_address, Mapping mapping)
      : device_(std::move(device)), bus_address_(bus_address), mapping_(std::move(mapping)) {}

  std::string device_;
  uint64_t bus_address_;
  Mapping mapping_;
};

}  // namespace cosim::driver
