// SPDX-License-Identifier: Apache-2.0
#include "tests/board/board.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "isa/spec/registers.h"
#include "tests/board/protocol.h"

namespace cosim::board {
namespace {

namespace registers = isa::registers;

constexpr int kCyclesAtATime = 2'000;
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

Board::Board(const isa::Spec& spec, sim::RtlBench& bench, GuestRam& ram, InterruptLine& line,
             std::map<int, Fault> faults)
    : spec_(spec), bench_(bench), ram_(ram), line_(line), faults_(std::move(faults)) {
  ShowRegisters(true);
}

Fault Board::fault() const {
  const auto found = faults_.find(run_);
  return found == faults_.end() ? Fault::kNone : found->second;
}

/// Copies registers to where the guest loads them from.
void Board::ShowRegisters(bool counters_too) {
  const auto show = [&](uint32_t begin, uint32_t end) {
    for (uint32_t offset = begin; offset < end; offset += 4)
      ram_.page()[offset / 4] = bench_.ReadRegister(offset);
  };
  show(0, kFirstRegisters);
  if (counters_too)
    show(registers::kLedger, registers::kLedger + static_cast<uint32_t>(registers::LedgerBytes(spec_)));
}

/// Not before the guest can see all counters of a run.
void Board::DriveLine() {
  line_.Set(bench_.outputs().interrupt && !running_ && fault() != Fault::kInterrupt);
}

void Board::Store(uint32_t offset) {
  uint32_t value = ram_.page()[offset / 4];
  if (offset == registers::kBase && fault() == Fault::kBase) value = 0;
  if (offset == registers::kWatchdog && fault() == Fault::kSilent) value = std::min(value, kShortWatchdog);
  sim::BusFaults& bus = bench_.bus().faults;
  bus.silent = fault() == Fault::kSilent;
  bus.read_error_beat = fault() == Fault::kError ? bench_.bus().beats_given() + 10 : -1;
  bench_.WriteRegister(offset, value);
  if (offset == registers::kControl && (value & registers::kStart) != 0) running_ = true;
  if (offset == registers::kStatus && (value & registers::kInterrupt) != 0 && ended_) {
    ended_ = false;
    ++run_;
  }
}

void Board::Run() {
  for (int i = 0; i < kCyclesAtATime && !bench_.outputs().interrupt; ++i) bench_.Clock();
  if (!bench_.outputs().interrupt) return;
  running_ = false;
  ended_ = true;
  ShowRegisters(true);
  fmt::print("run {}: {} cycles, error {}\n", run_, bench_.ReadRegister(registers::kCycles),
             bench_.ReadRegister(registers::kError));
  std::fflush(stdout);
  DriveLine();
}

void Board::Serve(int plugin) {
  for (;;) {
    pollfd waited{plugin, POLLIN, 0};
    if (poll(&waited, 1, running_ ? 0 : -1) == 1) {
      BoardAccess access{};
      if (read(plugin, &access, sizeof access) != sizeof access) return;
      if (access.is_store != 0) Store(access.offset & ~3U);
      ShowRegisters(false);
      DriveLine();
      const uint32_t answer = 0;
      if (write(plugin, &answer, sizeof answer) != sizeof answer) return;
    }
    if (running_) Run();
  }
}

}  // namespace cosim::board
