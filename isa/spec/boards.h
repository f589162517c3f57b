// SPDX-License-Identifier: Apache-2.0
// The boards that a configuration may name. What their devices have: sim/synth/board.h.
#pragma once

#include <string>
#include <vector>

namespace cosim::isa {

/// All of them; "none" among them.
const std::vector<std::string>& BoardNames();

}  // namespace cosim::isa
