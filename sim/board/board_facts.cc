// SPDX-License-Identifier: Apache-2.0
#include "sim/board/board_facts.h"

#include <algorithm>
#include <iterator>

namespace cosim::board {
namespace {

// Zynq-7000: UG585 (HP ports are AXI3 of 32 or 64 bits; IRQ_F2P[0] is interrupt 61, so 29 of the shared
// ones). Zynq UltraScale+: UG1085 (HP ports are AXI4 of 32, 64 or 128 bits; pl_ps_irq0[0] is interrupt 121).
constexpr BoardFacts kBoards[] = {
    {.name = "pynq",
     .title = "Pynq-Z1, Pynq-Z2",
     .part = "xc7z020clg400-1",
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
     .processor = "armv7"},
    {.name = "ultra96",
     .title = "Ultra96-V2",
     .part = "xczu3eg-sbva484-1-i",
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
     .has_dfx = true},
};

}  // namespace

std::span<const BoardFacts> AllBoards() { return kBoards; }

const BoardFacts* FindBoard(std::string_view name) {
  const auto found = std::ranges::find(kBoards, name, &BoardFacts::name);
  return found == std::end(kBoards) ? nullptr : found;
}

}  // namespace cosim::board
