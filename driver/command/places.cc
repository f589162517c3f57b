// SPDX-License-Identifier: Apache-2.0
#include "driver/command/places.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

namespace cosim::driver {
namespace {

std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream from(text);
  for (std::string part; std::getline(from, part, ',');) parts.push_back(part);
  return parts;
}

std::optional<OpenBoard> OpenPlacesOrFail(const BoardPlaces& places) {
  Diagnostics diags;
  OpenBoard board = OpenBoardAt(places, diags);
  if (board.registers) return board;
  std::fputs(diags.Render().c_str(), stderr);
  return std::nullopt;
}

}  // namespace

std::map<std::string, std::string> WithPlaces(std::map<std::string, std::string> options) {
  options.merge(std::map<std::string, std::string>{{"uio", kUioName}, {"memory", ""}, {"root", "/"}});
  return options;
}

BoardPlaces PlacesIn(const Options& options) { return {options["root"], options["uio"], options["memory"]}; }

std::optional<OpenBoard> OpenOrFail(const Options& options) { return OpenPlacesOrFail(PlacesIn(options)); }

std::vector<OpenBoard> OpenAllOrFail(const Options& options) {
  const auto names = SplitAtCommas(options["uio"]), memories = SplitAtCommas(options["memory"]);
  if (!memories.empty() && memories.size() != names.size())
    return Fail("each accelerator needs its own memory", "--memory=udmabuf0,udmabuf1, in the order of --uio"),
           std::vector<OpenBoard>{};
  if (std::set<std::string>(names.begin(), names.end()).size() < names.size())
    return Fail("--uio: an accelerator is named twice"), std::vector<OpenBoard>{};
  std::vector<OpenBoard> boards;
  for (size_t i = 0; i < names.size(); ++i) {
    auto board = OpenPlacesOrFail({options["root"], names[i], memories.empty() ? "" : memories[i]});
    if (!board) return {};
    boards.push_back(std::move(*board));
  }
  if (boards.empty()) Fail("--uio: which accelerator is missing");
  return boards;
}

std::optional<std::string> ReadFileOrFail(const std::string& path) {
  std::error_code error;
  std::ifstream file;
  if (std::filesystem::is_regular_file(path, error)) file.open(path, std::ios::binary);
  if (!file.is_open()) return Fail(fmt::format("{} cannot be read", path)), std::nullopt;
  return std::string{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace cosim::driver
