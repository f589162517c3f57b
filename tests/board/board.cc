// SPDX-License-Identifier: Apache-2.0
#include "tests/board/board.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "isa/spec/registers.h"

namespace cosim::board {
namespace {

namespace registers = isa::registers;

constexpr int kCyclesAtATime = 500;
constexpr uint32_t kShortWatchdog = 5'000;
constexpr uint32_t kFirstRegisters = 0x50;

}  // namespace

bool GuestRam::Holds(uint64_t address, uint64_t count) const {
  return address >= kRamAddress && address - kRamAddress <= bytes_.size() &&
         count <= bytes_.size() - (address - kRamAddress);
}

bool GuestRam::Read(uint64_t address, std::span<uint8_t> into) {
  if (!Holds(address, into.size())) return false;
  std::ranges::copy(bytes_.subspan(address - kRamAddress, into.size()), into.begin());
  return true;
}

bool GuestRam::Write(uint64_t address, std::span<const uint8_t> from) {
  if (!Holds(address, from.size())) return false;
  std::ranges::copy(from, bytes_.begin() + static_cast<int64_t>(address - kRamAddress));
  return true;
}

Accelerator::Accelerator(int number, const isa::Spec& spec, sim::RtlBench& bench, GuestRam& ram,
                         InterruptLine& line, std::map<int, Fault> faults)
    : number_(number), spec_(spec), bench_(bench), ram_(ram), line_(line), faults_(std::move(faults)) {
  ShowRegisters(true);
}

Fault Accelerator::fault() const {
  const auto found = faults_.find(run_);
  return found == faults_.end() ? Fault::kNone : found->second;
}

/// Copies registers to where the guest loads them from.
void Accelerator::Show(uint32_t begin, uint32_t end) {
  for (uint32_t offset = begin; offset < end; offset += 4)
    ram_.page(number_)[offset / 4] = bench_.ReadRegister(offset);
}

void Accelerator::ShowRegisters(bool counters_too) {
  Show(0, kFirstRegisters);
  if (counters_too)
    Show(registers::kLedger, registers::kLedger + static_cast<uint32_t>(registers::LedgerBytes(spec_)));
}

/// Not before the guest can see all counters of a run.
void Accelerator::DriveLine() {
  line_.Set(bench_.outputs().interrupt && !running_ && fault() != Fault::kInterrupt);
}

void Accelerator::Store(uint32_t offset) {
  uint32_t value = ram_.page(number_)[offset / 4];
  if (offset == registers::kBase && fault() == Fault::kBase) value = 0;
  if (offset == registers::kWatchdog && fault() == Fault::kSilent) value = std::min(value, kShortWatchdog);
  sim::BusFaults& bus = bench_.bus().faults;
  bus.silent = fault() == Fault::kSilent;
  bus.read_error_beat = fault() == Fault::kError ? bench_.bus().beats_given() + 10 : -1;
  bench_.WriteRegister(offset, value);
  if (offset == registers::kControl && (value & registers::kStart) != 0) {
    running_ = true;
    hangs_ = fault() == Fault::kHang;
  }
  if (offset == registers::kControl && (value & registers::kAbort) != 0) hangs_ = false;
  if (offset == registers::kStatus && (value & registers::kInterrupt) != 0 && ended_) {
    ended_ = false;
    ++run_;
  }
}

void Accelerator::Access(uint32_t offset, bool is_store) {
  if (is_store) Store(offset & ~3U);
  ShowRegisters(running_ && offset >= registers::kLedger);
  DriveLine();
}

/// What changes while it runs is never older for the guest than those cycles.
void Accelerator::Run() {
  for (int i = 0; i < kCyclesAtATime && !bench_.outputs().interrupt; ++i) bench_.Clock();
  if (hangs_) bench_.bus().faults.silent = true;
  Show(registers::kCycles, registers::kCycles + 8);
  Show(registers::kStatus, registers::kStatus + 4);
  if ((ram_.page(number_)[registers::kStatus / 4] & registers::kBusy) != 0) return;
  running_ = false;
  ended_ = true;
  ShowRegisters(true);
  fmt::print("run {} of accelerator {}: {} cycles, error {}\n", run_, number_,
             bench_.ReadRegister(registers::kCycles), bench_.ReadRegister(registers::kError));
  std::fflush(stdout);
  DriveLine();
}

void Serve(int plugin, std::span<Accelerator> accelerators) {
  for (;;) {
    pollfd waited{plugin, POLLIN, 0};
    if (poll(&waited, 1, std::ranges::any_of(accelerators, &Accelerator::running) ? 0 : -1) == 1) {
      BoardAccess access{};
      if (read(plugin, &access, sizeof access) != sizeof access) return;
      accelerators[access.offset / kBoardPageBytes].Access(access.offset % kBoardPageBytes,
                                                           access.is_store != 0);
      const uint32_t answer = 0;
      if (write(plugin, &answer, sizeof answer) != sizeof answer) return;
    }
    for (Accelerator& accelerator : accelerators)
      if (accelerator.running()) accelerator.Run();
  }
}

}  // namespace cosim::board
