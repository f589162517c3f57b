// SPDX-License-Identifier: Apache-2.0
// cosim sweep --slurm: the options that say how a cluster takes a sweep.
#pragma once

#include <boost/program_options.hpp>
#include <optional>

#include "compiler/explore/slurm_sweep.h"

namespace cosim::cli {

/// Adds --slurm, --slurm-tasks and --slurm-options.
void AddSlurmOptions(boost::program_options::options_description& options);

/// What they and the plan's options come to. Nothing after printing a mistake, also when --slurm stands
/// beside options that it does not go with.
std::optional<explore::SlurmOptions> SlurmOptionsIn(const boost::program_options::variables_map& values);

}  // namespace cosim::cli
