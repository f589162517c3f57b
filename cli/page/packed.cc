// SPDX-License-Identifier: Apache-2.0
#include "cli/page/packed.h"

#include <algorithm>

namespace cosim::cli {

std::string PackedNumbers::Base64() const {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes_.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes_.size(); at += 3) {
    const size_t count = std::min<size_t>(3, bytes_.size() - at);
    uint32_t word = 0;
    for (size_t i = 0; i < 3; ++i) word = word << 8 | (i < count ? static_cast<uint8_t>(bytes_[at + i]) : 0u);
    for (size_t i = 0; i < 4; ++i) text += i <= count ? kDigits[word >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

}  // namespace cosim::cli
