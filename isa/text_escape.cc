// SPDX-License-Identifier: Apache-2.0
#include "isa/text_escape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace cosim::isa {
namespace {

struct CodePoint {
  uint32_t value = 0;
  size_t bytes = 0;  ///< 0: what stands there is not UTF-8
};

/// The first code point of a text that is not empty. Overlong forms, surrogates and what lies beyond U+10FFFF
/// are none.
CodePoint First(std::string_view text) {
  const auto lead = static_cast<uint8_t>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  uint32_t value = lead & (0x7f >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<uint8_t>(text[i]);
    if ((next & 0xc0) != 0x80) return {};
    value = value << 6 | (next & 0x3f);
  }
  const uint32_t least = bytes == 2 ? 0x80 : bytes == 3 ? 0x800 : 0x10000;
  if (value < least || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return {};
  return {value, bytes};
}

/// Whether a terminal or an editor acts on it instead of showing it.
bool Acts(uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0x200e || c == 0x200f ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

std::string Written(uint32_t c) {
  if (c == '\n') return "\\n";
  if (c == '\t') return "\\t";
  if (c == '\r') return "\\r";
  return c < 0x20 ? fmt::format("\\x{:02x}", c) : fmt::format("\\u{:04x}", c);  // \u007f is JSON's too
}

std::string Escape(std::string_view text, std::string_view kept) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = First(text);
    if (c.bytes == 0) {
      out += fmt::format("\\x{:02x}", static_cast<uint8_t>(text[0]));
    } else if (Acts(c.value) && kept.find(text[0]) == std::string_view::npos) {
      out += Written(c.value);
    } else {
      out += text.substr(0, c.bytes);
    }
    text.remove_prefix(std::max<size_t>(1, c.bytes));
  }
  return out;
}

std::string WithBlanks(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  return OneLine(out);
}

}  // namespace

std::string OneLine(std::string_view text) { return Escape(text, ""); }

std::string Lines(std::string_view text) { return Escape(text, "\n\t"); }

std::string CommentText(std::string_view text) {
  std::string out = WithBlanks(text);
  // A backslash at the end of a line joins the next one to it in C, and in some readers of SystemVerilog.
  if (out.ends_with('\\')) out += '.';
  return out;
}

std::string MarkdownText(std::string_view text) {
  std::string out;
  for (const char c : WithBlanks(text)) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '[' || c == ']') {  // links and images
      out += '\\';
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string HtmlText(std::string_view text) {
  std::string out;
  for (const char c : Lines(text)) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string ScriptJson(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

std::string ShellWord(std::string_view text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./,:=+@%").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, plain)) return std::string(text);
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace cosim::isa
