// SPDX-License-Identifier: Apache-2.0
#include "isa/home.h"

#include <cstdlib>
#include <system_error>

namespace cosim::isa {
namespace {

namespace fs = std::filesystem;

bool IsHome(const fs::path& folder) {
  std::error_code error;
  return fs::is_directory(folder / "isa", error) && fs::is_directory(folder / "configs", error);
}

/// What an installed command has beside its folder, or the tree in whose build/PRESET/cli it stands, which
/// may have been moved; empty of other programs.
fs::path OfTheCommand() {
  std::error_code error;
  const fs::path command = fs::read_symlink("/proc/self/exe", error), folder = command.parent_path();
  if (error) return {};
  const fs::path share = folder.parent_path() / "share" / "cosim";
  if (fs::is_directory(share / "isa", error)) return share;
  const fs::path builds = folder.parent_path().parent_path(), tree = builds.parent_path();
  return folder.filename() == "cli" && builds.filename() == "build" && IsHome(tree) ? tree : fs::path();
}

fs::path& Told() {
  static fs::path told;
  return told;
}

}  // namespace

fs::path Home() {
  const char* home = std::getenv("COSIM_HOME");
  if (home && *home) return home;
  if (!Told().empty()) return Told();
  static const fs::path own = OfTheCommand();
  return own.empty() ? fs::path(COSIM_SOURCE_DIR) : own;
}

void SetHome(const fs::path& folder) { Told() = folder; }

}  // namespace cosim::isa
