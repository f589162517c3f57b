// SPDX-License-Identifier: Apache-2.0
#include "isa/home.h"

#include <cstdlib>
#include <system_error>

namespace cosim::isa {
namespace {

namespace fs = std::filesystem;

/// What an installed command has beside its folder; empty of a command that stands in a build.
fs::path BesideTheCommand() {
  std::error_code error;
  const fs::path command = fs::read_symlink("/proc/self/exe", error);
  const fs::path share = command.parent_path().parent_path() / "share" / "cosim";
  return !error && fs::is_directory(share / "isa", error) ? share : fs::path();
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
  static const fs::path installed = BesideTheCommand();
  return installed.empty() ? fs::path(COSIM_SOURCE_DIR) : installed;
}

void SetHome(const fs::path& folder) { Told() = folder; }

}  // namespace cosim::isa
