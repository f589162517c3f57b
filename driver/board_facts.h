// SPDX-License-Identifier: Apache-2.0
// What loading a board's FPGA has to know of the board.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cosim::driver {

struct BoardFacts {
  std::string_view name;     ///< as a configuration's `board` says it
  std::string_view part;     ///< in the part of a .bit's header, whatever stands around it
  size_t bin_alignment = 4;  ///< bytes that a .bin is made a multiple of
  /// The registers that set the widths of the processor's ports HP0, HP1, …: of the first, and how far apart.
  /// 0: the ports find out for themselves, or by what the boot loader has set.
  uint64_t port_registers = 0, port_stride = 0;
  bool has_dfx = false;  ///< dfx-mgr loads packages there
};

/// Pynq-Z1 and Z2: XC7Z020 in the CLG400.
inline constexpr BoardFacts kPynq{"pynq", "7z020clg400", 32};
/// Ultra96-V1 and V2: XCZU3EG in the SBVA484. AFIFM2 is that of HP0 (UG1085, UG1087).
inline constexpr BoardFacts kUltra96{"ultra96", "zu3eg-sbva484", 4, 0xFD38'0000, 0x1'0000, true};

/// Null when there is none of that name.
constexpr const BoardFacts* FindBoard(std::string_view name) {
  for (const BoardFacts* board : {&kPynq, &kUltra96})
    if (board->name == name) return board;
  return nullptr;
}

}  // namespace cosim::driver
