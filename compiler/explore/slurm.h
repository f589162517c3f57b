// SPDX-License-Identifier: Apache-2.0
// Slurm's commands, as far as a sweep needs them: an array of tasks is submitted, and asked after. No
// accounting is assumed. What the tasks do, and what is made of their rows, is slurm_sweep's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cosim::explore {

/// What the queue says of a task.
struct TaskState {
  std::string state, reason;  ///< "RUNNING", "None"
  bool is_held = false;       ///< waits for somebody to release it

  /// Whether it is over, for good or until somebody puts it into the queue again.
  bool Ended() const;
};

/// Tasks by their number in the array. One that is not there has been forgotten since it ended.
using Tasks = std::map<int64_t, TaskState>;

/// Whether this machine has the commands; else `error` says which it lacks.
bool HasSlurm(std::string& error);

/// sbatch's arguments for tasks `numbers` of an array that runs `script`, each writing to the end of `log`,
/// which has %a where the task's number stands. `options` are the user's.
std::vector<std::string> SbatchCommand(const std::filesystem::path& script, const std::string& log,
                                       const std::vector<int64_t>& numbers,
                                       const std::vector<std::string>& options);

/// Runs that; the array's id, which stands in the file `answer` as soon as there is one. Nothing, and `error`
/// set, when Slurm does not take it.
std::optional<std::string> Submit(const std::vector<std::string>& command,
                                  const std::filesystem::path& answer, std::string& error);

/// The array's id in a file that Submit has written; nothing when there is none.
std::optional<std::string> SubmittedId(const std::filesystem::path& answer);

/// The tasks of an array that the queue knows. Nothing, and `error` set, when it does not answer. `scratch`
/// is written and removed.
std::optional<Tasks> AskQueue(const std::string& id, const std::filesystem::path& scratch,
                              std::string& error);

/// What squeue printed for AskQueue: a line a task, NUMBER|STATE|REASON. Other lines are left out.
Tasks TasksIn(const std::string& text);

/// "1-3,5,7-8" of numbers in their order.
std::string Ranges(const std::vector<int64_t>& numbers);

}  // namespace cosim::explore
