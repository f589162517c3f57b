// SPDX-License-Identifier: Apache-2.0
// How long kernels of this machine take: compiled and run in a process of their own, by turns, so that what
// slows the machine for a while slows all of them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/cpu/host_target.h"
#include "compiler/explore/workers.h"
#include "compiler/graph/graph.h"
#include "compiler/schedules/cpu/contraction.h"

namespace cosim::tune {

/// Of one schedule among several of one kernel.
struct HostTiming {
  double ratio = 1;    ///< its time by that of the first one, the median of all rounds
  double seconds = 0;  ///< its least
};

/// One kernel that a process is to time.
struct HostKernelCase {
  std::vector<graph::ValueId> group;  ///< the nodes that it computes
  std::string workload;               ///< the contraction in it that schedules are for
};

class HostTimer {
 public:
  /// `graph` outlives it. A kernel and its schedules may take `limit_s` seconds, or their process ends.
  HostTimer(const graph::Graph& graph, const cpu::HostTarget& target, double limit_s);

  /// Of each schedule, on one thread: nothing of those that end their process, crashed or out of time; of
  /// all, when the first does so. In `why`, if it is given, the last end of a process.
  std::vector<std::optional<HostTiming>> Time(const HostKernelCase& kernel,
                                              std::span<const schedules::ContractionSchedule> schedules,
                                              double seconds, std::string* why = nullptr);

  /// The whole network by `schedules` beside itself without: the ratio of the times of `rounds` runs by
  /// turns, its median, and the least without. Nothing when the process ends.
  struct WholeTiming {
    double ratio = 1, before_s = 0;
  };
  std::optional<WholeTiming> TimeWhole(const schedules::ContractionSchedules& schedules, int rounds);

 private:
  std::optional<std::vector<HostTiming>> Ask(const HostKernelCase& kernel,
                                             std::span<const schedules::ContractionSchedule> schedules,
                                             double seconds, std::string* why);
  std::string Answer(const std::string& item) const;

  const graph::Graph& graph_;
  cpu::HostTarget target_;
  double limit_s_;
  explore::Workers worker_;
};

}  // namespace cosim::tune
