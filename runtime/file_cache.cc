// SPDX-License-Identifier: Apache-2.0
// Beside an entry <key> stands <key>.sha256, written first, with a line for each of its files as sha256sum(1)
// prints it. There may also be <key>.lock, locked while the entry is made; <key>.making, what there is so
// far; and <key>.failed.
#include "runtime/file_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <vector>

#include "isa/digest.h"
#include "runtime/private_folder.h"

namespace cosim::runtime {
namespace {

namespace fs = std::filesystem;

constexpr char kLock[] = ".lock", kMaking[] = ".making", kFailed[] = ".failed", kDigest[] = ".sha256";

/// Holds an advisory lock on a file. Programs started meanwhile inherit it: should this process be killed,
/// the lock lasts until they have ended too.
class FileLock {
 public:
  enum class Mode { kWait, kTry };
  FileLock(const fs::path& file, Mode mode)
      : descriptor_(open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW, 0600)) {
    if (descriptor_ < 0) return;
    while (!(held_ = flock(descriptor_, LOCK_EX | (mode == Mode::kTry ? LOCK_NB : 0)) == 0))
      if (errno != EINTR) return;
  }
  ~FileLock() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  bool held() const { return held_; }

 private:
  int descriptor_;
  bool held_ = false;
};

/// Removes what was left by processes that did not come to the end.
void RemoveRemains(const fs::path& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() != kMaking) continue;
    const FileLock lock(fs::path(entry.path()).replace_extension(kLock), FileLock::Mode::kTry);
    if (lock.held()) fs::remove_all(entry.path(), error);
  }
}

/// A line for each file below `entry`; nothing when there is anything but files and folders of this user's.
std::optional<std::string> DigestOf(const fs::path& entry) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator it(entry, error), end; !error && it != end; it.increment(error)) {
    const auto kind = it->symlink_status(error).type();
    if (kind == fs::file_type::directory) continue;
    if (kind != fs::file_type::regular) return std::nullopt;
    files.push_back(it->path());
  }
  if (error) return std::nullopt;
  std::ranges::sort(files);
  std::string lines, reason;
  for (const fs::path& file : files) {
    const auto bytes = ReadPrivate(file, reason);
    if (!bytes) return std::nullopt;
    lines += fmt::format("{}  {}\n", isa::Sha256Hex(*bytes), file.lexically_relative(entry).string());
  }
  return lines;
}

/// Whether an entry is there, as it was made.
bool IsWhole(const fs::path& entry) {
  std::error_code error;
  if (fs::symlink_status(entry, error).type() != fs::file_type::directory) return false;
  std::string reason;
  const auto expected = ReadPrivate(entry.string() + kDigest, reason);
  return expected && DigestOf(entry) == expected;
}

/// Readers that hold no lock find the digest before the entry appears.
bool Publish(const fs::path& making, const fs::path& entry, std::string& error) {
  std::error_code code;
  for (fs::recursive_directory_iterator it(making, code), end; !code && it != end; it.increment(code))
    if (!it->is_symlink(code))  // whatever the umask says
      fs::permissions(it->path(), fs::perms::group_all | fs::perms::others_all, fs::perm_options::remove,
                      code);
  const auto digest = DigestOf(making);
  const fs::path file = entry.string() + kDigest, temporary = file.string() + ".tmp";
  bool written = false;
  if (digest) {
    std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
    stream << *digest;
    stream.close();
    written = stream.good() && chmod(temporary.c_str(), S_IRUSR | S_IWUSR) == 0;
  }
  if (written) fs::rename(temporary, file, code);
  if (written && !code) fs::rename(making, entry, code);
  if (written && !code) return true;
  error = code ? code.message() : "the digest of its files cannot be written";
  return false;
}

}  // namespace

CacheKey& CacheKey::Add(std::string_view piece) {
  // The length too, so that where pieces end matters.
  pieces_ += fmt::format("{}:", piece.size());
  pieces_ += piece;
  return *this;
}

std::string CacheKey::Text() const { return isa::Sha256Hex(pieces_).substr(0, 32); }

FileCache::FileCache(const std::string& kind)
    : folder_(UserFolder("XDG_CACHE_HOME", ".cache") / "cosim" / kind) {}

std::optional<fs::path> FileCache::Find(const std::string& key) const {
  std::string fault;
  std::error_code code;
  if (!fs::exists(folder_ / key, code) || !MakePrivate(folder_, fault)) return std::nullopt;
  return IsWhole(folder_ / key) ? std::optional(folder_ / key) : std::nullopt;
}

std::optional<fs::path> FileCache::Get(const std::string& key,
                                       const std::function<bool(const fs::path&)>& make, std::string& error) {
  const fs::path entry = folder_ / key, making = entry.string() + kMaking, failed = entry.string() + kFailed;
  const auto cannot = [&](const std::string& why) {
    error = fmt::format("cannot write the cache {}: {}", folder_.string(), why);
    return std::nullopt;
  };
  std::string fault;
  if (!MakePrivate(folder_.parent_path(), fault) || !MakePrivate(folder_, fault)) return cannot(fault);
  if (IsWhole(entry)) return entry;
  RemoveRemains(folder_);
  const FileLock lock(entry.string() + kLock, FileLock::Mode::kWait);
  if (!lock.held()) return cannot(std::strerror(errno));
  if (IsWhole(entry)) return entry;  // made while this one waited
  std::error_code code;
  for (const fs::path& old : {entry, making, failed}) fs::remove_all(old, code);
  if (mkdir(making.c_str(), S_IRWXU) != 0) return cannot(std::strerror(errno));
  if (make(making)) return Publish(making, entry, fault) ? std::optional(entry) : cannot(fault);
  fs::rename(making, failed, code);
  if (code) return cannot(code.message());
  return std::nullopt;
}

}  // namespace cosim::runtime
