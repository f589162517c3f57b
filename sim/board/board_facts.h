// SPDX-License-Identifier: Apache-2.0
// What packaging an accelerator has to know of a board: its part, its processor's ports, and where things
// stand in its memory. What its device has room for is sim/synth/board.h's.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace cosim::board {

struct BoardFacts {
  std::string_view name;    ///< as a configuration's `board` says it
  std::string_view title;   ///< for people
  std::string_view part;    ///< as Vivado names it
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
  bool has_dfx = false;               ///< dfx-mgr loads packages there
};

/// All of them.
std::span<const BoardFacts> AllBoards();

/// Null when there is none of that name.
const BoardFacts* FindBoard(std::string_view name);

}  // namespace cosim::board
