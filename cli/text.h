// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace cosim::cli {

/// 1234567 as 1,234,567.
inline std::string Grouped(int64_t value) {
  const std::string digits = std::to_string(value);
  const size_t first = value < 0 ? 1 : 0;
  std::string out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > first && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

/// 1 as "1 program", 1234 as "1,234 programs".
inline std::string Counted(size_t count, const std::string& what) {
  return Grouped(static_cast<int64_t>(count)) + " " + what + (count == 1 ? "" : "s");
}

/// 0.123 as 12.3 %.
inline std::string Percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

}  // namespace cosim::cli
