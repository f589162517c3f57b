// SPDX-License-Identifier: Apache-2.0
// Fills templates of SystemVerilog text.
#include "isa/sv/template.h"

#include <algorithm>
#include <cctype>

#include "isa/check.h"

namespace cosim::isa {

std::string FillSvTemplate(std::string_view text, const SvValues& values) {
  std::string out;
  size_t at = 0;
  while (true) {
    const size_t open = text.find('@', at);
    out += text.substr(at, open - at);
    if (open == std::string_view::npos) return out;
    if (open + 1 == text.size() || std::isalpha(static_cast<unsigned char>(text[open + 1])) == 0) {
      out += '@';  // SystemVerilog's own, as in @(posedge …)
      at = open + 1;
      continue;
    }
    const size_t close = text.find('@', open + 1);
    COSIM_CHECK(close != std::string_view::npos, "template has a lone @");
    const std::string_view name = text.substr(open + 1, close - open - 1);
    const auto value = std::ranges::find(values, name, &SvValues::value_type::first);
    COSIM_CHECK(value != values.end(), "template wants '{}'", name);
    out += value->second;
    at = close + 1;
  }
}

}  // namespace cosim::isa
