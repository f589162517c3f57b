// SPDX-License-Identifier: Apache-2.0
// cosim-board selftest: registers, interrupt and the processor's side of memory, the simplest first. What the
// accelerator does to memory, `cosim-board run` shows.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "driver/command/command.h"
#include "driver/command/places.h"
#include "driver/hardware_check.h"
#include "isa/spec/registers.h"

namespace cosim::driver {
namespace {

namespace registers = isa::registers;

constexpr uint64_t kPatternBytes = 1 << 20;
constexpr std::chrono::milliseconds kPatience{1'000};

/// Says how a part went.
bool Say(const char* part, const std::string& problem) {
  fmt::print("{:<10} {}\n", part, problem.empty() ? "right" : problem);
  return problem.empty();
}

std::string TryIdentity(AcceleratorRegisters& board) {
  const HardwareIdentity identity = ReadIdentity(board);
  return DiffersFrom(identity, identity.fingerprint);
}

/// Registers keep what is written, each its own.
std::string TryRegisters(AcceleratorRegisters& board) {
  const uint32_t kept[] = {registers::kProgram, registers::kBase, registers::kLength, registers::kWatchdog};
  for (int bit = 0; bit < 32; ++bit) {
    const auto value = [&](size_t i) { return uint32_t{1} << (bit + i) % 32; };
    for (size_t i = 0; i < std::size(kept); ++i) board.Write(kept[i], value(i));
    for (size_t i = 0; i < std::size(kept); ++i)
      if (const uint32_t is = board.Read(kept[i]); is != value(i))
        return fmt::format("register {:#x} reads as {:#010x} after writing {:#010x}", kept[i], is, value(i));
  }
  return "";
}

/// A program of no instructions ends, and says so by its interrupt; without one, nothing comes.
std::string TryInterrupt(AcceleratorRegisters& board) {
  board.Write(registers::kControl, 0);
  board.Write(registers::kStatus, registers::kInterrupt);
  board.ArmInterrupt();
  if (board.WaitForInterrupt(std::chrono::milliseconds{10})) return "it comes without a reason";
  for (const uint32_t offset : {registers::kProgram, registers::kBase, registers::kLength})
    board.Write(offset, 0);
  board.Write(registers::kWatchdog, registers::kWatchdogReset);
  board.Write(registers::kControl, registers::kStart | registers::kInterruptEnable);
  const bool came = board.WaitForInterrupt(kPatience);
  const uint32_t status = board.Read(registers::kStatus);
  board.Write(registers::kStatus, registers::kInterrupt);
  if ((status & registers::kDone) == 0)
    return fmt::format("a program of no instructions does not end: Status {:#x}", status);
  return came ? "" : "it does not come: the device tree names another than the accelerator is wired to";
}

std::string TryMemory(DmaMemory& memory) {
  const uint64_t bytes = std::min(memory.size(), kPatternBytes);
  std::vector<uint8_t> pattern(static_cast<size_t>(bytes)), back(pattern.size());
  for (const uint64_t begin : {uint64_t{0}, memory.size() - bytes}) {
    for (size_t i = 0; i < pattern.size(); ++i)
      pattern[i] = static_cast<uint8_t>(i * 7 + (i >> 8) * 13 + begin);
    memory.Write(begin, pattern);
    memory.SyncForDevice(begin, bytes);
    memory.SyncForCpu(begin, bytes);
    memory.Read(begin, back);
    const auto [is, want] = std::ranges::mismatch(back, pattern);
    if (is != back.end())
      return fmt::format("byte {} reads as {:#04x} after writing {:#04x}",
                         begin + static_cast<uint64_t>(is - back.begin()), *is, *want);
  }
  return "";
}

}  // namespace

int SelfTestVerb(const Arguments& arguments) {
  const auto options = Options::Parse(arguments, WithPlaces({}), 0);
  if (!options) return 1;
  const auto board = OpenOrFail(*options);
  if (!board) return 1;
  const bool is_right =
      Say("identity", TryIdentity(*board->registers)) && Say("registers", TryRegisters(*board->registers)) &&
      Say("interrupt", TryInterrupt(*board->registers)) && Say("memory", TryMemory(*board->memory));
  return is_right ? 0 : 1;
}

}  // namespace cosim::driver
