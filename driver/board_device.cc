// SPDX-License-Identifier: Apache-2.0
#include "driver/board_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <thread>

#include "driver/board_clock.h"
#include "driver/diagnostic_codes.h"
#include "driver/hardware_check.h"
#include "driver/unit_states.h"
#include "isa/check.h"
#include "isa/spec/board_facts.h"
#include "isa/spec/registers.h"
#include "runtime/read_counters.h"

namespace cosim::driver {
namespace {

namespace registers = isa::registers;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr uint64_t kBusEnd = uint64_t{1} << 32;  // the registers Base and Program have 32 bits
constexpr uint64_t kMegabyte = 1 << 20;
constexpr milliseconds kRestStep{1};

milliseconds Until(Clock::time_point end) {
  return std::max(milliseconds{0}, std::chrono::duration_cast<milliseconds>(end - Clock::now()));
}

}  // namespace

BoardDevice::BoardDevice(const isa::Spec& spec, AcceleratorRegisters& registers, DmaMemory& memory,
                         BoardOptions options, WorkMeter* meter)
    : spec_(spec), registers_(registers), memory_(memory), options_(options), meter_(meter) {}

bool BoardDevice::Check(uint64_t dram_bytes, Diagnostics& diags) {
  const std::string differs = DiffersFrom(ReadIdentity(registers_), spec_.fingerprint);
  if (!differs.empty()) {
    diags.Error(codes::kOtherHardware, {}, differs).hint =
        "`cosim flash` loads the bitstream that was made of this configuration; or compile for the one there";
    return false;
  }
  const double wanted_mhz = isa::ProcessorMhz(spec_.board, spec_.clock_mhz);
  if (options_.clock_mhz && !SuitsClock(*options_.clock_mhz, wanted_mhz)) {
    diags
        .Error(codes::kOtherClock, {},
               fmt::format("the clock for the logic is {:g} MHz, and {} is for {:g}", *options_.clock_mhz,
                           spec_.config, wanted_mhz))
        .hint = "`cosim flash` sets it, and a reset of the board undoes that";
    return false;
  }
  const uint64_t base = memory_.bus_address();
  if (base % kBaseAlignment != 0 || base + memory_.size() > kBusEnd) {
    diags
        .Error(codes::kNoMemory, {},
               fmt::format("{} stands at {:#x}, where the accelerator does not reach", memory_.Name(), base))
        .hint = "its base has to be a multiple of 4096, and all of it below 4 GiB";
    return false;
  }
  if (dram_bytes <= memory_.size()) return true;
  const uint64_t megabytes = std::bit_ceil((dram_bytes + kMegabyte - 1) / kMegabyte);
  diags
      .Error(codes::kNoMemory, {},
             fmt::format("{} bytes of memory are needed, and {} has {}", dram_bytes, memory_.Name(),
                         memory_.size()))
      .hint = fmt::format(
      "reserve {0} MiB for it, in the overlay or as u-dma-buf's size; from CMA, boot with cma={1}M",
      megabytes, 2 * megabytes);
  return false;
}

void BoardDevice::Reserve(uint64_t bytes) {
  COSIM_CHECK(bytes <= memory_.size(), "{} bytes were not asked for by Check", bytes);
  constexpr std::array<uint8_t, 4096> kZeros{};
  for (; reserved_ < bytes; reserved_ += std::min<uint64_t>(kZeros.size(), bytes - reserved_)) {
    const uint64_t count = std::min<uint64_t>(kZeros.size(), bytes - reserved_);
    memory_.Write(reserved_, std::span(kZeros).first(count));
    memory_.SyncForDevice(reserved_, count);
  }
}

/// Whatever is written is synced at once, so that no cache ever holds the only copy when the accelerator
/// runs.
void BoardDevice::Write(uint64_t address, std::span<const uint8_t> bytes) {
  COSIM_CHECK(address <= reserved_ && bytes.size() <= reserved_ - address, "{} bytes at {}", bytes.size(),
              address);
  if (bytes.empty()) return;
  memory_.Write(address, bytes);
  memory_.SyncForDevice(address, bytes.size());
}

void BoardDevice::Read(uint64_t address, std::span<uint8_t> bytes) {
  COSIM_CHECK(address <= reserved_ && bytes.size() <= reserved_ - address, "{} bytes at {}", bytes.size(),
              address);
  if (bytes.empty()) return;
  memory_.SyncForCpu(address, bytes.size());
  memory_.Read(address, bytes);
}

void BoardDevice::PoisonOnChip(uint64_t) {
  COSIM_CHECK(false, "a board's on-chip memories cannot be written from outside");
}

std::optional<runtime::Progress> BoardDevice::AcceleratorProgress() {
  return meter_ ? std::optional(meter_->Now()) : std::nullopt;
}

/// False when a run still goes on after an Abort and all patience.
bool BoardDevice::ComesToRest() {
  const auto end = Clock::now() + options_.rest_timeout;
  registers_.Write(registers::kControl, registers::kAbort);
  while ((registers_.Read(registers::kStatus) & registers::kBusy) != 0) {
    if (Clock::now() >= end) return false;
    std::this_thread::sleep_for(kRestStep);
  }
  return true;
}

/// Empty when the run goes on. The interrupt of an earlier run is put away before the new one can come: the
/// line first, then what the kernel has counted.
std::string BoardDevice::Start(const isa::Program& program) {
  const std::string differs = DiffersFrom(ReadIdentity(registers_), program.fingerprint);
  if (!differs.empty()) return differs;
  if ((registers_.Read(registers::kStatus) & registers::kBusy) != 0 && !ComesToRest())
    return "the accelerator is busy with a run of somebody else's, and does not abort it: load it anew";
  registers_.Write(registers::kControl, 0);
  registers_.Write(registers::kStatus, registers::kInterrupt);
  registers_.ArmInterrupt();
  registers_.Write(registers::kBase, static_cast<uint32_t>(memory_.bus_address()));
  registers_.Write(registers::kProgram, static_cast<uint32_t>(program.code_address));
  registers_.Write(registers::kLength, static_cast<uint32_t>(program.instructions.size()));
  registers_.Write(registers::kWatchdog, registers::kWatchdogReset);
  registers_.Write(registers::kControl, registers::kStart | registers::kInterruptEnable);
  return "";
}

/// Empty when the run ended and said so. An interrupt that comes while the run goes on is another's.
std::string BoardDevice::Wait() {
  const auto end = Clock::now() + options_.timeout;
  const auto busy = [&] { return (registers_.Read(registers::kStatus) & registers::kBusy) != 0; };
  while (registers_.WaitForInterrupt(Until(end))) {
    if (!busy()) return "";
    registers_.ArmInterrupt();
  }
  if (!busy())
    return fmt::format(
        "the program ended, but its interrupt did not come within {} ms: the interrupt of the device tree is "
        "not the one that the accelerator is wired to",
        options_.timeout.count());
  const std::string states = UnitStates(spec_, registers_);
  const std::string error =
      fmt::format("the program did not end within {} ms: {}", options_.timeout.count(), states);
  return ComesToRest() ? error : error + "; nor does it end when aborted: load the accelerator anew";
}

runtime::Counters BoardDevice::Execute(const isa::Program& program, const runtime::ExecuteOptions& options) {
  COSIM_CHECK(program.fingerprint == spec_.fingerprint, "the program was made for another spec");
  runtime::Counters counters;
  if (options.timing_only || options.watch_hazards) {
    counters.error = options.timing_only ? "the board moves data: it does not run timing only"
                                         : "the board does not watch hazards";
    return counters;
  }
  Reserve(program.dram_bytes);
  counters.error = Start(program);
  if (!counters.error.empty()) return counters;
  if (meter_) meter_->Began();
  counters.error = Wait();
  if (meter_) meter_->Ended();
  registers_.Write(registers::kStatus, registers::kInterrupt);
  if (!counters.error.empty()) return counters;
  return runtime::ReadCounters(spec_, [&](uint32_t offset) { return registers_.Read(offset); });
}

}  // namespace cosim::driver
