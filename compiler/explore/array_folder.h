// SPDX-License-Identifier: Apache-2.0
// The folder of a sweep that an array of tasks runs: what the array is, and each task's database and log. It
// stands where the nodes see it, and lets a command go on with an array that another one submitted.
// docs/reference/sweep.md describes the files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "compiler/explore/database.h"

namespace cosim::explore {

class ArrayFolder {
 public:
  /// The folder of the sweep of `digest` beside its database, made if it is not there. Null, and `error` set,
  /// when it cannot be, another command has it, or it is another sweep's.
  static std::unique_ptr<ArrayFolder> Open(const std::filesystem::path& database, const std::string& digest,
                                           std::string& error);
  ~ArrayFolder();
  ArrayFolder(const ArrayFolder&) = delete;
  ArrayFolder& operator=(const ArrayFolder&) = delete;

  /// Of the array that was divided last; 0: none.
  int64_t tasks() const { return tasks_; }
  /// Notes that there are so many. False, and `error` set, when the file takes it not.
  bool SetTasks(int64_t tasks, std::string& error);

  std::filesystem::path Script() const { return path_ / "sweep.sh"; }
  std::filesystem::path Answer() const { return path_ / "array"; }  ///< sbatch's
  std::filesystem::path Scratch() const { return path_ / "queue"; }
  std::filesystem::path TaskDatabase(int64_t task) const;
  std::filesystem::path TaskLog(int64_t task) const;
  std::string LogPattern() const;  ///< of all tasks, as sbatch takes it
  const std::filesystem::path& path() const { return path_; }

  /// Tasks that have a database here: whose rows nobody has taken yet.
  std::vector<int64_t> TasksLeft() const;
  void RemoveDatabase(int64_t task) const;
  /// Removes what Open, SetTasks, tasks and Submit have made, and the folder if nothing else is in it.
  void Remove() const;

 private:
  ArrayFolder(std::filesystem::path path, std::string digest);
  bool Lock(std::string& error);
  bool ReadTasks(std::string& error);

  std::filesystem::path path_;
  std::string digest_;
  int64_t tasks_ = 0;
  int lock_ = -1;
};

}  // namespace cosim::explore
