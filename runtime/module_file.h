// SPDX-License-Identifier: Apache-2.0
// The envelope of a module file: 32 bytes before the FlatBuffer (module.fbs) that say what it is and whether
// it is whole. Little-endian:
//
//    0  89 'C' 'O' 'S' 'I' 'M' 0D 0A   what no text has; a transfer that rewrites line ends breaks it
//    8  u32 version
//   12  u32 CRC-32 of all bytes but these four
//   16  u64 bytes that follow the envelope
//   24  u64 spec fingerprint
//
// An authentication tag (module_tag.h) may follow, which none of them counts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cosim::runtime {

struct Envelope {
  uint64_t fingerprint = 0;
  std::span<const uint8_t> payload;
};

std::vector<uint8_t> Seal(uint64_t fingerprint, std::span<const uint8_t> payload);

/// Nothing, and `error` says why, if anything is amiss. The payload points into `bytes`. What a tag says is
/// not looked at.
std::optional<Envelope> Open(std::span<const uint8_t> bytes, std::string& error);

/// CRC-32 as zlib and PNG compute it; `seed` continues that of the bytes before.
uint32_t Checksum(std::span<const uint8_t> bytes, uint32_t seed = 0);

}  // namespace cosim::runtime
