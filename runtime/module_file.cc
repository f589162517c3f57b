// SPDX-License-Identifier: Apache-2.0
#include "runtime/module_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>

#include "runtime/module.h"
#include "runtime/module_tag.h"

namespace cosim::runtime {
namespace {

constexpr std::array<uint8_t, 8> kMagic = {0x89, 'C', 'O', 'S', 'I', 'M', '\r', '\n'};
constexpr size_t kVersionAt = 8, kChecksumAt = 12, kSizeAt = 16, kFingerprintAt = 24, kHeader = 32;

template <typename T>
void Put(std::span<uint8_t> bytes, size_t at, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) bytes[at + i] = static_cast<uint8_t>(value >> (8 * i));
}

template <typename T>
T Get(std::span<const uint8_t> bytes, size_t at) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) value |= static_cast<T>(bytes[at + i]) << (8 * i);
  return value;
}

uint32_t FileChecksum(std::span<const uint8_t> bytes) {
  return Checksum(bytes.subspan(kSizeAt), Checksum(bytes.first(kChecksumAt)));
}

}  // namespace

uint32_t Checksum(std::span<const uint8_t> bytes, uint32_t seed) {
  return static_cast<uint32_t>(crc32_z(seed, bytes.data(), bytes.size()));
}

bool LooksLikeModule(std::span<const uint8_t> bytes) {
  return bytes.size() >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), bytes.begin());
}

std::vector<uint8_t> Seal(uint64_t fingerprint, std::span<const uint8_t> payload) {
  std::vector<uint8_t> bytes(kHeader);
  bytes.reserve(kHeader + payload.size());
  std::copy(kMagic.begin(), kMagic.end(), bytes.begin());
  Put(bytes, kVersionAt, kModuleVersion);
  Put(bytes, kSizeAt, static_cast<uint64_t>(payload.size()));
  Put(bytes, kFingerprintAt, fingerprint);
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  Put(bytes, kChecksumAt, FileChecksum(bytes));
  return bytes;
}

std::optional<Envelope> Open(std::span<const uint8_t> bytes, std::string& error) {
  if (!LooksLikeModule(bytes)) {
    error = bytes.size() < kMagic.size() && std::equal(bytes.begin(), bytes.end(), kMagic.begin())
                ? "is cut off"
                : "is not a module";
    return std::nullopt;
  }
  if (bytes.size() < kHeader) {
    error = "is cut off";
    return std::nullopt;
  }
  const auto version = Get<uint32_t>(bytes, kVersionAt);
  if (version != kModuleVersion) {
    error =
        fmt::format("has version {} of the format, and this cosim reads version {}", version, kModuleVersion);
    return std::nullopt;
  }
  const auto size = Get<uint64_t>(bytes, kSizeAt), there = static_cast<uint64_t>(bytes.size() - kHeader);
  if (size > there) {
    error = fmt::format("is cut off: {} bytes of {}", there, size);
    return std::nullopt;
  }
  const auto tag = bytes.subspan(kHeader + size);
  if (!tag.empty() && (!LooksLikeTag(tag) || tag.size() != kTagBytes)) {
    error = LooksLikeTag(tag) ? fmt::format("is cut off: {} bytes of {} of its tag", tag.size(), kTagBytes)
                              : fmt::format("goes on after its end: {} bytes for {}", there, size);
    return std::nullopt;
  }
  bytes = bytes.first(kHeader + size);
  if (Get<uint32_t>(bytes, kChecksumAt) != FileChecksum(bytes)) {
    error = "is damaged: its checksum is wrong";
    return std::nullopt;
  }
  return Envelope{Get<uint64_t>(bytes, kFingerprintAt), bytes.subspan(kHeader)};
}

}  // namespace cosim::runtime
