// SPDX-License-Identifier: Apache-2.0
// An energy reference table as Accelergy writes it (ERT.yaml): components of somebody's architecture, what
// each action of one instance of them costs. Which of them are parts of this accelerator is
// sim/energy/accelergy_costs.h's.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "isa/diagnostics.h"
#include "isa/yaml/node.h"

namespace cosim::sim {

/// Names and values as written: {"address_delta", "1"}.
using ActionArguments = std::vector<std::pair<std::string, std::string>>;

struct AccelergyAction {
  std::string name;
  ActionArguments arguments;
  double energy = 0;  ///< pJ, may be 0
  isa::YamlNode at;
};

struct AccelergyComponent {
  std::string path;      ///< "chip.PE[0..15].mac[0..3]"
  std::string name;      ///< the last part, without indices: "mac"
  double instances = 1;  ///< the product of the ranges: 64
  /// In the order of the file. Several of one name differ in their arguments.
  std::vector<AccelergyAction> actions;
  isa::YamlNode at;
};

struct AccelergyTable {
  std::string version;  ///< "0.2", "0.3" or "0.4"
  std::vector<AccelergyComponent> components;
  isa::YamlNode at;
};

/// Whether the root of a file is such a table.
bool IsAccelergyTable(const isa::YamlNode& root);

/// Nothing after reporting. Versions 0.3 and 0.4 list components and actions, 0.2 names them by keys.
std::optional<AccelergyTable> ReadAccelergyTable(const isa::YamlNode& root, Diagnostics& diags);

}  // namespace cosim::sim
