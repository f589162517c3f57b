// SPDX-License-Identifier: Apache-2.0
// Standard error. Standard output is printed to with fmt::print, and Main checks that it took everything.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace cosim::cli {

/// Prints to standard error. Where that is closed or full there is nobody to tell, and the work goes on;
/// fmt::print would throw.
template <typename... T>
void PrintError(fmt::format_string<T...> format, T&&... values) {
  const std::string text = fmt::format(format, std::forward<T>(values)...);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace cosim::cli
