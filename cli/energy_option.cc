// SPDX-License-Identifier: Apache-2.0
#include "cli/energy_option.h"

#include <filesystem>

#include "cli/print.h"
#include "isa/spec/config_energy.h"

namespace cosim::cli {
namespace po = boost::program_options;

void AddEnergyOption(po::options_description& options) {
  options.add_options()(
      "energy", po::value<std::string>()->value_name("TABLE")->implicit_value("45nm"),
      "estimate a frame's energy by a table: a path, or a name in configs/energy (default: the "
      "configuration's, if it names one)");
}

std::optional<EnergyChoice> EnergyIn(const po::variables_map& values, const SpecWithSource& loaded) {
  EnergyChoice choice;
  const bool is_asked = values.count("energy") > 0;
  const std::string name = is_asked ? values["energy"].as<std::string>()
                                    : isa::EnergyTableOf(loaded.source.config, loaded.source.overrides);
  if (!is_asked && name.empty()) return choice;
  Diagnostics diags;
  const std::string folder = is_asked ? "" : std::filesystem::path(loaded.config_path).parent_path().string();
  choice.table = sim::LoadEnergyTable(name, folder, diags);
  if (choice.table) return choice;
  PrintError("{}", diags.Render());
  return std::nullopt;
}

}  // namespace cosim::cli
