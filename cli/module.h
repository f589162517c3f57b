// SPDX-License-Identifier: Apache-2.0
// A module named on the command line, ready to run.
#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <string>

#include "cli/options.h"
#include "runtime/module.h"

namespace cosim::cli {

/// Whether an argument names a module rather than a network: it ends in ".cosim".
bool NamesModule(const std::string& argument);

struct LinkedModule {
  SpecWithSource loaded;
  runtime::Module module;
  std::vector<uint8_t> bytes;  ///< the file's
};
/// Reads and links it, for the spec it carries or the one that the options name; prints what is wrong.
/// Machine code in it is for `runs_here` loaded here, and only with --trust or when this user made the module
/// on this machine; the same is asked of what a board is to run. With --timing-only, which has no use for it,
/// it is left out.
std::optional<LinkedModule> LoadModule(const std::string& path,
                                       const boost::program_options::variables_map& values,
                                       bool runs_here = true);

/// The bytes of a module's file: those of WriteModule, with this user's tag. Without one, said on standard
/// error, when the key is not to be had.
std::vector<uint8_t> TaggedModule(const runtime::Module& module);

}  // namespace cosim::cli
