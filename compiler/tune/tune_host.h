// SPDX-License-Identifier: Apache-2.0
// Looks for quicker schedules of what this machine's processor computes, one convolution or product after the
// other, by running them here.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/cpu/host_target.h"
#include "compiler/graph/graph.h"
#include "compiler/tune/search.h"
#include "compiler/tune/tuning_log.h"

namespace cosim::tune {

struct HostTuneOptions {
  Method method = Method::kRanker;
  int trials = 64;  ///< of each workload
  uint64_t seed = 1;
  std::string layer;                                 ///< only the one of this layer; empty: all
  std::function<void(const std::string&)> progress;  ///< what is being done now; may be empty
  std::function<void(size_t, size_t)> step;          ///< workloads of all; may be empty
};

/// Of all layers that compute the same.
struct TunedWorkload {
  std::string workload, before, after;  ///< schedules as text
  std::vector<std::string> layers;
  size_t space = 0;      ///< legal schedules
  Found found;           ///< the best that was measured; its cycles are millionths of the untuned time
  double untuned_s = 0;  ///< the least time of the kernel by the schedule before, and
  double tuned_s = 0;    ///< by the one after
  bool taken = false;    ///< it was quicker when measured again, beside the one before
};

struct TunedHost {
  std::string processor;  ///< as LLVM names it
  double ratio = 1;       ///< of the whole network's times, the median of so many runs by turns
  double untuned_s = 0;   ///< the least of the runs by the schedules before, and
  double tuned_s = 0;     ///< what that is with those after, by the ratio
  int64_t trials = 0, remembered = 0, failed = 0;  ///< measured; that the log had; that ended their process
  double search_s = 0;                             ///< wall time
  std::vector<TunedWorkload> workloads;
};

/// `log` gets each trial, and in the end the schedules under the processor and `version`. Nothing, and
/// `error` set, when the log takes no more, or there is no such layer. `target` is one that cpu::RunsHere.
std::optional<TunedHost> TuneHost(const graph::Graph& graph, const cpu::HostTarget& target,
                                  const std::string& version, const HostTuneOptions& options, TuningLog& log,
                                  std::string& error);

}  // namespace cosim::tune
