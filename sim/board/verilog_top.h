// SPDX-License-Identifier: Apache-2.0
// `cosim_ip`: a Verilog-2001 module around the SystemVerilog `cosim_top`, for tools that take no
// SystemVerilog at the top. Adds the AXI signals that the accelerator does not need, and the attributes by
// which Vivado knows the interfaces. Wiring alone.
#pragma once

#include <string>
#include <vector>

#include "isa/spec/spec.h"
#include "sim/board/interfaces.h"

namespace cosim::board {

inline constexpr char kTopModule[] = "cosim_ip";

/// The file's text.
std::string VerilogTop(const isa::Spec& spec, const std::vector<Interface>& interfaces);

/// Parameters of an interface as Vivado names them: of the clock which interfaces and reset it goes with, of
/// a memory port its protocol, widths and limits. Name, value.
std::vector<std::pair<std::string, std::string>> InterfaceParameters(const isa::Spec& spec,
                                                                     const std::vector<Interface>& interfaces,
                                                                     const Interface& of);

}  // namespace cosim::board
