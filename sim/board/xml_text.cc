// SPDX-License-Identifier: Apache-2.0
#include "sim/board/xml_text.h"

#include <fmt/format.h>

#include <utility>

#include "isa/check.h"

namespace cosim::board {
namespace {

std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

}  // namespace

void XmlText::Open(std::string_view tag, std::string_view attributes) {
  text_ += fmt::format("{}<{}{}>\n", Indent(), tag, attributes);
  open_.emplace_back(tag);
}

void XmlText::Close() {
  const std::string tag = std::move(open_.back());
  open_.pop_back();
  text_ += fmt::format("{}</{}>\n", Indent(), tag);
}

void XmlText::Leaf(std::string_view tag, std::string_view text, std::string_view attributes) {
  text_ += fmt::format("{}<{}{}>{}</{}>\n", Indent(), tag, attributes, Escaped(text), tag);
}

void XmlText::Empty(std::string_view tag, std::string_view attributes) {
  text_ += fmt::format("{}<{}{}/>\n", Indent(), tag, attributes);
}

std::string XmlText::Take() && {
  COSIM_CHECK(open_.empty(), "an element is not closed");
  return std::move(text_);
}

}  // namespace cosim::board
