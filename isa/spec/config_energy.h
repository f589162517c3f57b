// SPDX-License-Identifier: Apache-2.0
// Reads 'energy:' of a configuration: which table of energies its runs are estimated by.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/diagnostics.h"
#include "isa/spec/loader.h"
#include "isa/yaml/node.h"

namespace cosim::isa {

/// The name, "" when `root` has no such key; nothing after reporting. Whether there is such a table is not
/// looked at.
std::optional<std::string> ReadEnergy(const YamlNode& root, Diagnostics& diags);

struct EnergyTableName {
  std::string name;  ///< "": none
  std::string
      folder;  ///< to look in first: the configuration's for its own word, the working one for a --set's
};
/// That of a configuration which elaborates under `overrides`. As the host, it is no part of a Spec.
EnergyTableName EnergyTableOf(const SourceText& config, const std::vector<Override>& overrides);

}  // namespace cosim::isa
