// SPDX-License-Identifier: Apache-2.0
// What is known of the boards, for everyone who has to agree on it: `cosim export`, which packages an
// accelerator for a board's tools, and the driver, which loads it and runs it there. What a board's device
// has room for is sim/synth/board.h's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace cosim::isa {

struct BoardFacts {
  std::string_view name;    ///< as a configuration's `board` says it
  std::string_view title;   ///< for people
  std::string_view device;  ///< with its package, as a .bit's header has it, whatever stands around it
  std::string_view speed;   ///< speed grade, as Vivado's part ends
  std::string_view family;  ///< as IP-XACT's vendor extension names it
  int address_bits;         ///< of the bus behind a memory port; the accelerator itself drives 32 of them
  int max_port_bits;        ///< of a memory port of the processor; 32 is the least
  int max_burst_beats;      ///< that it takes: 16 on AXI3, 256 on AXI4
  int ports;                ///< memory ports that logic can have (HP0, HP1, …)
  uint64_t registers;       ///< physical address of the accelerator's registers
  uint64_t memory_bytes;    ///< DRAM from address 0 on
  uint64_t reserved, reserved_bytes;  ///< the end of it that may be kept from Linux, for the accelerator
  std::string_view interrupt_parent;  ///< label in the board's device tree
  int interrupt;                      ///< shared peripheral interrupt of the logic's first line
  int cells;                          ///< of addresses and of sizes at the root of the device tree
  std::string_view processor;         ///< --host-target of `cosim compile`
  size_t bin_alignment;               ///< bytes that a .bin is made a multiple of
  /// The registers that set the widths of HP0, HP1, …: of the first, and how far apart. 0: the ports find out
  /// for themselves, or by what the boot loader has set.
  uint64_t port_registers = 0, port_stride = 0;
  bool has_dfx = false;  ///< dfx-mgr loads packages there
  /// MHz that the processor gives the logic, where a clock manager in the logic makes the accelerator's clock
  /// of it. 0: it gives the accelerator's.
  int processor_mhz = 0;

  /// As Vivado names it.
  std::string Part() const { return std::string("xc").append(device).append(speed); }
  /// MHz that the processor has to give the logic for an accelerator of `accelerator_mhz`.
  constexpr double ProcessorMhz(double accelerator_mhz) const {
    return processor_mhz > 0 ? processor_mhz : accelerator_mhz;
  }
};

/// Zynq-7000: UG585 (HP ports are AXI3 of 32 or 64 bits; IRQ_F2P[0] is interrupt 61, so 29 of the shared
/// ones).
inline constexpr BoardFacts kPynq = {.name = "pynq",
                                     .title = "Pynq-Z1, Pynq-Z2",
                                     .device = "7z020clg400",
                                     .speed = "-1",
                                     .family = "zynq",
                                     .address_bits = 32,
                                     .max_port_bits = 64,
                                     .max_burst_beats = 16,
                                     .ports = 4,
                                     .registers = 0x43C0'0000,
                                     .memory_bytes = 0x2000'0000,
                                     .reserved = 0x1800'0000,
                                     .reserved_bytes = 0x0400'0000,
                                     .interrupt_parent = "intc",
                                     .interrupt = 29,
                                     .cells = 1,
                                     .processor = "armv7",
                                     .bin_alignment = 32};

/// Zynq UltraScale+: UG1085, UG1087 (HP ports are AXI4 of 32, 64 or 128 bits; pl_ps_irq0[0] is interrupt 121;
/// AFIFM2 is that of HP0). Its 1,500 MHz do not divide to 200, the MMCM of the logic makes any clock of 100.
inline constexpr BoardFacts kUltra96 = {.name = "ultra96",
                                        .title = "Ultra96-V2",
                                        .device = "zu3eg-sbva484",
                                        .speed = "-1-i",
                                        .family = "zynquplus",
                                        .address_bits = 40,
                                        .max_port_bits = 128,
                                        .max_burst_beats = 256,
                                        .ports = 4,
                                        .registers = 0xA000'0000,
                                        .memory_bytes = 0x8000'0000,
                                        .reserved = 0x7000'0000,
                                        .reserved_bytes = 0x0400'0000,
                                        .interrupt_parent = "gic",
                                        .interrupt = 89,
                                        .cells = 2,
                                        .processor = "aarch64",
                                        .bin_alignment = 4,
                                        .port_registers = 0xFD38'0000,
                                        .port_stride = 0x1'0000,
                                        .has_dfx = true,
                                        .processor_mhz = 100};

inline constexpr BoardFacts kBoards[] = {kPynq, kUltra96};

/// Null when there is none of that name.
constexpr const BoardFacts* FindBoard(std::string_view name) {
  for (const BoardFacts& board : kBoards)
    if (board.name == name) return &board;
  return nullptr;
}

/// As BoardFacts::ProcessorMhz, for a configuration's `board`.
constexpr double ProcessorMhz(std::string_view board, double accelerator_mhz) {
  const BoardFacts* facts = FindBoard(board);
  return facts != nullptr ? facts->ProcessorMhz(accelerator_mhz) : accelerator_mhz;
}

}  // namespace cosim::isa
