// SPDX-License-Identifier: Apache-2.0
// What the parts of an accelerator cost by one of Accelergy's tables: which component is which part, by name
// or by a `map:` beside it, and which of its actions is which access (docs/reference/energy.md). Nothing is
// guessed: a part without a component is an error, and so is a component that is no part.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/energy/accelergy_table.h"
#include "sim/energy/costs.h"

namespace cosim::sim {

/// An entry of `map:`.
struct AccelergyChoice {
  std::string component;
  std::optional<std::string> read, write, action;  ///< names of actions, instead of the usual ones
  ActionArguments arguments;                       ///< which of several that have the name
  std::optional<double> actions;                   ///< of the component, for one of this part
  std::optional<double> bits;                      ///< of DRAM: that an action moves
  isa::YamlNode at;
};

struct AccelergySource {
  std::string name, technology;
  AccelergyTable table;
  std::vector<std::pair<std::string, AccelergyChoice>> map;   ///< by the part's name
  std::vector<std::pair<std::string, isa::YamlNode>> unused;  ///< components that are no part
  std::optional<double> host_cycle, instruction, static_mw;   ///< what the file says beside the table
  isa::YamlNode at;                                           ///< where what is missing would stand
};

/// What a file with `accelergy:` says but for the table itself, which it names. Nothing after reporting.
std::optional<AccelergySource> ReadAccelergyMap(const isa::YamlNode& root, Diagnostics& diags);

/// Nothing after reporting.
std::optional<Costs> CostsOf(const isa::Spec& spec, const AccelergySource& source, Diagnostics& diags);

}  // namespace cosim::sim
