// SPDX-License-Identifier: Apache-2.0
// The script that each task of an array runs: its shard of a sweep.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace cosim::explore {

struct TaskScript {
  std::vector<std::string> submitted_by;  ///< sbatch's command, for who reads the script
  std::vector<std::string> command;       ///< without --shard, --db and --jobs
  int64_t tasks = 0;
  std::filesystem::path folder;  ///< of the tasks' databases
};

/// False, and `error` set, when the file takes it not.
bool WriteScript(const std::filesystem::path& path, const TaskScript& script, std::string& error);

/// Its text.
std::string ScriptText(const TaskScript& script);

/// One word for a shell.
std::string Quoted(const std::string& word);

}  // namespace cosim::explore
