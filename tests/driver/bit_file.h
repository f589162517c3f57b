// SPDX-License-Identifier: Apache-2.0
// A made-up .bit: Vivado's header, some dummy words, a sync word and numbers.
#pragma once

#include <cstdint>
#include <string>

namespace cosim::driver::testing {

inline std::string BitFile(const std::string& part, size_t bytes = 1000) {
  const auto field = [](char tag, const std::string& text) {
    const size_t length = text.size() + 1;
    return std::string{tag, static_cast<char>(length >> 8), static_cast<char>(length)} + text + '\0';
  };
  std::string configuration(32, '\xFF');
  configuration +=
      std::string("\x00\x00\x00\xBB\x11\x22\x00\x44", 8) + std::string(8, '\xFF') + "\xAA\x99\x55\x66";
  while (configuration.size() < bytes) configuration += static_cast<char>(configuration.size() * 7);
  std::string bit("\x00\x09\x0F\xF0\x0F\xF0\x0F\xF0\x0F\xF0\x00\x00\x01", 13);
  bit += field('a', "top;UserID=0XFFFFFFFF;Version=2022.1") + field('b', part) + field('c', "2026/11/22") +
         field('d', "20:00:00") + 'e';
  for (int shift = 24; shift >= 0; shift -= 8) bit += static_cast<char>(configuration.size() >> shift);
  return bit + configuration;
}

}  // namespace cosim::driver::testing
