// SPDX-License-Identifier: Apache-2.0
// Memory of the u-dma-buf driver (github.com/ikwzm/udmabuf): one physical piece of CMA, cached, with cache
// maintenance by files in sysfs.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "driver/dma_memory.h"
#include "driver/kernel_files.h"
#include "isa/diagnostics.h"

namespace cosim::driver {

class UDmaBuf final : public DmaMemory {
 public:
  /// The device `name` ("udmabuf0") below `root`. Null after reporting (E0804, E0807).
  static std::unique_ptr<UDmaBuf> Open(const std::filesystem::path& root, const std::string& name,
                                       Diagnostics& diags);

  std::string Name() const override { return "u-dma-buf " + name_; }
  uint64_t size() const override { return mapping_.bytes(); }
  uint64_t bus_address() const override { return bus_address_; }
  void Write(uint64_t address, std::span<const uint8_t> bytes) override;
  void Read(uint64_t address, std::span<uint8_t> bytes) override;
  void SyncForDevice(uint64_t address, uint64_t bytes) override;
  void SyncForCpu(uint64_t address, uint64_t bytes) override;

 private:
  UDmaBuf(std::string name, std::filesystem::path folder, uint64_t bus_address, bool coherent,
          Mapping mapping)
      : name_(std::move(name)),
        folder_(std::move(folder)),
        bus_address_(bus_address),
        coherent_(coherent),
        mapping_(std::move(mapping)) {}
  void Sync(const char* file, int direction, uint64_t address, uint64_t bytes);

  std::string name_;
  std::filesystem::path folder_;  ///< of its attributes
  uint64_t bus_address_;
  bool coherent_;  ///< its port keeps caches right: nothing to sync
  Mapping mapping_;
  std::mutex syncing_;  ///< several files say what is synced
};

}  // namespace cosim::driver
