// SPDX-License-Identifier: Apache-2.0
// Which table of energies a run is estimated by.
#pragma once

#include <boost/program_options.hpp>
#include <optional>

#include "cli/options.h"
#include "sim/energy/costs.h"

namespace cosim::cli {

/// Adds --energy.
void AddEnergyOption(boost::program_options::options_description& options);

struct EnergyChoice {
  std::optional<sim::Costs> costs;  ///< nothing: no estimate is wanted
};
/// That of --energy, else the configuration's. Nothing after printing a mistake.
std::optional<EnergyChoice> EnergyIn(const boost::program_options::variables_map& values,
                                     const SpecWithSource& loaded);

}  // namespace cosim::cli
