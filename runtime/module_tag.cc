// SPDX-License-Identifier: Apache-2.0
#include "runtime/module_tag.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "isa/digest.h"
#include "runtime/private_folder.h"

namespace cosim::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::array<uint8_t, 8> kMagic = {'C', 'O', 'S', 'I', 'M', 'T', 'A', 'G'};
constexpr size_t kKeyBytes = 32;

std::string Digest(std::span<const uint8_t> module, std::string_view key) {
  const std::string hex =
      isa::HmacSha256Hex(key, {reinterpret_cast<const char*>(module.data()), module.size()});
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

/// Puts a new key at `file`, unless another process has been faster.
bool MakeKey(const fs::path& file, std::string& error) {
  std::string key(kKeyBytes, '\0');
  if (getrandom(key.data(), key.size(), 0) != static_cast<ssize_t>(key.size()))
    return error = fmt::format("no random numbers: {}", std::strerror(errno)), false;
  std::string temporary = file.string() + ".XXXXXX";
  const int made = mkstemp(temporary.data());  // 0600
  if (made < 0) return error = fmt::format("{}: {}", file.string(), std::strerror(errno)), false;
  const bool written = write(made, key.data(), key.size()) == static_cast<ssize_t>(key.size());
  const bool linked =
      close(made) == 0 && written && (link(temporary.c_str(), file.c_str()) == 0 || errno == EEXIST);
  if (!linked) error = fmt::format("{}: {}", file.string(), std::strerror(errno));
  unlink(temporary.c_str());
  return linked;
}

}  // namespace

std::optional<std::string> TagKey(std::string& error) {
  const fs::path folder = UserFolder("XDG_STATE_HOME", ".local/state") / "cosim",
                 file = folder / "module.key";
  if (!MakePrivate(folder, error)) return std::nullopt;
  std::error_code code;
  if (!fs::exists(fs::symlink_status(file, code)) && !MakeKey(file, error)) return std::nullopt;
  auto key = ReadPrivate(file, error);
  if (!key) return std::nullopt;
  if (key->size() == kKeyBytes &&
      (fs::status(file, code).permissions() & fs::perms(0077)) == fs::perms::none && !code)
    return key;
  error = fmt::format("{}: it is no key that this user alone can read; delete it", file.string());
  return std::nullopt;
}

std::vector<uint8_t> AddTag(std::vector<uint8_t> module, std::string_view key) {
  const std::string digest = Digest(module, key);
  module.insert(module.end(), kMagic.begin(), kMagic.end());
  module.insert(module.end(), digest.begin(), digest.end());
  return module;
}

Origin OriginOf(std::span<const uint8_t> file, std::string_view key) {
  if (file.size() < kTagBytes || !LooksLikeTag(file.last(kTagBytes))) return Origin::kUnknown;
  const std::string digest = Digest(file.first(file.size() - kTagBytes), key);
  return std::memcmp(digest.data(), file.last(digest.size()).data(), digest.size()) == 0 ? Origin::kThisUser
                                                                                         : Origin::kElsewhere;
}

bool LooksLikeTag(std::span<const uint8_t> bytes) {
  return !bytes.empty() && bytes.size() <= kTagBytes &&
         std::equal(kMagic.begin(),
                    kMagic.begin() + static_cast<ptrdiff_t>(std::min(bytes.size(), kMagic.size())),
                    bytes.begin());
}

}  // namespace cosim::runtime
