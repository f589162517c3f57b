// SPDX-License-Identifier: Apache-2.0
// SHA-256, and SHA-256 keyed by HMAC, of bytes: which file a result came from, and whether bytes are still
// the ones that were written.
#pragma once

#include <string>
#include <string_view>

namespace cosim::isa {

/// 64 lower-case hexadecimal digits.
std::string Sha256Hex(std::string_view bytes);

/// Says who wrote bytes as well: only a holder of `key` can make it. 64 lower-case hexadecimal digits.
std::string HmacSha256Hex(std::string_view key, std::string_view bytes);

}  // namespace cosim::isa
