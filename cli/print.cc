// SPDX-License-Identifier: Apache-2.0
#include "cli/print.h"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "isa/text_escape.h"

namespace cosim::cli {

namespace {

bool quiet = false;

/// Where standard error is closed or full there is nobody to tell, and the work goes on.
void Tell(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

}  // namespace

void PrintText(std::FILE* file, const std::string& text) {
  if (file == stderr) return Tell(isa::Lines(text));
  fmt::print(file, "{}", isa::Lines(text));
}

bool ShowsProgress() { return !quiet && isatty(STDERR_FILENO) != 0; }

void BeQuiet() { quiet = true; }

void ShowProgress(const std::string& what) {
  Tell(fmt::format("\r\033[K{}{}", isa::OneLine(what), what.empty() ? "" : " …"));
}

std::string JsonText(const nlohmann::ordered_json& json) {
  // Of what acts on a terminal, JSON itself escapes what is below 0x20; what Lines writes for the rest is an
  // escape of JSON's, and it can stand in strings only.
  return isa::Lines(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) + "\n";
}

}  // namespace cosim::cli
