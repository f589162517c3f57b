// SPDX-License-Identifier: Apache-2.0
// A board for tests of the driver: the Verilated RTL at the registers, memory behind a write-back cache, and
// faults of board and driver to plant. Time passes only while the driver accesses registers or waits; several
// threads may.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "driver/accelerator_registers.h"
#include "driver/dma_memory.h"
#include "driver/open_board.h"
#include "isa/spec/spec.h"
#include "sim/dram/memory_port.h"
#include "sim/dram/memory_timing.h"
#include "sim/rtl/rtl_bench.h"

namespace cosim::driver::testing {

/// Memory as the accelerator sees it, at a bus address. Bytes that are not there are a bus error.
class BusMemory final : public sim::MemoryPort {
 public:
  BusMemory(uint64_t bus_address, uint64_t bytes) : bus_address(bus_address), bytes(bytes) {}
  bool Read(uint64_t address, std::span<uint8_t> into) override;
  bool Write(uint64_t address, std::span<const uint8_t> from) override;

  const uint64_t bus_address;
  std::vector<uint8_t> bytes;

  // Faults between accelerator and memory.
  static constexpr uint64_t kNowhere = ~uint64_t{0};
  uint64_t wrong_read = kNowhere, wrong_write = kNowhere;  ///< bus addresses whose byte gets another low bit
  bool loses_writes = false;
  int64_t write_shift = 0;  ///< bytes that writes land too far

 private:
  bool Holds(uint64_t address, uint64_t count) const;
};

/// The same memory as the processor sees it: lines stay in a cache until they are synced.
class CachedMemory final : public DmaMemory {
 public:
  explicit CachedMemory(BusMemory& memory) : memory_(memory) {}

  bool loses_sync_for_device = false, loses_sync_for_cpu = false;

  std::string Name() const override { return "cached memory"; }
  uint64_t size() const override { return memory_.bytes.size(); }
  uint64_t bus_address() const override { return memory_.bus_address; }
  void Write(uint64_t address, std::span<const uint8_t> bytes) override;
  void Read(uint64_t address, std::span<uint8_t> bytes) override;
  void SyncForDevice(uint64_t address, uint64_t bytes) override;
  void SyncForCpu(uint64_t address, uint64_t bytes) override;

 private:
  struct Line {
    std::vector<uint8_t> bytes;
    bool dirty = false;
  };
  uint8_t& At(uint64_t address, bool write);

  std::mutex using_;
  BusMemory& memory_;
  std::map<uint64_t, Line> lines_;
};

class SimulatedRegisters final : public AcceleratorRegisters {
 public:
  explicit SimulatedRegisters(sim::RtlBench& bench) : bench_(bench) {}

  bool loses_interrupt = false, loses_base = false;
  uint32_t version_change = 0;    ///< exclusive or
  uint32_t stale_interrupts = 0;  ///< so many come without a reason
  uint32_t most_watchdog = ~0U;   ///< what is written to Watchdog is cut to that
  int64_t cycles_a_millisecond = 100;
  int64_t cycles_an_abort = 20'000;  ///< pass before the driver looks whether it is done

  uint32_t Read(uint32_t offset) override;
  void Write(uint32_t offset, uint32_t value) override;
  void ArmInterrupt() override { armed_ = true; }
  bool WaitForInterrupt(std::chrono::milliseconds timeout) override;

 private:
  bool Comes();

  std::mutex clocking_;  // others read while one waits
  sim::RtlBench& bench_;
  bool armed_ = false;
};

/// The RTL of `spec`, newly reset; its memory is of `dram_bytes` at `bus_address`.
struct SimulatedBoard {
  SimulatedBoard(const isa::Spec& spec, uint64_t bus_address, uint64_t dram_bytes);

  BusMemory bus;
  std::unique_ptr<sim::RtlModel> model;
  sim::BuiltInMemory timing;
  sim::RtlBench bench;
  SimulatedRegisters registers;
  CachedMemory memory;
};

/// As a kernel offers it; `board` has to outlive it.
OpenBoard Opened(SimulatedBoard& board);

}  // namespace cosim::driver::testing
