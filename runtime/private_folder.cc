// SPDX-License-Identifier: Apache-2.0
#include "runtime/private_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <system_error>
#include <vector>

namespace cosim::runtime {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kWrittenByOthers = S_IWGRP | S_IWOTH;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

/// A folder for this process, removed when it ends.
class ProcessFolder {
 public:
  ProcessFolder() {
    std::error_code error;
    std::string pattern = (fs::temp_directory_path(error) / "cosim_XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
    std::fputs(
        fmt::format(
            "cosim: there is no home folder: what would be kept there goes to {} and is gone at the end\n",
            path_.string())
            .c_str(),
        stderr);
  }
  ~ProcessFolder() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::optional<fs::path> HomeFolder() {
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return home;
  // The file itself: getpwuid may load libraries, which a static program (cosim-board) is not made for.
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> users(std::fopen("/etc/passwd", "re"), std::fclose);
  if (!users) return std::nullopt;
  std::vector<char> buffer(1 << 14);
  passwd entry{};
  passwd* found = nullptr;
  while (fgetpwent_r(users.get(), &entry, buffer.data(), buffer.size(), &found) == 0) {
    if (found->pw_uid != geteuid()) continue;
    std::error_code error;
    if (found->pw_dir == nullptr || *found->pw_dir != '/' || !fs::is_directory(found->pw_dir, error)) break;
    return found->pw_dir;
  }
  return std::nullopt;
}

bool IsTrusted(uid_t owner) { return owner == 0 || owner == geteuid(); }

/// Why others could change what stands in a folder; empty: they cannot. In a sticky folder, such as /tmp,
/// they may add entries but not replace those of others, and whose the next one is, is asked next.
std::string FaultOf(const fs::path& path, const struct stat& entry) {
  if (!IsTrusted(entry.st_uid)) return fmt::format("{} belongs to another user", path.string());
  if (S_ISLNK(entry.st_mode)) return "";
  if (!S_ISDIR(entry.st_mode)) return fmt::format("{} is not a folder", path.string());
  if ((entry.st_mode & kWrittenByOthers) != 0 && (entry.st_mode & S_ISVTX) == 0)
    return fmt::format("others may write to {}", path.string());
  return "";
}

/// Walks from the root as the system does, link by link.
std::string FaultOnTheWayTo(const fs::path& folder) {
  constexpr int kMostLinks = 40;
  std::deque<fs::path> left(folder.begin(), folder.end());
  fs::path at = "/";
  for (int links = 0; !left.empty();) {
    const fs::path next = left.front();
    left.pop_front();
    if (next == "..") {
      at = at.parent_path();
      continue;
    }
    const fs::path path = next.is_absolute() ? fs::path("/") : next == "." || next.empty() ? at : at / next;
    struct stat entry{};
    if (lstat(path.c_str(), &entry) != 0) return fmt::format("{}: {}", path.string(), std::strerror(errno));
    if (const std::string fault = FaultOf(path, entry); !fault.empty()) return fault;
    if (!S_ISLNK(entry.st_mode)) {
      at = path;
      continue;
    }
    std::error_code error;
    const fs::path target = fs::read_symlink(path, error);
    if (error || ++links > kMostLinks) return fmt::format("{} is a link that leads nowhere", path.string());
    left.insert(left.begin(), target.begin(), target.end());
  }
  return "";
}

/// As fs::create_directories, but for this user alone.
bool MakeFolders(const fs::path& folder, std::string& error) {
  std::error_code code;
  if (fs::is_directory(folder, code)) return true;
  if (folder.has_relative_path() && !MakeFolders(folder.parent_path(), error)) return false;
  if (mkdir(folder.c_str(), S_IRWXU) == 0 || (errno == EEXIST && fs::is_directory(folder, code))) return true;
  error = std::strerror(errno);
  return false;
}

}  // namespace

fs::path UserFolder(const char* variable, const fs::path& below_home) {
  const char* given = std::getenv(variable);
  if (given != nullptr && *given == '/') return given;
  if (const auto home = HomeFolder()) return *home / below_home;
  static const ProcessFolder alone;
  return alone.path() / below_home;
}

bool MakePrivate(const fs::path& folder, std::string& error) {
  if (!folder.is_absolute()) return error = fmt::format("'{}' is no absolute path", folder.string()), false;
  if (!MakeFolders(folder, error)) return false;
  if (error = FaultOnTheWayTo(folder); !error.empty()) return false;
  const Descriptor opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat entry{};
  if (opened.number() < 0 || fstat(opened.number(), &entry) != 0) return error = std::strerror(errno), false;
  if (entry.st_uid != geteuid())
    return error = fmt::format("{} belongs to another user", folder.string()), false;
  // A sticky one passes on the way, but what others may have added to this one would be believed.
  if ((entry.st_mode & kWrittenByOthers) != 0)
    return error = fmt::format("others may write to {}", folder.string()), false;
  if ((entry.st_mode & (S_IRWXG | S_IRWXO)) != 0 && fchmod(opened.number(), S_IRWXU) != 0)
    return error = std::strerror(errno), false;
  return true;
}

std::optional<std::string> ReadPrivate(const fs::path& file, std::string& error) {
  const auto fail = [&](const std::string& why) {
    error = fmt::format("{}: {}", file.string(), why);
    return std::nullopt;
  };
  const Descriptor opened(open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat entry{};
  if (opened.number() < 0 || fstat(opened.number(), &entry) != 0) return fail(std::strerror(errno));
  if (!S_ISREG(entry.st_mode)) return fail("it is not a file");
  if (entry.st_uid != geteuid()) return fail("it belongs to another user");
  if ((entry.st_mode & kWrittenByOthers) != 0) return fail("others may write to it");
  std::string bytes;
  std::vector<char> block(1 << 16);
  for (ssize_t n; (n = read(opened.number(), block.data(), block.size())) != 0;) {
    if (n < 0 && errno != EINTR) return fail(std::strerror(errno));
    if (n > 0) bytes.append(block.data(), static_cast<size_t>(n));
  }
  return bytes;
}

}  // namespace cosim::runtime
