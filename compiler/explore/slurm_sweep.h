// SPDX-License-Identifier: Apache-2.0
// A sweep whose points an array of Slurm's tasks runs, each task a shard with a database of its own. This
// process divides, submits, waits and takes the rows; it may be ended and started again at any time, and goes
// on.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/explore/sweep.h"

namespace cosim::explore {

/// Tasks of an array at most: Slurm's MaxArraySize is 1001 unless it is configured.
inline constexpr int64_t kMostTasks = 1000;

struct SlurmOptions {
  int64_t tasks = 0;                 ///< of the array; 0: one for some hundred points
  int processors = 0;                ///< of a task; 0: what `sbatch` says
  std::vector<std::string> sbatch;   ///< options for it
  std::vector<std::string> command;  ///< a task's: cosim and what it takes, but for --shard, --db and --jobs
  std::function<void(const std::string&)> tell;  ///< a line of what happens
  std::function<void(const std::string&)>
      progress;  ///< what takes the place of what it said before; may be empty
};

/// As RunSweep, with `.database` a file and without `.shard`, `.jobs` and `.run`. Beside the file, a folder
/// FILE.slurm is there until all is done. Nothing, and `error` set, also when tasks have ended without their
/// points, which are told; rows that there are stand in the database.
std::optional<Database> RunOnSlurm(const Plan& plan, const Networks& networks, const SweepOptions& options,
                                   const SlurmOptions& slurm, std::string& error);

}  // namespace cosim::explore
