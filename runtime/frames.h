// SPDX-License-Identifier: Apache-2.0
// Several frames through one network. While the accelerator works on a frame, the host runs the CPU steps of
// another; each frame in flight has a DRAM of its own, as a driver that swaps two buffers gives it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/executor.h"

namespace cosim::runtime {

/// Frames between their first and last step at a time, for each accelerator.
inline constexpr int kFramesInFlight = 2;

/// The plain arrays of one frame, as Network::inputs.
using FrameInputs = std::vector<std::vector<uint8_t>>;

/// What accelerators did while the host worked on other frames, by their own counters.
struct Meanwhile {
  Cycle cycles = 0;    ///< that they worked
  int stretches = 0;   ///< of the host's work: a host step, a frame's inputs or its outputs
  int inside_one = 0;  ///< … that began and ended during one and the same run
};

struct FramesRun {
  std::vector<Run> frames;        ///< in the order of the frames, whoever ran them
  std::string error;              ///< of the first frame that did not complete; then the others are not whole
  double wall_seconds = 0;        ///< from the first frame's start to the last one's end
  double cpu_step_seconds = 0;    ///< wall time in CPU steps, summed over the frames
  double overlapped_seconds = 0;  ///< … of which their accelerator had another frame
  double copy_seconds = 0;        ///< likewise: inputs in, outputs out
  double overlapped_copy_seconds = 0;
  std::optional<Meanwhile> meanwhile;  ///< where devices tell (Device::AcceleratorProgress)
};

/// Runs `frames` frames; frame i reads inputs[i % inputs.size()]. Where the network carries values, all
/// frames but the first read those from the frame before, and run one after the other on the first device.
/// Else there are devices.size() / kFramesInFlight accelerators, which take turns at the frames:
/// devices[kFramesInFlight * a + k] are frame k in flight on accelerator a, of which one executes at a time.
/// Each device has a thread; threads share nothing that changes but their accelerator's lock. All devices get
/// the programs before the first frame starts, which is in no figure. What a frame computes and costs in
/// cycles does not depend on the number of devices. `done`, if there is one, hears from any thread how many
/// frames are.
FramesRun ExecuteFrames(const Network& network, const isa::Spec& spec,
                        std::span<const std::unique_ptr<Device>> devices, std::span<const FrameInputs> inputs,
                        int frames, const std::function<void(int)>& done = {});

}  // namespace cosim::runtime
