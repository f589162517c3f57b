// SPDX-License-Identifier: Apache-2.0
#include "tests/ssh/shell_board.h"

#include <fmt/format.h>

#include <fstream>

#include "isa/check.h"
#include "runtime/private_folder.h"

namespace cosim::driver::testing {
namespace fs = std::filesystem;

bool ShellBoard::WriteScript(const std::string& first) const {
  const fs::path path = folder_ / "ssh", rtl_cache = runtime::UserFolder("XDG_CACHE_HOME", ".cache");
  std::ofstream file(path);
  file << fmt::format(
      "#!/bin/sh\n{}\nexport XDG_CACHE_HOME='{}' COSIM_RTL_CACHE='{}'\nfor last; do :; done\n"
      "exec sh -c \"$last\"\n",
      first, Cache().string(), rtl_cache.string());
  file.close();
  fs::permissions(path, fs::perms::owner_all);
  return file.good();
}

std::string ShellBoard::Start() {
  fs::create_directories(Cache());
  return WriteScript("") ? "" : "the script cannot be written";
}

void ShellBoard::LimitFiles(int blocks) {
  COSIM_CHECK(WriteScript(fmt::format("trap '' XFSZ; ulimit -f {}", blocks)));
}

}  // namespace cosim::driver::testing
