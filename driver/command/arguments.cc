// SPDX-License-Identifier: Apache-2.0
#include "driver/command/arguments.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <system_error>

namespace cosim::driver {

int Fail(const std::string& message, const std::string& hint) {
  std::fputs(fmt::format("cosim-board: error: {}\n", message).c_str(), stderr);
  if (!hint.empty()) std::fputs(fmt::format("  hint: {}\n", hint).c_str(), stderr);
  return 1;
}

std::optional<Options> Options::Parse(const Arguments& arguments, std::map<std::string, std::string> known,
                                      size_t words) {
  Options options;
  options.values_ = std::move(known);
  for (const std::string& argument : arguments) {
    if (!argument.starts_with("--")) {
      options.words_.push_back(argument);
      continue;
    }
    const size_t equals = argument.find('=');
    const std::string name = argument.substr(2, equals == std::string::npos ? equals : equals - 2);
    const std::string value = equals == std::string::npos ? "yes" : argument.substr(equals + 1);
    if (!options.values_.contains(name))
      return Fail(fmt::format("there is no option --{}", name), "`cosim-board help` lists them"),
             std::nullopt;
    if (!options.given_.emplace(name, value).second)
      return Fail(fmt::format("--{} is given twice", name)), std::nullopt;
    options.values_[name] = value;
  }
  if (options.words_.size() <= words) return options;
  return Fail(fmt::format("there are too many arguments: {}", options.words_.back())), std::nullopt;
}

std::optional<int64_t> Options::Number(const std::string& name, int64_t least) const {
  const std::string& text = (*this)[name];
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= least) return value;
  return Fail(fmt::format("--{}={}: a whole number from {} on", name, text, least)), std::nullopt;
}

}  // namespace cosim::driver
