// SPDX-License-Identifier: Apache-2.0
// Beside an entry <key> there may be <key>.lock, locked while the entry is made; <key>.making, what there is
// so far; and <key>.failed.
#include "runtime/file_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace cosim::runtime {
namespace {

namespace fs = std::filesystem;

constexpr char kLock[] = ".lock", kMaking[] = ".making", kFailed[] = ".failed";

/// Holds an advisory lock on a file. Programs started meanwhile inherit it: should this process be killed,
/// the lock lasts until they have ended too.
class FileLock {
 public:
  enum class Mode { kWait, kTry };
  FileLock(const fs::path& file, Mode mode) : descriptor_(open(file.c_str(), O_RDWR | O_CREAT, 0644)) {
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

fs::path CacheHome() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache && *cache == '/') return cache;
  const char* home = std::getenv("HOME");
  return (home && *home ? fs::path(home) : fs::temp_directory_path()) / ".cache";
}

}  // namespace

CacheKey& CacheKey::Add(std::string_view piece) {
  constexpr uint64_t kPrime = 0x100000001B3u;
  const auto add = [&](uint8_t byte) { hash_ = (hash_ ^ byte) * kPrime; };
  for (const char c : piece) add(static_cast<uint8_t>(c));
  // The length too, so that where pieces end matters.
  for (int shift = 0; shift < 64; shift += 8) add(static_cast<uint8_t>(piece.size() >> shift));
  return *this;
}

std::string CacheKey::Text() const { return fmt::format("{:016x}", hash_); }

FileCache::FileCache(const std::string& kind) : folder_(CacheHome() / "cosim" / kind) {}

std::optional<fs::path> FileCache::Get(const std::string& key,
                                       const std::function<bool(const fs::path&)>& make, std::string& error) {
  const fs::path entry = folder_ / key;
  std::error_code code;
  if (fs::is_directory(entry, code)) return entry;
  const auto cannot = [&](const std::string& why) {
    error = fmt::format("cannot write the cache {}: {}", folder_.string(), why);
    return std::nullopt;
  };
  fs::create_directories(folder_, code);
  if (code) return cannot(code.message());
  RemoveRemains(folder_);
  const FileLock lock(entry.string() + kLock, FileLock::Mode::kWait);
  if (!lock.held()) return cannot(std::strerror(errno));
  if (fs::is_directory(entry, code)) return entry;  // made while this one waited
  const fs::path making = entry.string() + kMaking, failed = entry.string() + kFailed;
  fs::remove_all(making, code);
  fs::remove_all(failed, code);
  if (!fs::create_directory(making, code)) return cannot(code.message());
  const bool made = make(making);
  fs::rename(making, made ? entry : failed, code);
  if (code) return cannot(code.message());
  if (!made) return std::nullopt;
  return entry;
}

}  // namespace cosim::runtime
