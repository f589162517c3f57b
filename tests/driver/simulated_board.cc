// SPDX-License-Identifier: Apache-2.0
#include "tests/driver/simulated_board.h"

#include <algorithm>

#include "isa/check.h"
#include "isa/spec/registers.h"
#include "sim/rtl/rtl_library.h"

namespace cosim::driver::testing {
namespace {

constexpr uint64_t kLineBytes = 64;

std::filesystem::path Library(const isa::Spec& spec) {
  Diagnostics diags;
  const auto library = sim::BuildRtl(spec, {.quick = true}, diags);
  COSIM_CHECK(library, "{}", diags.Render());
  return *library;
}

/// Another low bit for the byte of bus address `wrong`, if it is among those from `address` on.
void Spoil(uint64_t wrong, uint64_t address, std::span<uint8_t> bytes) {
  if (wrong >= address && wrong - address < bytes.size()) bytes[wrong - address] ^= 1;
}

class BorrowedRegisters final : public AcceleratorRegisters {
 public:
  explicit BorrowedRegisters(SimulatedBoard& board) : board_(board) {}
  uint32_t Read(uint32_t offset) override { return board_.registers.Read(offset); }
  void Write(uint32_t offset, uint32_t value) override { board_.registers.Write(offset, value); }
  void ArmInterrupt() override { board_.registers.ArmInterrupt(); }
  bool WaitForInterrupt(std::chrono::milliseconds timeout) override {
    return board_.registers.WaitForInterrupt(timeout);
  }

 private:
  SimulatedBoard& board_;
};

class BorrowedMemory final : public DmaMemory {
 public:
  explicit BorrowedMemory(SimulatedBoard& board) : memory_(board.memory) {}
  std::string Name() const override { return memory_.Name(); }
  uint64_t size() const override { return memory_.size(); }
  uint64_t bus_address() const override { return memory_.bus_address(); }
  void Write(uint64_t address, std::span<const uint8_t> bytes) override { memory_.Write(address, bytes); }
  void Read(uint64_t address, std::span<uint8_t> bytes) override { memory_.Read(address, bytes); }
  void SyncForDevice(uint64_t address, uint64_t bytes) override { memory_.SyncForDevice(address, bytes); }
  void SyncForCpu(uint64_t address, uint64_t bytes) override { memory_.SyncForCpu(address, bytes); }

 private:
  DmaMemory& memory_;
};

}  // namespace

bool BusMemory::Holds(uint64_t address, uint64_t count) const {
  return address >= bus_address && address - bus_address <= bytes.size() &&
         count <= bytes.size() - (address - bus_address);
}

bool BusMemory::Read(uint64_t address, std::span<uint8_t> into) {
  if (!Holds(address, into.size())) return false;
  std::copy_n(bytes.begin() + static_cast<int64_t>(address - bus_address), into.size(), into.begin());
  Spoil(wrong_read, address, into);
  return true;
}

bool BusMemory::Write(uint64_t address, std::span<const uint8_t> from) {
  address += static_cast<uint64_t>(write_shift);
  if (!Holds(address, from.size())) return false;
  if (loses_writes) return true;
  const auto to = std::span(bytes).subspan(address - bus_address, from.size());
  std::ranges::copy(from, to.begin());
  Spoil(wrong_write, address, to);
  return true;
}

uint8_t& CachedMemory::At(uint64_t address, bool write) {
  const uint64_t number = address / kLineBytes;
  const auto [line, is_new] = lines_.try_emplace(number);
  if (is_new) {
    const auto begin = memory_.bytes.begin() + static_cast<int64_t>(number * kLineBytes);
    line->second.bytes.assign(begin, begin + kLineBytes);
  }
  line->second.dirty |= write;
  return line->second.bytes[address % kLineBytes];
}

void CachedMemory::Write(uint64_t address, std::span<const uint8_t> bytes) {
  const std::lock_guard lock(using_);
  COSIM_CHECK(address + bytes.size() <= size());
  for (size_t i = 0; i < bytes.size(); ++i) At(address + i, true) = bytes[i];
}

void CachedMemory::Read(uint64_t address, std::span<uint8_t> bytes) {
  const std::lock_guard lock(using_);
  COSIM_CHECK(address + bytes.size() <= size());
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = At(address + i, false);
}

void CachedMemory::SyncForDevice(uint64_t address, uint64_t bytes) {
  if (loses_sync_for_device) return;
  const std::lock_guard lock(using_);
  const auto end = lines_.upper_bound((address + bytes - 1) / kLineBytes);
  for (auto line = lines_.lower_bound(address / kLineBytes); line != end; ++line) {
    if (line->second.dirty)
      std::ranges::copy(line->second.bytes,
                        memory_.bytes.begin() + static_cast<int64_t>(line->first * kLineBytes));
    line->second.dirty = false;
  }
}

void CachedMemory::SyncForCpu(uint64_t address, uint64_t bytes) {
  if (loses_sync_for_cpu) return;
  const std::lock_guard lock(using_);
  const auto end = lines_.upper_bound((address + bytes - 1) / kLineBytes);
  lines_.erase(lines_.lower_bound(address / kLineBytes), end);
}

uint32_t SimulatedRegisters::Read(uint32_t offset) {
  const std::lock_guard lock(clocking_);
  const uint32_t value = bench_.ReadRegister(offset);
  return offset == isa::registers::kVersion ? value ^ version_change : value;
}

void SimulatedRegisters::Write(uint32_t offset, uint32_t value) {
  if (loses_base && offset == isa::registers::kBase) value = 0;
  if (offset == isa::registers::kWatchdog) value = std::min(value, most_watchdog);
  const std::lock_guard lock(clocking_);
  bench_.WriteRegister(offset, value);
  if (offset == isa::registers::kControl && (value & isa::registers::kAbort) != 0)
    for (int64_t cycle = 0; cycle < cycles_an_abort; ++cycle) bench_.Clock();
}

bool SimulatedRegisters::Comes() {
  if (stale_interrupts == 0) return bench_.outputs().interrupt && !loses_interrupt;
  --stale_interrupts;
  return true;
}

bool SimulatedRegisters::WaitForInterrupt(std::chrono::milliseconds timeout) {
  for (int64_t left = timeout.count() * cycles_a_millisecond; armed_ && left > 0; --left) {
    const std::lock_guard lock(clocking_);
    if (Comes()) {
      armed_ = false;
      return true;
    }
    bench_.Clock();
  }
  return false;
}

SimulatedBoard::SimulatedBoard(const isa::Spec& spec, uint64_t bus_address, uint64_t dram_bytes)
    : bus(bus_address, dram_bytes),
      model(sim::MakeRtlModel(Library(spec))),
      timing(spec.dram),
      bench(*model, spec, bus, timing),
      registers(bench),
      memory(bus) {
  bench.Reset();
}

OpenBoard Opened(SimulatedBoard& board) {
  return {std::make_unique<BorrowedRegisters>(board), std::make_unique<BorrowedMemory>(board)};
}

}  // namespace cosim::driver::testing
