// SPDX-License-Identifier: Apache-2.0
#include "cli/module.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/options.h"
#include "compiler/session/module.h"

namespace cosim::cli {

bool NamesModule(const std::string& argument) { return argument.ends_with(".cosim"); }

std::optional<LinkedModule> LoadModule(const std::string& path,
                                       const boost::program_options::variables_map& values) {
  std::error_code failure;
  std::ifstream file(path, std::ios::binary);
  if (!std::filesystem::is_regular_file(path, failure) || !file) {
    Fail(fmt::format("{} cannot be read: there is no such file", path), "`cosim compile` makes modules");
    return std::nullopt;
  }
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::string error;
  auto module = runtime::ReadModule({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, error);
  if (!module) {
    Fail(fmt::format("{} {}", path, error), "`cosim compile` makes modules");
    return std::nullopt;
  }
  auto loaded = LoadSpecOf(module->spec, values);
  if (!loaded) return std::nullopt;
  LinkedModule linked{std::move(*loaded), std::move(*module)};
  if (session::LinkModule(linked.module, linked.loaded.spec, error)) return linked;
  Fail(fmt::format("{} cannot run: {}", path, error), "compile it again");
  return std::nullopt;
}

}  // namespace cosim::cli
