// SPDX-License-Identifier: Apache-2.0
// cosim run --device=host: no accelerator, the whole network as code for this machine.
#pragma once

#include <boost/program_options.hpp>

namespace cosim::cli {

/// Adds --repeat and --float32, which are for this device only.
void AddHostOptions(boost::program_options::options_description& options);

/// Whether none of them was given; prints a mistake.
bool HasNoHostOptions(const boost::program_options::variables_map& values);

/// The verb with --device=host; `values` are parsed by run.cc.
int RunOnHost(const boost::program_options::variables_map& values);

}  // namespace cosim::cli
