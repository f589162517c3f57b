// SPDX-License-Identifier: Apache-2.0
// The authentication tag behind a module's bytes: their HMAC-SHA-256 under a key that only this user on this
// machine has. It says that the module was made here, so that its machine code may be loaded as this user's
// own programs are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cosim::runtime {

inline constexpr size_t kTagBytes = 40;

/// The key, 32 bytes from ${XDG_STATE_HOME:-~/.local/state}/cosim/module.key; made when there is none.
/// Nothing, and `error` set, when others could read or change it (runtime/private_folder.h).
std::optional<std::string> TagKey(std::string& error);

/// WriteModule's bytes with their tag.
std::vector<uint8_t> AddTag(std::vector<uint8_t> module, std::string_view key);

enum class Origin {
  kThisUser,   ///< tagged with this key, and not changed since
  kElsewhere,  ///< tagged with another key, or changed
  kUnknown,    ///< without a tag
};
Origin OriginOf(std::span<const uint8_t> file, std::string_view key);

/// Whether these bytes, which stand behind a module's, look like a tag or the beginning of one.
bool LooksLikeTag(std::span<const uint8_t> bytes);

}  // namespace cosim::runtime
