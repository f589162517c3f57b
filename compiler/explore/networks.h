// SPDX-License-Identifier: Apache-2.0
// The networks that a plan names: there before the first point runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/explore/point_runner.h"
#include "isa/diagnostics.h"

namespace cosim::explore {

/// Reads model files, and looks for the others in the zoo. Nothing after reporting; `file` is the plan's.
std::optional<Networks> LoadNetworks(const std::vector<std::string>& names, const std::string& file,
                                     Diagnostics& diags);

}  // namespace cosim::explore
