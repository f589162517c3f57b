// SPDX-License-Identifier: Apache-2.0
// Where cosim's data files are: isa/, configs/, hw/ and what else is read at run time.
#pragma once

#include <filesystem>

namespace cosim::isa {

/// $COSIM_HOME; else share/cosim beside the folder that the command stands in, if it is installed so; else
/// the source tree that cosim was built from.
std::filesystem::path Home();

}  // namespace cosim::isa
