// SPDX-License-Identifier: Apache-2.0
// Other programs of this machine that cosim calls: finding and running them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace cosim::runtime {

/// The first executable of that name on $PATH.
std::optional<std::filesystem::path> FindProgram(const std::string& name);

/// Runs `arguments` (the first one is the program, looked for on $PATH) in `folder` to its end, without a
/// shell and without input; both its outputs go to the end of `log`, a path from `folder`. Its exit status;
/// 128 + the signal that ended it; 127 when it could not be started.
int RunProgram(const std::vector<std::string>& arguments, const std::filesystem::path& log,
               const std::filesystem::path& folder = ".");

/// What a program that runs likewise prints, on both its outputs; whether it succeeds does not matter.
std::string ProgramOutput(const std::vector<std::string>& arguments);

}  // namespace cosim::runtime
