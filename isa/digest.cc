// SPDX-License-Identifier: Apache-2.0
// SHA-256 and HMAC by Nettle.
#include "isa/digest.h"

#include <nettle/hmac.h>
#include <nettle/sha2.h>

#include <array>
#include <cstdint>

namespace cosim::isa {
namespace {

using Digest = std::array<uint8_t, SHA256_DIGEST_SIZE>;

const uint8_t* Bytes(std::string_view text) { return reinterpret_cast<const uint8_t*>(text.data()); }

std::string Hex(const Digest& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * digest.size());
  for (const uint8_t byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace

std::string Sha256Hex(std::string_view bytes) {
  sha256_ctx context;
  sha256_init(&context);
  sha256_update(&context, bytes.size(), Bytes(bytes));
  Digest digest;
  sha256_digest(&context, digest.size(), digest.data());
  return Hex(digest);
}

std::string HmacSha256Hex(std::string_view key, std::string_view bytes) {
  hmac_sha256_ctx context;
  hmac_sha256_set_key(&context, key.size(), Bytes(key));
  hmac_sha256_update(&context, bytes.size(), Bytes(bytes));
  Digest digest;
  hmac_sha256_digest(&context, digest.size(), digest.data());
  return Hex(digest);
}

}  // namespace cosim::isa
