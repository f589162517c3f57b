// SPDX-License-Identifier: Apache-2.0
// Bitstreams as files: Vivado's .bit, a header and the configuration as the device takes it, and the .bin
// that Linux' FPGA manager wants, the same in words of the other byte order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isa/diagnostics.h"

namespace cosim::driver {

struct Bitstream {
  std::string design, part, date, time;  ///< of a .bit's header; empty for a .bin
  std::vector<uint8_t> bin;              ///< for the FPGA manager
};

/// The .bin of a .bit's configuration, which is of whole words: the bytes of each 32-bit word swapped,
/// packets that do nothing at the end up to a multiple of `alignment` bytes (isa::BoardFacts), as Xilinx'
/// bootgen writes it.
std::vector<uint8_t> BinOf(std::span<const uint8_t> configuration, size_t alignment);

/// Reads either, by what is in it; `path` is for messages. Nothing after reporting E0801: cut off, neither of
/// the two, or a .bin that is not swapped, which the FPGA manager would refuse.
std::optional<Bitstream> ReadBitstream(std::span<const uint8_t> bytes, size_t alignment,
                                       const std::string& path, Diagnostics& diags);

}  // namespace cosim::driver
