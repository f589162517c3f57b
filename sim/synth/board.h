// SPDX-License-Identifier: Apache-2.0
// The boards that a configuration may name, and what their devices have.
#pragma once

#include <string>
#include <vector>

#include "sim/synth/cells.h"

namespace cosim::synth {

struct Board {
  std::string name;    ///< as a configuration's `board` says it
  std::string device;  ///< "XC7Z020"
  std::string family;  ///< as Yosys's synth_xilinx calls it: "xc7", "xcup"
  bool has_budget = true;
  Resources budget;
  int ports = 0,
      port_bits = 0;  ///< of the processor's memory, for the logic: HP ports, and how wide they can be
};

/// All of them; "none" is 7-series without a budget.
const std::vector<Board>& Boards();

/// Null when there is none of that name.
const Board* FindBoard(const std::string& name);

}  // namespace cosim::synth
