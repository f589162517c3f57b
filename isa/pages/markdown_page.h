// SPDX-License-Identifier: Apache-2.0
// A page of a generated reference: lines and tables of Markdown.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace cosim::isa {

class MarkdownPage {
 public:
  template <typename... Args>
  void Line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }
  void Row(const std::vector<std::string>& cells) {
    text_ += '|';
    for (const std::string& cell : cells) text_ += fmt::format(" {} |", Escaped(cell));
    text_ += '\n';
  }
  void Header(const std::vector<std::string>& cells) {
    Row(cells);
    Row(std::vector<std::string>(cells.size(), "---"));
  }
  std::string Take() { return std::move(text_); }

 private:
  /// A bar would end the cell, in code too.
  static std::string Escaped(const std::string& cell) {
    std::string text;
    for (char c : cell) text += c == '|' ? "\\|" : std::string(1, c);
    return text;
  }

  std::string text_;
};

}  // namespace cosim::isa
