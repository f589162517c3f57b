// SPDX-License-Identifier: Apache-2.0
// An experiment without an accelerator: the whole network as code for this machine, timed and checked. Its
// times are measured here; those that experiments with an accelerator estimate for a board's processor are
// end_to_end.h's.
#pragma once

#include <vector>

#include "compiler/cpu/host_target.h"
#include "compiler/session/session.h"
#include "runtime/host_executor.h"
#include "runtime/host_peak.h"

namespace cosim::session {

struct HostOptions {
  int repeat = 5;        ///< timed runs, behind one that is not
  int threads = 1;       ///< that share the kernels' loops
  bool float32 = false;  ///< a network of the zoo as it is, and not quantized
  cpu::HostTarget target = *cpu::FindHostTarget(cpu::kNativeTarget);  ///< one that cpu::RunsHere
  schedules::ContractionSchedules schedules{};  ///< of that target, to take instead of the model's choice
};

struct HostResult {
  /// Without cycles, end_to_end and anything else of an accelerator. run.layers are those of the fastest run,
  /// and run.outputs those of the last.
  Result result;
  std::vector<runtime::HostTimes> runs;  ///< those that were timed, in order
  runtime::HostPeak peak;                ///< of this machine, measured before them
  int threads = 1;                       ///< as HostOptions::threads
  std::vector<bool> integer;             ///< as Network::layers: whether its products are of integers

  const runtime::HostTimes& Fastest() const;  ///< by wall time
  double LeastMs() const { return 1e3 * Fastest().wall; }
  double MedianMs() const;
  double LeastCpuMs() const;  ///< of any run
  /// 1e9 operations a second of a layer in the fastest run, two a MAC; 0 where it has no MACs.
  double Gops(size_t layer) const;
  /// … as a share of all threads' peak for its type.
  double PeakShare(size_t layer) const;
};

/// What RunOnHost runs.
graph::Graph HostGraph(const Options& options, const HostOptions& host);

/// Of `options`, what concerns accelerators and devices is not looked at. A network of the zoo is quantized
/// per channel. Without a check `options.model` is let go of once it is compiled: what runs holds its
/// weights.
HostResult RunOnHost(Options& options, const HostOptions& host);

}  // namespace cosim::session
