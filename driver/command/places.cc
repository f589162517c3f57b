// SPDX-License-Identifier: Apache-2.0
#include "driver/command/places.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

namespace cosim::driver {

std::map<std::string, std::string> WithPlaces(std::map<std::string, std::string> options) {
  options.merge(std::map<std::string, std::string>{{"uio", kUioName}, {"memory", ""}, {"root", "/"}});
  return options;
}

BoardPlaces PlacesIn(const Options& options) { return {options["root"], options["uio"], options["memory"]}; }

std::optional<OpenBoard> OpenOrFail(const Options& options) {
  Diagnostics diags;
  OpenBoard board = OpenBoardAt(PlacesIn(options), diags);
  if (board.registers) return board;
  std::fputs(diags.Render().c_str(), stderr);
  return std::nullopt;
}

std::optional<std::string> ReadFileOrFail(const std::string& path) {
  std::error_code error;
  std::ifstream file;
  if (std::filesystem::is_regular_file(path, error)) file.open(path, std::ios::binary);
  if (!file.is_open()) return Fail(fmt::format("{} cannot be read", path)), std::nullopt;
  return std::string{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace cosim::driver
