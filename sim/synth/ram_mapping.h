// SPDX-License-Identifier: Apache-2.0
// What Yosys makes of a memory of one write and one read port (hw/rtl/ram.sv) on Xilinx devices: block RAM,
// or RAM made of LUTs where it is shallow.
#pragma once

#include <cstdint>

namespace cosim::synth {

struct RamMapping {
  int ramb18 = 0;     ///< halves of a RAMB36
  int lut = 0;        ///< used as memory
  int registers = 0;  ///< beside the output register
  int choices = 0;    ///< bits chosen among rows of block RAMs
};

/// `depth` words of `bits`, written in slices of `slice_bits`.
RamMapping MapRam(int64_t bits, int64_t depth, int64_t slice_bits);

/// LUTs of a memory made of them: RAM32M, or RAM64M side by side.
int LutRamLuts(int64_t bits, int64_t depth);

}  // namespace cosim::synth
