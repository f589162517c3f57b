// SPDX-License-Identifier: Apache-2.0
#include "cli/energy_option.h"

#include "cli/print.h"
#include "isa/spec/config_energy.h"
#include "sim/energy/energy_source.h"

namespace cosim::cli {
namespace po = boost::program_options;

void AddEnergyOption(po::options_description& options) {
  options.add_options()(
      "energy", po::value<std::string>()->value_name("TABLE")->implicit_value("45nm"),
      "estimate a frame's energy by a table: a path, or a name in configs/energy; also one that Accelergy "
      "wrote (default: the configuration's, if it names one)");
}

std::optional<EnergyChoice> EnergyIn(const po::variables_map& values, const SpecWithSource& loaded) {
  EnergyChoice choice;
  const bool is_asked = values.count("energy") > 0;
  isa::SourceText config = loaded.source.config;  // known to modules without its folder
  if (!loaded.config_path.empty()) config.path = loaded.config_path;
  const isa::EnergyTableName asked =
      is_asked ? isa::EnergyTableName{.name = values["energy"].as<std::string>(), .folder = ""}
               : isa::EnergyTableOf(config, loaded.source.overrides);
  if (!is_asked && asked.name.empty()) return choice;
  Diagnostics diags;
  const auto source = sim::LoadEnergySource(asked.name, asked.folder, diags);
  if (source) choice.costs = sim::CostsOf(loaded.spec, *source, diags);
  if (choice.costs) return choice;
  PrintError("{}", diags.Render());
  return std::nullopt;
}

}  // namespace cosim::cli
