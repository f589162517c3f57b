// SPDX-License-Identifier: Apache-2.0
// Reads what a report's page holds, by nothing that made it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cosim::cli::testing {

/// What stands between two texts, the first of each; "" when they are not there.
inline std::string Between(const std::string& text, const std::string& from, const std::string& to) {
  const size_t begin = text.find(from);
  if (begin == std::string::npos) return "";
  const size_t end = text.find(to, begin + from.size());
  return end == std::string::npos ? "" : text.substr(begin + from.size(), end - begin - from.size());
}

inline nlohmann::json DataOf(const std::string& page) {
  return nlohmann::json::parse(Between(page, "<script type=\"application/json\" id=\"data\">", "</script>"),
                               nullptr, /*allow_exceptions=*/false);
}

inline size_t CountOf(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

struct Flight {
  int64_t index = 0, begin = 0, end = 0, layer = 0, format = 0;
};

/// As cli/page/timeline.h says it.
inline std::vector<Flight> FlightsOf(const nlohmann::json& unit) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<int64_t> numbers;
  uint64_t number = 0;
  uint32_t bits = 0;
  int held = 0, shift = 0;
  for (const char c : unit["flights"].get<std::string>()) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<uint32_t>(digits.find(c));
    held += 6;
    if (held < 8) continue;
    held -= 8;
    const uint32_t byte = bits >> held & 0xff;
    number |= static_cast<uint64_t>(byte & 0x7f) << shift;
    shift += 7;
    if (byte & 0x80) continue;
    numbers.push_back(static_cast<int64_t>(number));
    number = 0;
    shift = 0;
  }
  std::vector<Flight> flights;
  Flight at;
  for (size_t i = 0; i + 4 < numbers.size(); i += 5) {
    at.index += numbers[i];
    at.begin += numbers[i + 1];
    at.end = at.begin + numbers[i + 2];
    at.layer += numbers[i + 3] % 2 ? -(numbers[i + 3] + 1) / 2 : numbers[i + 3] / 2;
    at.format = numbers[i + 4];
    flights.push_back(at);
  }
  return flights;
}

}  // namespace cosim::cli::testing
