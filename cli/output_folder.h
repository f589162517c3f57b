// SPDX-License-Identifier: Apache-2.0
// Folders that the command fills: each file whole (cli/output_file.h). Files of before that are not written
// again stay.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/rtl/rtl_sources.h"

namespace cosim::cli {

/// Makes the folder unless it is there; prints a failure.
bool MakeFolder(const std::string& folder);

/// Writes the files below `folder`; prints the first failure and stops there.
bool WriteFiles(const std::vector<sim::RtlSource>& files, const std::string& folder);

/// All files of a folder and those below it.
std::vector<sim::RtlSource> FilesOf(const std::filesystem::path& folder);

}  // namespace cosim::cli
