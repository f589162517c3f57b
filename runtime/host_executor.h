// SPDX-License-Identifier: Apache-2.0
// Networks whose every step is the host's, run where their values stand: no device, and no array is copied
// between two kernels. Networks with accelerator programs are executor.h's.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/network.h"

namespace cosim::runtime {

/// What one run took, in seconds.
struct HostTimes {
  double wall = 0;  ///< from the inputs to the outputs
  double cpu = 0;   ///< CPU time of the process meanwhile: this thread's, and that of any it works with
  std::vector<double> layers;  ///< wall time of each layer's kernels, as Network::layers
};

/// All values stand in one block of memory, placed as the network's plan says, those that never live together
/// at one place; constants are read where the network holds them. Not for two callers at once.
class HostExecutor {
 public:
  /// `network` has CpuSteps only; it and `parallel`, which kernels share their loops out by, outlive the
  /// executor. Throws std::bad_alloc.
  explicit HostExecutor(const Network& network, const Parallel& parallel = Serial());

  /// `inputs`: plain arrays, as Network::inputs.
  HostTimes Run(std::span<const std::span<const uint8_t>> inputs);
  HostTimes Run(const std::vector<std::vector<uint8_t>>& inputs);

  /// The plain array at `place`, of an output or a kept value, after a run.
  std::vector<uint8_t> Read(const Place& place) const;
  /// The same into `plain`, of Place::plain_bytes.
  void Read(const Place& place, std::span<uint8_t> plain) const;

 private:
  struct Free {
    void operator()(uint8_t* memory) const;
  };
  struct Call {
    const CpuKernel* kernel;
    std::vector<void*> arguments;
    int layer;
  };
  const Network& network_;
  const Parallel& parallel_;
  std::unique_ptr<uint8_t[], Free> memory_;
  std::vector<Call> calls_;
};

}  // namespace cosim::runtime
