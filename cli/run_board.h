// SPDX-License-Identifier: Apache-2.0
// cosim run --device=ssh://BOARD: a module runs on a board that this machine's ssh reaches.
#pragma once

#include <boost/program_options.hpp>
#include <string>

namespace cosim::cli {

/// Adds --board-program and --board-memory.
void AddBoardOptions(boost::program_options::options_description& options);

/// Whether `device` is "board" or an address of ssh.
bool NamesBoard(const std::string& device);

/// Whether none of AddBoardOptions was given; prints a mistake.
bool HasNoBoardOptions(const boost::program_options::variables_map& values);

/// The verb with such a device; `values` are parsed by run.cc.
int RunOnBoard(const boost::program_options::variables_map& values);

}  // namespace cosim::cli
