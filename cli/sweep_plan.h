// SPDX-License-Identifier: Apache-2.0
// The plan of a sweep, from a file or from the options of the command.
#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <string>
#include <vector>

#include "compiler/explore/plan.h"
#include "compiler/explore/point_runner.h"

namespace cosim::cli {

struct SweepPlan {
  explore::Plan plan;
  std::string path;  ///< what diagnostics call it
  std::string text;  ///< of the file, or the options
  explore::Networks networks;
};

/// Adds --config, --isa, --set, --memory, --where, --sample, --points, --sample-seed, --virtual-threads and
/// --seed.
void AddPlanOptions(boost::program_options::options_description& options);

/// MODEL is a plan if it ends in .yaml; then it says what the options would. Networks are not looked for.
/// Nothing after reporting, there or at once.
std::optional<SweepPlan> ReadSweepPlan(const boost::program_options::variables_map& values,
                                       Diagnostics& diags);

/// What of the options says the plan, as arguments that say it again.
std::vector<std::string> PlanArguments(const boost::program_options::variables_map& values);

}  // namespace cosim::cli
