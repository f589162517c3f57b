// SPDX-License-Identifier: Apache-2.0
// Numbers as bytes in a text: LEB128, in base64.
#pragma once

#include <cstdint>
#include <string>

namespace cosim::cli {

class PackedNumbers {
 public:
  void Add(uint64_t number) {
    for (; number >= 0x80; number >>= 7) bytes_ += static_cast<char>((number & 0x7f) | 0x80);
    bytes_ += static_cast<char>(number);
  }
  /// Zigzag: 0, -1, 1, -2 are 0, 1, 2, 3.
  void AddSigned(int64_t number) {
    Add((static_cast<uint64_t>(number) << 1) ^ static_cast<uint64_t>(number >> 63));
  }
  /// With padding.
  std::string Base64() const;

 private:
  std::string bytes_;
};

}  // namespace cosim::cli
