// SPDX-License-Identifier: Apache-2.0
// Everything that a board's tools need of an accelerator, as files: sources, a top for Vivado, IP-XACT,
// constraints, a script from there to a bitstream, device-tree overlays, a README with the commands. Nothing
// is run, and nothing of it has met Vivado.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/diagnostics.h"
#include "isa/spec/board_facts.h"
#include "isa/spec/spec.h"
#include "sim/rtl/rtl_sources.h"

namespace cosim::board {

/// The files, with paths from the folder that they are for. `config_file`: how a user names the
/// configuration. Nothing after reporting: a spec that has no RTL (E0701), or one that the board's memory
/// ports do not take (E0711: too many of them, too wide, bursts too long).
std::optional<std::vector<sim::RtlSource>> Package(const isa::Spec& spec, const isa::BoardFacts& board,
                                                   const std::string& config_file, Diagnostics& diags);

}  // namespace cosim::board
