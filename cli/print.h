// SPDX-License-Identifier: Apache-2.0
// What the command says to people. Names in it come from files that others wrote: none of them may act on the
// terminal (isa/text_escape.h). Files and what a program reads are WriteFile's (cli/output_file.h).
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>

namespace cosim::cli {

/// To standard output or standard error. A standard output that takes no more throws std::system_error.
void PrintText(std::FILE* file, const std::string& text);

template <typename... Args>
void Print(fmt::format_string<Args...> format, Args&&... args) {
  PrintText(stdout, fmt::format(format, std::forward<Args>(args)...));
}

template <typename... Args>
void PrintError(fmt::format_string<Args...> format, Args&&... args) {
  PrintText(stderr, fmt::format(format, std::forward<Args>(args)...));
}

/// Whether progress is shown: standard error is a terminal, and nobody has asked for quiet.
bool ShowsProgress();
void BeQuiet();

/// On a terminal: takes the place of the progress line before; empty: removes it.
void ShowProgress(const std::string& what);

/// A report as text that ends in a line break. Bytes of names that are not UTF-8 become U+FFFD.
std::string JsonText(const nlohmann::ordered_json& json);

}  // namespace cosim::cli
