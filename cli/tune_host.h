// SPDX-License-Identifier: Apache-2.0
// cosim tune --device=host: schedules for this machine's processor.
#pragma once

#include <boost/program_options.hpp>

namespace cosim::cli {

/// Adds --device, --float32 and --host-target.
void AddHostTuneOptions(boost::program_options::options_description& options);

/// Whether none of them but --device was given; prints a mistake.
bool HasNoHostTuneOptions(const boost::program_options::variables_map& values);

/// The verb with --device=host; `values` are parsed by tune.cc.
int TuneOnHost(const boost::program_options::variables_map& values);

}  // namespace cosim::cli
