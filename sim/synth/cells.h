// SPDX-License-Identifier: Apache-2.0
// What a cell of Yosys's Xilinx library takes of the device, and what a path through it costs.
#pragma once

#include <string>
#include <string_view>

#include "sim/synth/netlist.h"

namespace cosim::synth {

/// Of a device, or of a part of a design.
struct Resources {
  int lut = 0;     ///< six-input look-up tables, those used as memory or shift register included
  int ff = 0;      ///< flip-flops
  int dsp = 0;     ///< DSP48 slices
  int ramb18 = 0;  ///< halves of a RAMB36
  Resources& operator+=(const Resources& other);
};

/// What the cell takes. A type that Yosys's libraries for 7-series and UltraScale+ do not have is a bug. An
/// inverter counts as a LUT: placement would often find one to put it into.
Resources CellResources(std::string_view type);

/// A path from an input of the cell to an output within one cycle.
struct Arc {
  bool exists = false;  ///< false: the input ends at a register, or only writes
  int levels = 0;       ///< look-up tables and carry chains on the way
};

/// From `input` to any output. Carry chains count once, where a path enters them; multiplexers that join LUTs
/// and inverters do not count.
Arc PathThrough(const Cell& cell, std::string_view input);

/// True for a multiplier with no register behind it, neither in its own slice.
bool IsUnregisteredDsp(const Cell& cell);

/// Of a multiplier's registers, AREG, BREG, MREG and PREG, those that it does not use: "AREG PREG". Empty for
/// all other cells.
std::string MissingDspRegisters(const Cell& cell);

}  // namespace cosim::synth
