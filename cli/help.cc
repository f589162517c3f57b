// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <utility>
#include <vector>

#include "cli/diagnostic_catalog.h"
#include "cli/options.h"
#include "cli/print.h"
#include "isa/home.h"
#include "isa/spec/loader.h"
#include "isa/yaml/reader.h"

namespace cosim::cli {
namespace {

constexpr size_t kHelpColumns = 100;

/// `text` in lines of at most kHelpColumns.
std::string Wrapped(const std::string& text) {
  std::string wrapped;
  size_t column = 0;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const bool breaks = column + 1 + word.size() > kHelpColumns;
    if (column > 0) wrapped += breaks ? "\n" : " ";
    column = column == 0 || breaks ? word.size() : column + 1 + word.size();
    wrapped += word;
  }
  return wrapped + "\n";
}

/// Lines as they stand, moved to the same place on the page.
std::string ShownLines(const std::string& text) {
  std::vector<std::string> lines;
  size_t margin = std::string::npos;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    const size_t begin = line.find_first_not_of(' ');
    if (begin == std::string::npos) continue;
    margin = std::min(margin, begin);
    lines.push_back(std::move(line));
  }
  if (lines.empty()) return "    (left out)\n";
  std::string shown;
  for (const std::string& line : lines) shown += "    " + line.substr(margin) + "\n";
  return shown;
}

/// The whole lines of the file that an edit changes, as the two ways they read; the edit itself should the
/// file be another one by now.
std::pair<std::string, std::string> WholeLines(const CodeExplanation& code) {
  Diagnostics ignored;
  const auto source = isa::ReadSource((isa::Home() / code.where).string(), ignored);
  const size_t at = source ? source->text.find(code.right) : std::string::npos;
  if (at == std::string::npos) return {code.wrong, code.right};
  const std::string& text = source->text;
  const size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  const size_t last = at + code.right.size() - (code.right.ends_with('\n') ? 1 : 0);
  const std::string before = text.substr(begin, at - begin);
  const std::string after = text.substr(last, text.find('\n', last) - last);
  return {before + code.wrong + after, before + code.right + after};
}

std::string ExampleText(const CodeExplanation& code) {
  if (!code.when.empty()) return "when:\n" + Wrapped(code.when);
  if (code.where == kCommandLine)
    return fmt::format("wrong:\n{}right:\n{}", ShownLines("cosim " + code.wrong),
                       ShownLines("cosim " + code.right));
  const bool whole = code.where == kWholeProgram || code.where == kWholePlan || code.where == kWholeSearch;
  const std::string place = whole ? fmt::format("in a {}", code.where) : "in " + code.where;
  const auto [wrong, right] = whole ? std::pair(code.wrong, code.right) : WholeLines(code);
  return fmt::format("wrong, {}:\n{}right:\n{}", place, ShownLines(wrong), ShownLines(right));
}

int UnknownCode(const std::string& code) {
  std::vector<std::string> known;
  for (const CodeMeaning& each : DiagnosticCodes()) known.emplace_back(each.code);
  const std::string closest = isa::ClosestName(code, known);
  const std::string list = "docs/reference/diagnostics.md lists them";
  return Fail(fmt::format("there is no diagnostic '{}'", code),
              closest.empty() ? list : fmt::format("did you mean '{}'? {}", closest, list));
}

}  // namespace

bool LooksLikeCode(const std::string& word) {
  return word.size() > 1 && (word[0] == 'E' || word[0] == 'e') &&
         std::all_of(word.begin() + 1, word.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

int ExplainCode(const std::string& word) {
  const std::string code = "E" + word.substr(1);
  const auto meaning =
      std::ranges::find_if(DiagnosticCodes(), [&](const CodeMeaning& each) { return code == each.code; });
  if (meaning == DiagnosticCodes().end()) return UnknownCode(code);
  Diagnostics diags;
  const auto catalog = LoadDiagnosticCatalog(diags);
  if (!catalog) {
    PrintError("{}", diags.Render());
    return 1;
  }
  Print("{}: {}\n", code, meaning->meaning);
  const auto entry = std::ranges::find(*catalog, code, &CodeExplanation::code);
  if (entry == catalog->end()) return 0;
  Print("\n{}\n{}", Wrapped(entry->why), ExampleText(*entry));
  return 0;
}

}  // namespace cosim::cli
