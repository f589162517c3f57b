// SPDX-License-Identifier: Apache-2.0
// Prints the module that a board instantiates: cosim_accelerator (hw/rtl) with one AXI4 interface a memory
// port, named so that Vivado infers them. Wiring alone.
#pragma once

#include <string>

#include "isa/spec/spec.h"

namespace cosim::isa {

/// `module cosim_top`. Its interfaces: s_axi (AXI4-Lite, registers), interrupt, and of memory port 0 m_axi,
/// of port p m_axi_<p>.
std::string SvTop(const Spec& spec);

}  // namespace cosim::isa
