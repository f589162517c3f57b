// SPDX-License-Identifier: Apache-2.0
// The file that --energy names, whichever kind it is: a table of ours (sim/energy/energy_table.h), one that
// Accelergy wrote, or one that says what the components of such a table are (sim/energy/accelergy_costs.h).
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/energy/accelergy_costs.h"
#include "sim/energy/energy_table.h"

namespace cosim::sim {

using EnergySource = std::variant<EnergyTable, AccelergySource>;

/// The texts of a table that is named by a path, or as it is called in configs/energy; one in `folder` first.
/// The second, if there are two, is the table of Accelergy's that the first names, beside it. Empty after
/// reporting.
std::vector<isa::SourceText> FindEnergySource(const std::string& name, const std::string& folder,
                                              Diagnostics& diags);
/// Those texts, read. Nothing after reporting.
std::optional<EnergySource> ReadEnergySource(const std::vector<isa::SourceText>& texts, Diagnostics& diags);

/// Both.
std::optional<EnergySource> LoadEnergySource(const std::string& name, const std::string& folder,
                                             Diagnostics& diags);

/// Nothing after reporting, which a table of ours has no reason to.
std::optional<Costs> CostsOf(const isa::Spec& spec, const EnergySource& source, Diagnostics& diags);

}  // namespace cosim::sim
