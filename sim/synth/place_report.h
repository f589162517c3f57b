// SPDX-License-Identifier: Apache-2.0
// What nextpnr reports of one placement (--report): the clock it reaches, the longest path, what is used.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/synth/cells.h"
#include "sim/synth/place_scripts.h"

namespace cosim::synth {

/// One piece of a path.
struct PlaceStep {
  std::string kind;    ///< as nextpnr says: "clk-to-q", "logic", "routing", "setup"
  double ns = 0;       ///< how long it takes
  std::string name;    ///< register or signal; of logic the cell
  std::string source;  ///< RTL file and line, "load_unit.sv:88"; empty where nothing is known
};

struct Route {
  int seed = 0;
  double mhz = 0;               ///< of the longest path from register to register
  std::vector<PlaceStep> path;  ///< the first is the register where it starts, the last where it ends
  Resources used;               ///< with the wrapper. `lut`: halves of six-input LUTs
};

/// `ports`: of the block in the wrapper (place_scripts.h). Nothing, and `error` set, when the text is no such
/// report, or has not exactly one clock.
std::optional<Route> ParsePlaceReport(std::string_view text, const std::vector<BlockPort>& ports,
                                      std::string& error);

}  // namespace cosim::synth
