// SPDX-License-Identifier: Apache-2.0
// --host-target: the processor that code for the host is made for.
#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <string>

#include "compiler/cpu/host_target.h"

namespace cosim::cli {

/// Adds --host-target.
void AddHostTarget(boost::program_options::options_description& options, const std::string& otherwise);

/// What it says; nothing after printing a mistake.
std::optional<cpu::HostTarget> HostTargetIn(const boost::program_options::variables_map& values);

}  // namespace cosim::cli
