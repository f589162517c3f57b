// SPDX-License-Identifier: Apache-2.0
#include "compiler/import/tflite/flex_map.h"

#include <bit>
#include <cmath>

namespace cosim::import::tflite {
namespace {

enum FlexType : uint8_t {
  kNull = 0,
  kInt = 1,
  kUint = 2,
  kFloat = 3,
  kIndirectInt = 6,
  kIndirectUint = 7,
  kIndirectFloat = 8,
  kMap = 9,
  kBool = 26
};
constexpr size_t kMostKeys = 1024;

/// Reads of little-endian numbers of 1, 2, 4 or 8 bytes; all that leave the bytes are refused.
class Flex {
 public:
  explicit Flex(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  std::optional<std::map<std::string, double>> Root() const {
    if (bytes_.size() < 3) return std::nullopt;
    const size_t width = bytes_.back(), end = bytes_.size() - 2;
    if (!IsWidth(width) || width > end || bytes_[end] >> 2 != kMap) return std::nullopt;
    const auto at = Target(end - width, width);
    return at ? Map(*at, WidthOf(bytes_[end])) : std::nullopt;
  }

 private:
  static bool IsWidth(size_t width) { return width == 1 || width == 2 || width == 4 || width == 8; }
  static size_t WidthOf(uint8_t packed_type) { return size_t{1} << (packed_type & 3); }

  std::optional<uint64_t> Unsigned(size_t at, size_t width) const {
    if (at > bytes_.size() || width > bytes_.size() - at) return std::nullopt;
    uint64_t value = 0;
    for (size_t i = width; i-- > 0;) value = value << 8 | bytes_[at + i];
    return value;
  }

  /// Where an offset at `at` leads: back by so many bytes.
  std::optional<size_t> Target(size_t at, size_t width) const {
    const auto offset = Unsigned(at, width);
    if (!offset || *offset > at) return std::nullopt;
    return at - static_cast<size_t>(*offset);
  }

  std::optional<double> Number(size_t at, size_t width, uint8_t type) const {
    const auto bits = Unsigned(at, width);
    if (!bits) return std::nullopt;
    switch (type) {
      case kInt:
        return static_cast<double>(static_cast<int64_t>(*bits << (64 - 8 * width)) >> (64 - 8 * width));
      case kUint:
      case kBool:
        return static_cast<double>(*bits);
      case kFloat:
        if (width == 4) return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(*bits)));
        if (width == 8) return std::bit_cast<double>(*bits);
        return std::nullopt;
      default:
        return std::nullopt;
    }
  }

  std::optional<std::string> Key(size_t at) const {
    std::string text;
    for (; at < bytes_.size(); ++at) {
      if (bytes_[at] == 0) return text;
      text += static_cast<char>(bytes_[at]);
    }
    return std::nullopt;
  }

  /// In front of the values stand where the keys are, their width and the count; behind them the types.
  std::optional<std::map<std::string, double>> Map(size_t at, size_t width) const {
    if (at < 3 * width) return std::nullopt;
    const auto count = Unsigned(at - width, width), key_width = Unsigned(at - 2 * width, width);
    const auto keys = Target(at - 3 * width, width);
    if (!count || *count > kMostKeys || !key_width || !IsWidth(*key_width) || !keys || *keys < *key_width ||
        Unsigned(*keys - *key_width, *key_width) != count)
      return std::nullopt;
    std::map<std::string, double> numbers;
    for (size_t i = 0; i < *count; ++i) {
      const auto text = Target(*keys + i * *key_width, *key_width);
      const auto key = text ? Key(*text) : std::nullopt;
      const auto type = Unsigned(at + *count * width + i, 1);
      if (!key || !type) return std::nullopt;
      const auto kind = static_cast<uint8_t>(*type >> 2);
      const size_t place = at + i * width;
      std::optional<double> number;
      if (kind == kInt || kind == kUint || kind == kFloat || kind == kBool) {
        number = Number(place, width, kind);
      } else if (kind == kIndirectInt || kind == kIndirectUint || kind == kIndirectFloat) {
        const auto target = Target(place, width);
        if (target)
          number = Number(*target, WidthOf(static_cast<uint8_t>(*type)), kind - kIndirectInt + kInt);
      } else {
        continue;
      }
      if (!number) return std::nullopt;
      numbers[*key] = *number;
    }
    return numbers;
  }

  std::span<const uint8_t> bytes_;
};

}  // namespace

std::optional<std::map<std::string, double>> NumbersOf(std::span<const uint8_t> bytes) {
  return Flex(bytes).Root();
}

}  // namespace cosim::import::tflite
