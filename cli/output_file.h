// SPDX-License-Identifier: Apache-2.0
// Files that the command writes: whole or not at all, whatever interrupts it.
#pragma once

#include <string>

namespace cosim::cli {

/// Checks that a file can be written there before anything long runs; prints the mistake.
bool CheckWritable(const std::string& path);

/// Writes to a temporary name beside the file and renames, so that it is whole or as it was; a link stays and
/// what it names is written. Devices and pipes are written to, and "-" is standard output. Prints a failure.
bool WriteFile(const std::string& path, const std::string& text);

/// Sends out what has been printed. False after printing that standard output did not take all of it, quietly
/// if nobody reads on (EPIPE). What printed may have failed before, and left its reason in errno.
bool FlushOutput();

/// Gives the standard files that are closed a place that no file can take which is opened later: reading
/// finds nothing, standard output refuses, standard error forgets. First thing in a process.
void OpenStandardFiles();

}  // namespace cosim::cli
