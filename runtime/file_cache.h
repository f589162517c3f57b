// SPDX-License-Identifier: Apache-2.0
// Results that are dear to make and cheap to keep, as folders of files below
// ${XDG_CACHE_HOME:-~/.cache}/cosim. An entry is there as a whole or not at all: it is made in a folder of
// its own and renamed. Several processes may ask for one entry at once; one makes it, the others wait.
// Entries are believed, and loaded as code: their folders are this user's alone (runtime/private_folder.h),
// and the digest of an entry's files is looked at each time. One that is damaged is made again.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace cosim::runtime {

/// Names an entry by everything it depends on, added piece by piece: 32 hexadecimal digits.
class CacheKey {
 public:
  CacheKey& Add(std::string_view piece);
  std::string Text() const;

 private:
  std::string pieces_;
};

class FileCache {
 public:
  /// Entries of one kind have a folder of their own, like "rtl".
  explicit FileCache(const std::string& kind);
  const std::filesystem::path& folder() const { return folder_; }

  /// The folder of `key`. If it is not there, or not as it was made, `make` fills the empty folder it is
  /// given; when it returns false, no entry appears, and what it made stays in <key>.failed for the user to
  /// look at. Nothing, and `error` set unless `make` did, when there is no entry, or the cache cannot be
  /// written or could be written by others.
  std::optional<std::filesystem::path> Get(const std::string& key,
                                           const std::function<bool(const std::filesystem::path&)>& make,
                                           std::string& error);

  /// The folder of `key` if it is there as it was made. Makes and waits for nothing.
  std::optional<std::filesystem::path> Find(const std::string& key) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace cosim::runtime
