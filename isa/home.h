// SPDX-License-Identifier: Apache-2.0
// Where cosim's data files are: isa/, configs/, hw/ and what else is read at run time.
#pragma once

#include <filesystem>

namespace cosim::isa {

/// $COSIM_HOME; else what SetHome was told; else share/cosim beside the folder that the command stands in, if
/// it is installed so; else the source tree that the command stands in, or else that it was built from.
std::filesystem::path Home();

/// For a library in a program that is not the command. Not while another thread asks.
void SetHome(const std::filesystem::path& folder);

}  // namespace cosim::isa
