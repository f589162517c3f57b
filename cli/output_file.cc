// SPDX-License-Identifier: Apache-2.0
#include "cli/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "cli/options.h"

namespace cosim::cli {
namespace {

namespace fs = std::filesystem;

/// Interrupts wait until it goes.
class InterruptsHeld {
 public:
  InterruptsHeld() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
    pthread_sigmask(SIG_BLOCK, &signals, &before_);
  }
  ~InterruptsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  InterruptsHeld(const InterruptsHeld&) = delete;
  InterruptsHeld& operator=(const InterruptsHeld&) = delete;

 private:
  sigset_t before_{};
};

bool IsStandardOutput(const std::string& path) { return path == "-" || path == "/dev/stdout"; }

/// Something that is there and would be lost if a file took its place: a device, a pipe.
bool IsSpecial(const std::string& path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

/// The file that a link names.
std::string Target(const std::string& path) {
  std::error_code error;
  const fs::path target = fs::is_symlink(path, error) ? fs::canonical(path, error) : fs::path();
  return error || target.empty() ? path : target.string();
}

std::string TemporaryFor(const std::string& path) { return fmt::format("{}.{}.tmp", path, getpid()); }

bool Put(const std::string& path, const std::string& text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  return !file.fail();
}

bool CannotWrite(const std::string& path, const std::string& why) {
  return Fail(fmt::format("cannot write {}: {}", path, why)), false;
}

}  // namespace

bool CheckWritable(const std::string& path) {
  if (IsStandardOutput(path) || IsSpecial(path)) return true;
  const fs::path folder = fs::path(path).parent_path();
  const std::string where = folder.empty() ? "." : folder.string();
  std::error_code error;
  if (!fs::is_directory(where, error)) return CannotWrite(path, "there is no folder " + where);
  if (fs::is_directory(path, error)) return CannotWrite(path, "it is a folder");
  // Asking access() would let root pass where a read-only file system does not.
  const std::string probe = TemporaryFor(Target(path));
  const InterruptsHeld held;
  if (!Put(probe, "")) return CannotWrite(path, std::strerror(errno));
  fs::remove(probe, error);
  return true;
}

bool WriteFile(const std::string& path, const std::string& text) {
  if (IsStandardOutput(path)) return std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (IsSpecial(path)) return Put(path, text) || CannotWrite(path, std::strerror(errno));
  const std::string target = Target(path), temporary = TemporaryFor(target);
  const InterruptsHeld held;
  std::error_code error;
  if (!Put(temporary, text)) {
    const int reason = errno;
    fs::remove(temporary, error);
    return CannotWrite(path, std::strerror(reason));
  }
  fs::rename(temporary, target, error);
  if (!error) return true;
  const std::string reason = error.message();
  fs::remove(temporary, error);
  return CannotWrite(path, reason);
}

bool FlushOutput() {
  if (std::ferror(stdout) == 0 && std::fflush(stdout) == 0) return true;
  const int reason = errno != 0 ? errno : EIO;
  return reason != EPIPE && CannotWrite("to standard output", std::strerror(reason));
}

void OpenStandardFiles() {
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(file, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest number that is free: those below are open.
    [[maybe_unused]] const int opened = open("/dev/null", file == STDOUT_FILENO ? O_RDONLY : O_RDWR);
  }
}

}  // namespace cosim::cli
