// SPDX-License-Identifier: Apache-2.0
#include "compiler/explore/array_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

namespace cosim::explore {
namespace {

namespace fs = std::filesystem;

constexpr const char* kState = "state";  // "DIGEST TASKS"
constexpr const char* kLock = "lock";

}  // namespace

ArrayFolder::ArrayFolder(fs::path path, std::string digest)
    : path_(std::move(path)), digest_(std::move(digest)) {}

ArrayFolder::~ArrayFolder() {
  if (lock_ >= 0) close(lock_);
}

std::unique_ptr<ArrayFolder> ArrayFolder::Open(const fs::path& database, const std::string& digest,
                                               std::string& error) {
  std::error_code failure;
  const fs::path path = fs::absolute(database, failure).lexically_normal().string() + ".slurm";
  if (!failure) fs::create_directories(path, failure);
  if (failure) return error = fmt::format("{}: {}", path.string(), failure.message()), nullptr;
  std::unique_ptr<ArrayFolder> folder(new ArrayFolder(path, digest));
  return folder->Lock(error) && folder->ReadTasks(error) ? std::move(folder) : nullptr;
}

bool ArrayFolder::Lock(std::string& error) {
  const fs::path file = path_ / kLock;
  lock_ = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0) return error = fmt::format("{}: {}", file.string(), std::strerror(errno)), false;
  // A file system that knows no locks is believed.
  if (flock(lock_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return true;
  return error = fmt::format("{}: another command waits for this sweep", path_.string()), false;
}

bool ArrayFolder::ReadTasks(std::string& error) {
  std::ifstream file(path_ / kState);
  std::string digest;
  if (!(file >> digest)) return true;
  if (digest == digest_ && file >> tasks_ && tasks_ >= 1) return true;
  return error = fmt::format(
             "{} is of another sweep, whose array may still run: remove the folder, or name another database",
             path_.string()),
         false;
}

bool ArrayFolder::SetTasks(int64_t tasks, std::string& error) {
  const fs::path made = path_ / (std::string(kState) + ".tmp");
  std::error_code failure;
  bool good = false;
  {
    std::ofstream file(made);
    file << digest_ << ' ' << tasks << '\n';
    good = file.flush().good();
  }
  if (good) fs::rename(made, path_ / kState, failure);
  if (!good || failure)
    return error = fmt::format("{}: it cannot be written", (path_ / kState).string()), false;
  tasks_ = tasks;
  return true;
}

fs::path ArrayFolder::TaskDatabase(int64_t task) const { return path_ / fmt::format("task-{}.sqlite", task); }
fs::path ArrayFolder::TaskLog(int64_t task) const { return path_ / fmt::format("task-{}.log", task); }

std::string ArrayFolder::LogPattern() const {
  std::string pattern;
  for (const char c : path_.string()) pattern += c == '%' ? std::string("%%") : std::string(1, c);
  return pattern + "/task-%a.log";
}

std::vector<int64_t> ArrayFolder::TasksLeft() const {
  std::vector<int64_t> open;
  std::error_code none;
  for (int64_t task = 1; task <= tasks_; ++task)
    if (fs::exists(TaskDatabase(task), none)) open.push_back(task);
  return open;
}

void ArrayFolder::RemoveDatabase(int64_t task) const {
  std::error_code none;
  for (const char* part : {"", "-journal"}) fs::remove(TaskDatabase(task).string() + part, none);
}

void ArrayFolder::Remove() const {
  std::error_code none;
  for (int64_t task = 1; task <= tasks_; ++task) {
    RemoveDatabase(task);
    fs::remove(TaskLog(task), none);
  }
  for (const fs::path& file : {Script(), Answer(), Scratch(), path_ / kState, path_ / kLock})
    fs::remove(file, none);
  fs::remove(path_, none);  // not when there is more in it
}

}  // namespace cosim::explore
