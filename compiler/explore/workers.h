// SPDX-License-Identifier: Apache-2.0
// Work in several processes, so that a point which ends its process costs its own row and no other. What the
// work is, and what its answers mean, is the caller's.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cosim::explore {

struct Answer {
  int64_t item = 0;
  std::string text;   ///< what the work gave
  std::string death;  ///< else why its process ended, with what that wrote to standard error
};

/// Processes that live from one batch of work to the next, with what they have come to know.
class Workers {
 public:
  /// `work` is done in processes that are forked from this one when the first items come.
  Workers(int jobs, std::function<std::string(const std::string&)> work);
  /// Ends them.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Hands the answers to `take` in this process as they come, in any order; Answer::item is the place of an
  /// item in `items`. Stops early, and ends the processes, when `take` says false.
  void Run(const std::vector<std::string>& items, const std::function<bool(const Answer&)>& take);

 private:
  class Pool;
  std::unique_ptr<Pool> pool_;
};

/// Runs `work` on each of `items` in `jobs` processes that are forked here, neighbours in the same one where
/// that keeps all busy, and hands the answers to `take` in this process as they come, in any order. Stops
/// early when `take` says false. A worker leaves SIGINT, SIGTERM and SIGHUP to this process, and the death of
/// one by SIGKILL is handed over a second late, so that what kills all of a job costs no item. Ends with no
/// process of its own left; they end too when this one is killed.
void RunInProcesses(const std::vector<int64_t>& items, int jobs,
                    const std::function<std::string(int64_t)>& work,
                    const std::function<bool(const Answer&)>& take);

}  // namespace cosim::explore
