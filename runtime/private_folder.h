// SPDX-License-Identifier: Apache-2.0
// Folders below the user's home for what this program believes later: code that it loads, keys. Nobody else
// may be able to put anything there, so everything on the way is looked at. Root can do anything and is not
// asked about.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace cosim::runtime {

/// `variable` ($XDG_CACHE_HOME, …) if it names an absolute path; else `below_home` below $HOME or, without
/// it, below the home that /etc/passwd has. If there is no home, a folder for this process
/// alone, of a name that nobody can foresee, which is said on standard error once.
std::filesystem::path UserFolder(const char* variable, const std::filesystem::path& below_home);

/// Makes `folder`, an absolute path, with what is missing above it, for this user alone. False, and `error`
/// set, when that fails, or when the folder, or one that leads to it, symbolic links included, belongs to
/// another user or others may write there.
bool MakePrivate(const std::filesystem::path& folder, std::string& error);

/// The bytes of a regular file that is this user's and that nobody else may write; nothing, and `error` set,
/// when it is none. Follows no link and does not wait for a pipe.
std::optional<std::string> ReadPrivate(const std::filesystem::path& file, std::string& error);

}  // namespace cosim::runtime
