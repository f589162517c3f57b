// SPDX-License-Identifier: Apache-2.0
// What `cosim run` has to know for devices that run the RTL: waves, and the model that is built first.
#pragma once

#include <boost/program_options.hpp>

#include "compiler/session/session.h"
#include "isa/spec/spec.h"

namespace cosim::cli {

void AddRtlOptions(boost::program_options::options_description& options);

/// Into `run`, whose device is known. False after saying what is wrong.
bool ReadRtlOptions(const boost::program_options::variables_map& values, session::Options& run);

/// Builds the model that the device of `run` needs, if any, with a line on stderr when it takes long. False
/// after saying what is wrong.
bool BuildRtlOf(const isa::Spec& spec, session::Options& run);

}  // namespace cosim::cli
