// SPDX-License-Identifier: Apache-2.0
// The board: the Verilated accelerator behind a guest's register page, its RAM and an interrupt line.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "isa/spec/spec.h"
#include "sim/dram/memory_port.h"
#include "sim/rtl/rtl_bench.h"
#include "tests/board/interrupt_line.h"

namespace cosim::board {

/// Of QEMU's `virt` and of board.dtso.
inline constexpr uint64_t kRamAddress = 0x4000'0000, kPageAddress = 0x5F00'0000;
inline constexpr int kInterrupt = 100;

/// The guest's RAM at its bus addresses; all others are answered with an error.
class GuestRam final : public sim::MemoryPort {
 public:
  explicit GuestRam(std::span<uint8_t> bytes) : bytes_(bytes) {}
  bool Read(uint64_t address, std::span<uint8_t> into) override;
  bool Write(uint64_t address, std::span<const uint8_t> from) override;
  volatile uint32_t* page() {
    return reinterpret_cast<volatile uint32_t*>(&bytes_[kPageAddress - kRamAddress]);
  }

 private:
  bool Holds(uint64_t address, uint64_t count) const;
  std::span<uint8_t> bytes_;
};

enum class Fault {
  kNone,
  kBase,       ///< Base does not take what is written
  kSilent,     ///< memory never answers; the watchdog is cut to a few cycles
  kError,      ///< memory answers a beat with an error
  kInterrupt,  ///< the line stays low
};

class Board {
 public:
  /// `faults`: those of runs, counted from 1. All must outlive the board.
  Board(const isa::Spec& spec, sim::RtlBench& bench, GuestRam& ram, InterruptLine& line,
        std::map<int, Fault> faults);
  /// Until `plugin` is closed: answers accesses, and lets the accelerator run between them.
  void Serve(int plugin);

 private:
  Fault fault() const;
  void Store(uint32_t offset);
  /// Cycles until the interrupt, or some.
  void Run();
  void ShowRegisters(bool counters_too);
  void DriveLine();

  const isa::Spec& spec_;
  sim::RtlBench& bench_;
  GuestRam& ram_;
  InterruptLine& line_;
  std::map<int, Fault> faults_;
  int run_ = 1;                           ///< the next one, or the one that goes on
  bool running_ = false, ended_ = false;  ///< a run goes on; one ended that nobody has acknowledged
};

}  // namespace cosim::board
