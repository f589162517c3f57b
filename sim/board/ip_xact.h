// SPDX-License-Identifier: Apache-2.0
// component.xml: the accelerator as IP-XACT (IEEE 1685-2009), with the vendor extensions that Vivado asks
// for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "isa/spec/board_facts.h"
#include "isa/spec/spec.h"
#include "sim/board/interfaces.h"

namespace cosim::board {

/// Vendor, library, name and version of the component, joined by colons.
inline constexpr char kComponent[] = "cosim:accelerator:cosim_ip:1.0";

/// The file's text. `sources`: the Verilog and SystemVerilog of the component, in the order in which they are
/// read, from component.xml's folder; `constraints`: those of a synthesis of the component alone.
std::string IpXact(const isa::Spec& spec, const isa::BoardFacts& board,
                   const std::vector<Interface>& interfaces,
                   const std::vector<std::filesystem::path>& sources,
                   const std::filesystem::path& constraints);

}  // namespace cosim::board
