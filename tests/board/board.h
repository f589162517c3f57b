// SPDX-License-Identifier: Apache-2.0
// The board: Verilated accelerators behind a guest's register pages, its RAM and interrupt lines.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "isa/spec/spec.h"
#include "sim/dram/memory_port.h"
#include "sim/rtl/rtl_bench.h"
#include "tests/board/interrupt_line.h"
#include "tests/board/protocol.h"

namespace cosim::board {

/// Of QEMU's `virt` and of board.dtso: the first accelerator's page and interrupt, behind which are the next
/// one's.
inline constexpr uint64_t kRamAddress = 0x4000'0000, kPageAddress = 0x5F00'0000;
inline constexpr int kInterrupt = 100;

/// The guest's RAM at its bus addresses; all others are answered with an error.
class GuestRam final : public sim::MemoryPort {
 public:
  explicit GuestRam(std::span<uint8_t> bytes) : bytes_(bytes) {}
  bool Read(uint64_t address, std::span<uint8_t> into) override;
  bool Write(uint64_t address, std::span<const uint8_t> from) override;
  volatile uint32_t* page(int accelerator) {
    return reinterpret_cast<volatile uint32_t*>(
        &bytes_[kPageAddress - kRamAddress + static_cast<size_t>(accelerator) * kBoardPageBytes]);
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
  kHang,       ///< memory answers for a while, and then not before an abort
};

/// One of its accelerators.
class Accelerator {
 public:
  /// `number`: from 0, which page is its. `faults`: those of runs, counted from 1. All must outlive it.
  Accelerator(int number, const isa::Spec& spec, sim::RtlBench& bench, GuestRam& ram, InterruptLine& line,
              std::map<int, Fault> faults);
  /// The guest loaded or stored a register.
  void Access(uint32_t offset, bool is_store);
  bool running() const { return running_; }
  /// Cycles until the interrupt, or some.
  void Run();

 private:
  Fault fault() const;
  void Store(uint32_t offset);
  void Show(uint32_t begin, uint32_t end);
  void ShowRegisters(bool counters_too);
  void DriveLine();

  const int number_;
  const isa::Spec& spec_;
  sim::RtlBench& bench_;
  GuestRam& ram_;
  InterruptLine& line_;
  std::map<int, Fault> faults_;
  int run_ = 1;                           ///< the next one, or the one that goes on
  bool running_ = false, ended_ = false;  ///< a run goes on; one ended that nobody has acknowledged
  bool hangs_ = false;                    ///< this run, unless it is aborted
};

/// Until `plugin` is closed: answers accesses, and lets the accelerators run between them.
void Serve(int plugin, std::span<Accelerator> accelerators);

}  // namespace cosim::board
